"""The comparison finds what differs, and nothing else: each assertion has its counterexample."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from .assessment import assess
from .compare import compare_cases, kind_of
from .judge import REPLY_MODES, TEXT_MODES, judge_reply
from .known import Known, read_known, write_known
from .outcome import CaseOutcome, CriterionOutcome, EvaluatorOutcome, SuiteOutcome, keyed
from .payloads import compare_captured, compare_values
from .requests import compare_requests
from .run import Comparison
from .server import Request

RUBRIC = EvaluatorOutcome("r", "rubrics", 0.6, "failed", {"a": CriterionOutcome(True, 6), "b": CriterionOutcome(False)})
CASE = CaseOutcome("one", "default", "failed", 0.6, "an answer", (RUBRIC,))


FOLDERS = {"agentv": Path("/a"), "rubric": Path("/r")}


def differences(other: CaseOutcome) -> list[str]:
    return [str(d) for d in compare_cases({"one": CASE}, {"one": other})]


def with_evaluator(**changes: Any) -> CaseOutcome:
    return replace(CASE, evaluators=(replace(RUBRIC, **changes),))


@pytest.mark.parametrize(
    ("other", "found"),
    [
        (CASE, []),
        (replace(CASE, score=0.6 + 1e-9), []),
        (replace(CASE, score=0.61), ["score: agentv 0.6, rubric 0.61"]),
        (replace(CASE, score=None), ["score: agentv 0.6, rubric none"]),
        (replace(CASE, verdict="passed"), ["verdict: agentv failed, rubric passed"]),
        (replace(CASE, answer="another"), ["answer: agentv 'an answer', rubric 'another'"]),
        (replace(CASE, evaluators=()), ["evaluators: agentv [r], rubric []"]),
        (with_evaluator(name="q"), ["rubrics:q name: agentv r, rubric q"]),
        (with_evaluator(score=None), ["rubrics:r score: agentv 0.6, rubric none"]),
        (with_evaluator(verdict="passed"), ["rubrics:r verdict: agentv failed, rubric passed"]),
        (with_evaluator(criteria={"a": CriterionOutcome(True, 6)}), ["rubrics:r criterion b: agentv not met, rubric absent"]),
        (with_evaluator(criteria={**RUBRIC.criteria, "a": CriterionOutcome(True, 7)}), ["rubrics:r points of criterion a: agentv 6, rubric 7"]),
        (with_evaluator(criteria={**RUBRIC.criteria, "b": CriterionOutcome(True)}), ["rubrics:r criterion b: agentv not met, rubric met"]),
        (with_evaluator(members=(RUBRIC,)), ["rubrics:r evaluators: agentv [], rubric [r]"]),
    ],
)  # fmt: skip
def test_what_differs_between_cases(other: CaseOutcome, found: list[str]) -> None:
    assert differences(other) == found


@pytest.mark.parametrize(
    ("printed", "kind"),
    [
        ("case: agentv absent, rubric failed", "case presence"),
        ("verdict: agentv failed, rubric passed", "case verdict"),
        ("verdict: agentv failed, rubric unscored", "case unscored"),
        ("score: agentv 0.6, rubric 0.7", "case score"),
        ("score: agentv none, rubric 0.7", "case unscored"),
        ("answer: agentv 'a', rubric 'b'", "answer"),
        ("evaluators: agentv [r], rubric []", "evaluator list"),
        ("contains:contains-an answer verdict: agentv failed, rubric passed", "evaluator verdict"),
        ("composite:q/contains:a score: agentv 1, rubric 0", "evaluator score"),
        ("code-grader:g score: agentv 0, rubric none", "evaluator unscored"),
        ("rubrics:q name: agentv r, rubric q", "evaluator list"),
        ("rubrics:r criterion b: agentv not met, rubric absent", "criterion"),
        ("rubrics:r points of criterion a: agentv 6, rubric 7", "criterion"),
        ("payload one.grader calls: agentv 1, rubric 0", "program input"),
        ('request one.judge roles: agentv [["user"]], rubric []', "model request"),
    ],
)
def test_kinds_of_differences(printed: str, kind: str) -> None:
    assert kind_of(printed) == kind


def test_what_is_no_difference_has_no_kind() -> None:
    with pytest.raises(ValueError, match="not a difference"):
        kind_of("the score is 0.6")


def test_a_case_that_only_one_program_ran() -> None:
    assert [str(d) for d in compare_cases({}, {"one": CASE})] == ["case: agentv absent, rubric failed"]


def test_unscored_is_zero_for_agentv_and_none_for_rubric() -> None:
    agentv, rubric = (replace(CASE, verdict="unscored", score=score, evaluators=()) for score in (0, None))
    assert not compare_cases({"one": agentv}, {"one": rubric})
    assert compare_cases({"one": CASE}, {"one": rubric})


def test_cases_of_several_targets_keep_apart() -> None:
    outcomes = [CASE, replace(CASE, target="other")]
    assert list(keyed(outcomes)) == ["one@default", "one@other"]
    assert keyed([CASE, replace(CASE, score=1)]) == {"one": CASE}


@pytest.mark.parametrize(
    ("agentv", "rubric", "found"),
    [
        ({"a": None}, {}, [("a", "null", "absent")]),
        ({"a": 1}, {"a": 1.0}, []),
        ({"a": 1}, {"a": True}, [("a", "1", "true")]),
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}}, [("a.b[1]", "2", "3")]),
        ({"a": [1]}, {"a": []}, [("a", "[1]", "[]")]),
        ("x" * 30 + "one", "x" * 30 + "two", [("", '"…' + "x" * 20 + 'one"', '"…' + "x" * 20 + 'two"')]),
    ],
)
def test_what_differs_between_payloads(agentv: object, rubric: object, found: list[tuple[str, str, str]]) -> None:
    assert list(compare_values(agentv, rubric)) == found


def test_a_program_that_only_one_started() -> None:
    (found,) = compare_captured({"one.grader": [{}]}, {})
    assert (found.case, str(found)) == ("one", "payload one.grader calls: agentv 1, rubric 0")


def test_judges_may_be_instructed_differently_and_asked_only_alike() -> None:
    def asked(program: str, judge: bool, *texts: str) -> Request:
        return Request(program, "s", judge, tuple(zip(("system", "user"), texts, strict=True)))

    same = [asked("agentv", True, "grade", "[[c.j]] x"), asked("rubric", True, "judge", "[[c.j]] x")]
    assert not list(compare_requests(same, "s", FOLDERS))
    assert list(compare_requests([same[0], asked("rubric", True, "judge", "[[c.j]] y")], "s", FOLDERS))
    targets = [asked("agentv", False, "grade", "[[c.j]] x"), asked("rubric", False, "judge", "[[c.j]] x")]
    assert list(compare_requests(targets, "s", FOLDERS))


def comparison(*others: CaseOutcome) -> Comparison:
    agentv, rubric = (SuiteOutcome({c.id: c for c in cases}, {}, 0, "") for cases in ([CASE] * len(others), others))
    return Comparison("suite", agentv, rubric, tuple(compare_cases(agentv.cases, rubric.cases)), frozenset())


def test_only_what_is_known_exactly_is_let_through(tmp_path: Path) -> None:
    changed = comparison(replace(CASE, score=0.7))
    assert "not explained: score: agentv 0.6, rubric 0.7" in "\n".join(assess([changed], {}).failures)
    write_known({}, [changed], tmp_path / "k.yaml")
    known = read_known(tmp_path / "k.yaml")
    assert "no row" in "\n".join(assess([changed], known).failures)
    entry = known["suite"]["one"]
    explained = {"suite": {"one": Known(("some-row",), "", entry.differences)}}
    assert not assess([changed], explained).failures
    assert assess([comparison(replace(CASE, score=0.8))], explained).failures  # another figure
    assert assess([comparison(CASE)], explained).failures  # nothing differs any more
    wrong = {"suite": {"one": Known((), "not mended", entry.differences)}}
    assert "wrong: not mended" in "\n".join(assess([changed], wrong).failures)


def test_reasons_stay_when_figures_are_written_anew(tmp_path: Path) -> None:
    path = tmp_path / "k.yaml"
    write_known({"suite": {"one": Known(("some-row",), "", ("old",))}}, [comparison(replace(CASE, score=0.7))], path)
    assert read_known(path)["suite"]["one"] == Known(("some-row",), "", ("score: agentv 0.6, rubric 0.7",))


def test_the_judge_does_as_it_is_told() -> None:
    system = 'Reply with {"checks": [{"id", "reasoning", "satisfied": true}]}'
    user = "- [a]: A {sat}\n- [b]: B {unsat}"
    good = judge_reply(system, user)
    assert '"id": "a", "satisfied": true' in good
    assert '"id": "b", "satisfied": false' in good
    assert {judge_reply(system, user, [mode]) == good for mode in TEXT_MODES if mode != "nan"} == {False}
    assert {judge_reply(system, user, [mode]) == good for mode in REPLY_MODES} == {True, False}
