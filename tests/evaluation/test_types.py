"""Every type that the catalogue knows is run, or says at its line that it is not."""

import pytest
from suites import Folder

from rubric_core.evaluation.registry import build_evaluator_registry, kind_of
from rubric_core.evaluation.result import Verdict
from rubric_core.language.dialect import Dialect, Fate
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.model import Case, Suite

#: A judge that is an agent needs the files of the run; these are known, and not run.
NOT_RUN = {"agent_judge", "agent-judge", "agent-rubric"}

READ = [
    pytest.param(dialect, name, id=f"{dialect.name} {name}")
    for dialect in DIALECTS
    for name, known in dialect.types.items()
    if known.fate.read
]


def runs(dialect: Dialect, name: str) -> bool:
    shape = dialect.types[name].shape
    from rubric_core.text import Span

    made = shape(Span(0, 0), None, type=name)
    made.type_name = name
    return kind_of(made) in {*build_evaluator_registry(), "code"}


@pytest.mark.parametrize(("dialect", "name"), READ)
def test_every_type_that_a_dialect_reads_is_run(dialect: Dialect, name: str) -> None:
    assert runs(dialect, name) is (name not in NOT_RUN)


def test_the_types_that_are_not_run_are_those_of_the_list() -> None:
    assert {n for d in DIALECTS for n in d.types if not runs(d, n)} == NOT_RUN


@pytest.mark.parametrize("name", sorted(NOT_RUN - {"agent-rubric"}))
async def test_one_that_is_not_run_says_so_at_its_line(folder: Folder, name: str) -> None:
    folder.mock("x")
    dialect = next(
        d for d in reversed(DIALECTS) if name in d.types and d.types[name].fate in (Fate.CURRENT, Fate.ALIAS)
    )
    cases, checks = dialect.spelled(Suite, "cases"), dialect.spelled(Case, "assertions")
    name_key = "metric" if dialect.name == "agentv-5" else "name"
    text = (
        f"{cases}:\n  - id: a\n    criteria: c\n    input: hi\n    {checks}:\n      - {{type: {name}, {name_key}: n}}\n"
    )
    if dialect.name == "agentv-5":
        text = text.replace("    criteria: c\n    input: hi\n", "").replace("tests:", "prompts: [hi]\ntests:")
    result = await folder.one(f"# rubric: dialect={dialect.name}\n{text}")
    line = text.partition(f"type: {name}")[0].count("\n") + 2
    assert result.verdict is Verdict.UNSCORED
    assert f"{name} is not run by rubric (line {line})" in result.reason
