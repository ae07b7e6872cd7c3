"""Numbers that JSON does not have, and those beyond a float, in what programs and code reply: no score, and no mistake of ours."""

import json
import sys
from pathlib import Path

import pytest
from suites import Folder

from rubric_core.cli import main
from rubric_core.evaluation.code.external_scores import external_score
from rubric_core.evaluation.model.result import Verdict
from rubric_core.evaluation.model.unscored import GraderError
from rubric_core.evaluation.scoring.finite_number import finite_number
from rubric_core.language.model import Case
from rubric_core.text import Span

NUMBERS = ["float('nan')", "float('inf')", "-float('inf')", "10 ** 400", "-(10 ** 400)"]
AT = Case(Span(0, 0))


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 10**400, -(10**400), True, "1", None])
def test_only_finite_numbers_are_numbers(number: object) -> None:
    assert finite_number(number) is None
    for reply in (number, {"score": number}) if not isinstance(number, bool) else ():
        with pytest.raises(GraderError):
            external_score(reply, None, AT)
    assert (finite_number(2), finite_number(-0.5)) == (2.0, -0.5)


@pytest.mark.parametrize("number", NUMBERS)
async def test_a_program_whose_score_is_no_number_does_not_pass_by_its_assertions(folder: Folder, number: str) -> None:
    folder.mock("hello")
    reply = f"{{'score': {number}, 'assertions': [{{'text': 'fine', 'passed': True}}]}}"
    script = f"import json, sys; sys.set_int_max_str_digits(0); print(json.dumps({reply}))"
    grader = json.dumps({"type": "code-grader", "name": "odd", "command": [sys.executable, "-c", script]})
    result = await folder.one(f"tests: [{{id: a, criteria: c, input: hi, assertions: [{grader}]}}]", "agentv-3")
    if number.startswith("float"):
        assert [error.name for error in result.grader_errors] == ["odd"]
        assert result.verdict is not Verdict.PASSED
    assert "mistake in rubric" not in result.reason


@pytest.mark.parametrize(
    "form",
    [
        "NUMBER",
        "{'pass': True, 'score': NUMBER, 'reason': 'x'}",
        "{'pass': True, 'score': 1, 'reason': 'x', 'namedScores': {'n': NUMBER}}",
    ],
)
def test_code_of_promptfoo_that_returns_such_a_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    monkeypatch.chdir(tmp_path)
    checks = [[{"type": "python", "value": form.replace("NUMBER", number)}] for number in NUMBERS]
    data = {"prompts": ["hi"], "providers": ["echo"], "tests": [{"assert": each} for each in checks]}
    (tmp_path / "promptfooconfig.yaml").write_text(json.dumps(data), encoding="utf-8")
    main(["run", "promptfooconfig.yaml", "--format", "json"])
    cases = json.loads(capsys.readouterr().out)["cases"]
    assert len(cases) == len(NUMBERS)
    for case in cases:
        assert "mistake in rubric" not in (case["reason"] or "")
        assert form != "NUMBER" or case["verdict"] != "passed"
