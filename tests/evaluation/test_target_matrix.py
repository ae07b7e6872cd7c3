"""Several targets in one run: every case by every target, side by side at the end."""

import json

import pytest
from suites import Folder

from rubric_core.cli import main
from rubric_core.cli.target_matrix import matrix_lines
from rubric_core.cli.terminal_style import TerminalStyle
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.evaluation.reporting.target_matrix import TargetMatrix

SUITE = """
tests:
  - {id: greeting, criteria: c, input: hi, assertions: [{type: contains, value: hello}]}
  - {id: farewell, criteria: c, input: hi, assertions: [{type: contains, value: bye}, {type: contains, value: hello}]}
"""


@pytest.fixture
def two(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> Folder:
    folder.targets(
        {"name": "polite", "provider": "mock", "response": "hello, bye"},
        {"name": "curt", "provider": "mock", "response": "hello"},
    )
    folder.suite(SUITE)
    monkeypatch.chdir(folder.path)
    return folder


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(["run", "suite.eval.yaml", "--target", "polite", "--target", "curt", *arguments])
    return code, capsys.readouterr().out


def test_every_case_is_answered_by_every_target(two: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    code, out = run(capsys)
    lines = [line.rstrip() for line in out.splitlines()]
    at = lines.index("          polite      curt")
    assert code == 1
    assert lines[at + 1 : at + 5] == [
        "greeting  ✔ 1.00      ✔ 1.00",
        "farewell  ✔ 1.00      ✘ 0.50",
        "          2/2 passed  1/2 passed",
        "          mean 1.00   mean 0.75",
    ]
    assert "3 passed, 1 failed" in out


def test_in_json(two: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    matrix = json.loads(run(capsys, "--format", "json")[1])["matrix"]
    assert matrix["cases"][1] == {
        "id": "farewell",
        "targets": {"polite": {"verdict": "passed", "score": 1.0}, "curt": {"verdict": "failed", "score": 0.5}},
    }
    assert (matrix["targets"]["curt"]["passed"], matrix["targets"]["curt"]["mean_score"]) == (1, 0.75)


def test_one_target_is_no_matrix(two: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    main(["run", "suite.eval.yaml", "--target", "polite", "--format", "json"])
    assert "matrix" not in json.loads(capsys.readouterr().out)
    main(["run", "suite.eval.yaml", "--target", "polite", "--target", "polite", "--format", "json"])
    assert "matrix" not in json.loads(capsys.readouterr().out)


def test_what_failed_of_one_target_runs_again_with_that_one(two: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys)
    rows = [json.loads(line) for line in run(capsys, "--failed", "--format", "jsonl")[1].splitlines()]
    assert [(row["id"], row["target"]) for row in rows] == [("farewell", "curt")]
    rows = [json.loads(line) for line in run(capsys, "--where", "target=polite", "--format", "jsonl")[1].splitlines()]
    assert {row["target"] for row in rows} == {"polite"}


def test_the_command_that_goes_on_names_all_targets(two: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    assert "again: rubric run suite.eval.yaml --failed --target polite --target curt" in run(capsys)[1]


def result(name: str, target: str, verdict: Verdict) -> CaseResult:
    return CaseResult(id=name, target=target, verdict=verdict, score=1.0 if verdict is Verdict.PASSED else None)


def test_of_many_cases_those_are_shown_about_which_targets_differ() -> None:
    results = [result(f"c{n}", t, Verdict.PASSED) for n in range(50) for t in ("a", "b")]
    results[-1] = result("c49", "b", Verdict.UNSCORED)
    lines = list(matrix_lines(TargetMatrix.of(results), TerminalStyle(colour=False)))
    assert lines[2].split() == ["c49", "✔", "1.00", "○", "–"]
    assert lines[3:5] == [
        "… and 49 more, about which the targets agree",
        "     50/50 passed  49/50 passed",
    ]


def test_a_case_that_only_one_target_answers() -> None:
    results = [result("x", "a", Verdict.PASSED), result("x", "b", Verdict.PASSED), result("y", "b", Verdict.PASSED)]
    lines = list(matrix_lines(TargetMatrix.of(results), TerminalStyle(colour=False)))
    assert lines[3] == "y              ✔ 1.00"
