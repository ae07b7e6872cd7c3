"""Assertions at which promptfoo stops: their case has no score, and never passes."""

from pathlib import Path

import pytest

from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import CaseResult, Verdict

INNER = "[{type: contains, value: a}]"


async def graded(folder: Path, assertion: str) -> CaseResult:
    path = folder / "promptfooconfig.yaml"
    path.write_text(
        f"prompts: [a]\nproviders: [echo]\ntests: [{{vars: {{x: a}}, assert: [{assertion}]}}]\n", encoding="utf-8"
    )
    (found,) = await run_cases([each for case in load_suite(path).cases for each in variations(case)])
    return found


@pytest.mark.parametrize(
    ("assertion", "words"),
    [
        ("{type: levenshtein, value: a, threshold: '3'}", "`threshold` is no number: '3'; promptfoo stops at it"),
        ("{type: contains, value: a, threshold: null}", "`threshold` is no number: None; promptfoo stops at it"),
        ("{type: contains, value: a, weight: '2'}", "`weight` is no number: '2'; promptfoo stops at it"),
        ("{type: contains, value: a, weight: true}", "`weight` is no number: True; promptfoo stops at it"),
        ("{type: assert-set}", "a set needs a list of assertions as `assert`; promptfoo stops without one"),
        (f"{{type: assert-set, assert: {{a: {INNER}}}}}", "a set needs a list of assertions as `assert`"),
        (f"{{type: assert-set, assert: [{{type: assert-set, assert: {INNER}}}]}}", "promptfoo stops at a set within a set"),
        ("{type: assert-set, assert: [{type: contains, value: a, weight: '2'}]}", "`weight` is no number"),
    ],
)  # fmt: skip
async def test_a_case_that_promptfoo_refuses_has_no_score(tmp_path: Path, assertion: str, words: str) -> None:
    found = await graded(tmp_path, assertion)
    assert found.verdict is Verdict.UNSCORED
    assert words in found.reason


@pytest.mark.parametrize(
    "assertion", ["{type: contains, value: a, weight: 0.5}", f"{{type: assert-set, assert: {INNER}}}"]
)
async def test_others_are_graded(tmp_path: Path, assertion: str) -> None:
    assert (await graded(tmp_path, assertion)).verdict is Verdict.PASSED


@pytest.mark.parametrize("name", ["PROMPTFOO_DISABLE_TEMPLATING", "PROMPTFOO_DISABLE_TEMPLATE_ENV_VARS"])
@pytest.mark.parametrize(("value", "verdict"), [("true", Verdict.UNSCORED), ("false", Verdict.PASSED)])
async def test_templates_that_the_configuration_itself_turns_off(
    tmp_path: Path, name: str, value: str, verdict: Verdict
) -> None:
    """promptfoo fills the configuration in before it heeds them there, so that no row shows what it would be."""
    path = tmp_path / "promptfooconfig.yaml"
    path.write_text(
        f"prompts: [a]\nproviders: [echo]\nenv: {{{name}: '{value}'}}\ntests: [{{vars: {{x: a}}, assert: {INNER}}}]\n",
        encoding="utf-8",
    )
    (found,) = await run_cases([each for case in load_suite(path).cases for each in variations(case)])
    assert found.verdict is verdict
