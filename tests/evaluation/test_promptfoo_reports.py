"""What providers of promptfoo report beside their outputs. What promptfoo makes of it: `tests/parity/promptfoo`."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.families.promptfoo.evaluators.measures import matches_name

REPORTS = "import json\ndef call_api(prompt, options, context):\n    return {'output': 'x', **json.loads(prompt)}\n"


async def graded(folder: Path, reported: Any, provider: str = "file://reports.py", **assertion: Any) -> CaseResult:
    (folder / "reports.py").write_text(REPORTS, encoding="utf-8")
    test = {"vars": {"q": json.dumps(reported)}, "assert": [assertion]}
    if provider.startswith("openai"):
        test["providerOutput"] = "x"
    path = folder / "promptfooconfig.yaml"
    path.write_text(json.dumps({"prompts": ["{{q}}"], "providers": [provider], "tests": [test]}), encoding="utf-8")
    (found,) = await run_cases([each for case in load_suite(path).cases for each in variations(case)])
    return found


@pytest.mark.parametrize(
    "told", [{}, {"logProbs": []}, {"logProbs": None}, {"logProbs": "x"}, {"logProbs": [-1, "x"]}, {"logProbs": [True]}]
)
@pytest.mark.parametrize("kind", ["perplexity", "perplexity-score"])
async def test_without_log_probabilities_there_is_no_score(tmp_path: Path, told: Any, kind: str):
    found = await graded(tmp_path, told, type=kind)
    assert found.verdict is Verdict.UNSCORED
    assert "needs the log probabilities of the output, which the provider does not report" in found.reason


async def test_the_least_probable_output_has_a_score(tmp_path: Path):
    assert (await graded(tmp_path, {"logProbs": [-1e9]}, type="perplexity", threshold=5)).verdict is Verdict.FAILED
    assert (await graded(tmp_path, {"logProbs": [-1e9]}, type="perplexity-score", threshold=0)).score == 0


async def test_the_guardrails_of_a_model_are_not_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    found = await graded(tmp_path, {}, "openai:chat:m", type="guardrails")
    assert found.verdict is Verdict.UNSCORED
    assert "does not know the guardrails of this provider" in found.reason


async def test_guardrails_of_red_teams_are_not_run(tmp_path: Path):
    found = await graded(tmp_path, {"guardrails": {"flagged": True}}, type="guardrails", config={"purpose": "redteam"})
    assert found.verdict is Verdict.UNSCORED


async def test_what_flagged_an_output_is_told(tmp_path: Path):
    found = await graded(tmp_path, {"guardrails": {"flagged": True, "reason": "rude words"}}, type="guardrails")
    assert found.evaluators[0].misses == ("rude words",)


@pytest.mark.parametrize(
    "value", [{"name": ""}, {"pattern": 5}, {"name": "a", "max": -1}, {"name": "a", "max": True}, [], [""], 5]
)
async def test_a_skill_that_is_none_leaves_the_case_unscored(tmp_path: Path, value: Any):
    assert (await graded(tmp_path, {}, type="skill-used", value=value)).verdict is Verdict.UNSCORED


@given(st.text("ab*?.\n", max_size=8), st.text("abA.", max_size=8))
def test_a_pattern_matches_as_the_regular_expression_that_promptfoo_makes_of_it(glob: str, name: str):
    made = "".join({"*": ".*", "?": "."}.get(sign, re.escape(sign)) for sign in glob)
    assert matches_name(name, glob) == bool(re.fullmatch(made, name, re.IGNORECASE))


def test_a_pattern_of_many_stars_is_matched_at_once():
    assert not matches_name("a" * 3000, "*a" * 1000 + "b")
