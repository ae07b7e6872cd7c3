"""Every evaluator has a page, and the tables on it are true."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from suites import context, evaluator

import rubric_core.evaluation.evaluators as package
from rubric_core.adapters import system_ports
from rubric_core.evaluation.cases.messages import as_messages
from rubric_core.evaluation.engine.grade import run_evaluators_for_case
from rubric_core.evaluation.engine.registry import EVALUATORS, build_evaluator_registry
from rubric_core.evaluation.evaluators.defaults import scalar_evaluator
from rubric_core.evaluation.model.inputs import PromptInputs
from rubric_core.language.dialects import DIALECTS
from rubric_core.ports import Answer, Tokens, ToolUse

FOLDER = Path(package.__file__).parent
EXAMPLE = re.compile(r"```yaml\n(.*?)```\n(?:\n((?:\|[^\n]*\n)+))?", re.DOTALL)

CELL = re.compile(r"\|\s*(`[^`]*`|[^|`]*?)\s*(?=\|)")


def rows(table: str) -> list[dict[str, str]]:
    lines = [
        [cell.removeprefix("`").removesuffix("`") for cell in CELL.findall(line)] for line in table.strip().splitlines()
    ]
    return [dict(zip(lines[0], line, strict=True)) for line in lines[2:]]


EXAMPLES = [
    pytest.param(yaml, row, id=f"{page.stem}: {' '.join(row.values())[:60]}")
    for page in sorted(FOLDER.glob("*.md"))
    for yaml, table in EXAMPLE.findall(page.read_text(encoding="utf-8"))
    for row in (rows(table) if table else [])
]


def answer_of(row: dict[str, str]) -> Answer:
    told: dict[str, Any] = json.loads(row.get("Measured", "{}"))
    tokens = Tokens(**told.pop("tokens")) if "tokens" in told else None
    uses = tuple(ToolUse(**use) for use in told.pop("tool_uses")) if "tool_uses" in told else None
    return Answer(row.get("Answer", "").replace("\\n", "\n"), tokens=tokens, tool_uses=uses, **told)


@pytest.mark.requirement("help-with-choosing")
@pytest.mark.parametrize(("yaml", "row"), EXAMPLES)
async def test_the_page_is_true(yaml: str, row: dict[str, str]) -> None:
    dialect = next((d.name for d in DIALECTS if d.name in yaml), "agentv-3")
    config = scalar_evaluator("heuristic") if "# heuristic" in yaml else evaluator(yaml, dialect)
    expected = json.loads(row["Expected"]) if "Expected" in row else None
    reference = expected if isinstance(expected, str) else ""
    inputs = PromptInputs(question="q", expected=as_messages(expected), reference_answer=reference)
    async with system_ports() as ports:
        found = await run_evaluators_for_case(
            context(config, answer_of(row), ports, dialect, prompt_inputs=inputs), build_evaluator_registry(), [config]
        )
    assert found.results[0].score == pytest.approx(float(row["Score"]), abs=0.001), found.results[0]
    assert found.results[0].verdict.value == row.get("Verdict", found.results[0].verdict.value), found.results[0]


@pytest.mark.requirement("help-with-choosing")
def test_every_evaluator_has_a_page() -> None:
    titles = {page.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ") for page in FOLDER.glob("*.md")}
    assert titles == {e.kind for e in EVALUATORS} | {"llm_judge", "code"}


def test_every_kind_and_every_shape_has_one_evaluator() -> None:
    assert len({e.kind for e in EVALUATORS}) == len({e.shape for e in EVALUATORS}) == len(EVALUATORS)
