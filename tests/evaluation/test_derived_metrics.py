"""Numbers that a suite works out of its metrics."""

import json
import math
from pathlib import Path

import pytest
from suites import Folder

from rubric_core.cli import main
from rubric_core.evaluation.model.result import CaseResult, EvaluatorResult, Verdict
from rubric_core.evaluation.scoring.derived_metrics import DerivedMetrics, DerivedValue
from rubric_core.evaluation.scoring.formula import formula_value
from rubric_core.language.model import DerivedMetric, Suite
from rubric_core.text import Span


def metrics(*values: str) -> DerivedMetrics:
    at = Span(0, 0)
    wanted = [DerivedMetric(at, name=f"m{n}", value=value) for n, value in enumerate(values)]
    made = DerivedMetrics(Suite(at, derived_metrics=wanted))
    for tp, fp in ((1.0, 0.0), (1.0, 1.0), (None, 0.5)):
        each = [
            EvaluatorResult(name=name, type="x", verdict=Verdict.PASSED, score=score)
            for name, score in (("tp", tp), ("fp", fp))
        ]
        made.take(CaseResult(id="a", verdict=Verdict.PASSED, evaluators=tuple(each)))
    return made


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("tp / (tp + fp)", 2 / 3.5),
        ("tp / __count", 2 / 3),
        ("2 ^ 3 - -1", 9),
        ("sqrt(max(tp, fp) * 8)", 4),
        ("round(fp % 1)", 1),
        ("tp > 1 and not (fp == 0) ? tp / fp : 0", 4 / 3),
        ("fp > 9 ? tn : -2 ^ 2", -4),
        ("mod(0 - 7, 3) + 7 mod 3", 3),
        ("round(1.005, 2) + round(2.4999999999999996)", 4.01),
        ("0.1 + 0.2 == 0.3 ? 1 : 2", 1),
        ("min(1, tp / 0)", 1),
        ("log(8, 2) + mean(tp, fp) + pi * 0", 4.75),
        ("1 < tp < 3 ? 1 : 2", 1),
        ("1 < tp < 2 ? 1 : 2", 2),
        ("tp == tp > 0 != 1 ? 1 : 2", 1),
    ],
)
def test_formulas_are_evaluated(value: str, number: float) -> None:
    (found,) = metrics(value).values()
    assert found.value == pytest.approx(number)


@pytest.mark.parametrize("line", Path(__file__).with_name("mathjs.txt").read_text(encoding="utf-8").splitlines()[1:])
def test_formulas_have_the_values_that_mathjs_gives(line: str) -> None:
    formula, _, said = line.partition("  →  ")
    try:
        wanted = float(said)
    except ValueError:
        with pytest.raises(ValueError, match=r"\w"):
            formula_value(formula, {"a": 0.75, "b": 2.0, "c": -1.5})
        return
    try:
        found = formula_value(formula, {"a": 0.75, "b": 2.0, "c": -1.5})
    except ZeroDivisionError:
        found = math.nan
        wanted = wanted if math.isfinite(wanted) else math.nan
    assert found == pytest.approx(wanted, rel=1e-12, abs=1e-15, nan_ok=True)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("tp / 0", "division by zero"),
        ("tn + 1", "there is no metric tn; there are: tp, fp"),
        ("tp +", "'tp +' is not an expression"),
        ("tp.real", "rubric supports sums"),
        ("__import__('os')", "rubric supports sums"),
        ("'a' * 3", "rubric supports sums"),
        ("9 ^ 9 ^ 9 ^ 9", "the result is not a number"),
        ("tp > 1", "the result is true or false, and not a number"),
        ("tp ? fp ? 1 : 2 : 3", "is not an expression"),
        ("2 tp", "'2 tp' is not an expression"),
        ("tp ** 2", "is not an expression"),
        ("(0 - 8) ^ 0.5", "a power of a negative number"),
        ("log(0 - 1)", "a logarithm of a negative number"),
        ("(" * 2000, "at most 1000 characters"),
        ("(" * 900, "recursion"),
        ("sqrt(0 - 1)", "math domain error"),
        ("file://metric.js", "does not run functions"),
        ("(s, c) => s", "does not run functions"),
    ],
)
def test_what_is_not_says_why(value: str, reason: str) -> None:
    (found,) = metrics(value).values()
    assert found.value is None
    assert reason in found.reason


def test_one_may_use_those_before_it() -> None:
    assert metrics("tp * 2", "m0 + 1").values() == [DerivedValue("m0", 4.0), DerivedValue("m1", 5.0)]


def test_a_run_tells_them(folder: Folder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.path)
    folder.mock("hello")
    folder.suite(
        "# rubric: dialect=agentv-5\nprompts: ['{{ q }}']\nproviders: [default]\n"
        "derived_metrics: [{name: share, value: said / __count}, {name: none, value: gone}]\n"
        "tests:\n  - {id: a, vars: {q: x}, assert: [{type: contains, value: hello, metric: said}]}\n"
        "  - {id: b, vars: {q: x}, assert: [{type: contains, value: bye, metric: said}]}\n"
    )
    assert main(["run", "suite.eval.yaml", "--format", "json"]) == 1
    said = capsys.readouterr()
    assert json.loads(said.out)["derived_metrics"] == {"share": 0.5, "none": None}
    words = "derived metrics: share 0.5, none cannot be computed: there is no metric gone; there are: said, share"
    assert words in said.err


def test_every_run_of_a_repeated_row_of_promptfoo_counts(
    folder: Folder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store keeps them together, so that a file of results has no number that would be another one."""
    monkeypatch.chdir(folder.path)
    (folder.path / "promptfooconfig.yaml").write_text(
        "prompts: ['Hi {{who}}']\nproviders: [echo]\nevaluateOptions: {repeat: 3}\n"
        "derivedMetrics: [{name: share, value: said / __count}, {name: code, value: '(c) => 1'}]\n"
        "tests: [{vars: {who: [Ann, Bob]}, assert: [{type: contains, value: Ann, metric: said}]}]\n",
        encoding="utf-8",
    )
    assert main(["run", "promptfooconfig.yaml", "--format", "json", "-o", "out.promptfoo.json"]) == 1
    said = capsys.readouterr()
    assert json.loads(said.out)["derived_metrics"] == {"share": 0.5, "code": None}
    assert "code cannot be computed: rubric evaluates expressions and does not run functions" in said.err
    written = json.loads((folder.path / "out.promptfoo.json").read_text(encoding="utf-8"))
    assert "share" not in written["results"]["prompts"][0]["metrics"]["namedScores"]
