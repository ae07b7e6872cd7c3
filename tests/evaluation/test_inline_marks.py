"""Marks behind the lines of a suite: short, at the right line, the same words everywhere."""

import json
import textwrap

import pytest
from judge_server import JudgeServer
from suites import LANGUAGE, Folder, checks

from rubric_core.adapters import system_ports
from rubric_core.analysis import analyze
from rubric_core.cli.annotated_suite import AnnotatedSuite
from rubric_core.cli.terminal_style import TerminalStyle
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import CaseResult, CriterionResult, EvaluatorResult, Verdict
from rubric_core.evaluation.reporting.inline_marks import (
    LONGEST,
    Mark,
    case_words,
    criterion_words,
    evaluator_words,
    marks_of,
    seconds_words,
    shortened,
)
from rubric_core.evaluation.reporting.summary import CaseMark, Summary
from rubric_core.lazy_compilation import replace
from rubric_core.text import Span

SUITE = """
assertions:
  - {type: contains, value: days}
tests:
  - id: refund
    criteria: Explains the refund window
    input: Can I return this?
    assertions:
      - Mentions the 30 day window
      - type: rubrics
        criteria:
          - id: tone
            min_score: 0.6
            score_ranges: {0: rude, 3: curt, 7: warm}
          - id: clear
            outcome: Is clear
      - Is short
      - type: icontains
        value: Refund
"""


async def test_marks_stand_where_their_parts_are_written(folder: Folder, judge: JudgeServer) -> None:
    folder.targets(
        {"name": "default", "provider": "mock", "response": "30 days", "grader_target": "judge"}, judge.target()
    )
    judge.replies = [
        lambda body: checks(tone=4, clear=9) if "tone" in json.dumps(body) else checks(rubric_1=True, rubric_2=False)
    ]
    (case,) = folder.cases(SUITE)
    async with system_ports({}) as ports:
        (result,) = await run_cases([case], ports)
    lines = textwrap.dedent(SUITE).splitlines()
    found = [
        (lines[case.line_at(m.span.start) - 1].strip(), m.text.partition("  ")[0] if m.what == "case" else m.text)
        for m in marks_of(case, result)
    ]
    assert found == [
        ("- {type: contains, value: days}", "✔"),
        ("- id: refund", f"✘ {result.score:.2f}"),
        ("- Mentions the 30 day window", "✔"),
        ("- type: rubrics", "✘ 0.65"),
        ("- id: tone", "✘ 4/10 → 0.40  min 0.6"),
        ("score_ranges: {0: rude, 3: curt, 7: warm}", "3–6 curt"),
        ("- id: clear", "✔ 9/10 → 0.90"),
        ("- Is short", "✘ required"),
        ("- type: icontains", "✘"),
    ]
    assert all(len(m.text) <= LONGEST for m in marks_of(case, result))
    assert [m.note for m in marks_of(case, result) if m.what == "criterion"][1] == "about tone"


async def test_a_result_of_an_older_text_marks_only_the_case(folder: Folder) -> None:
    folder.mock("x")
    text = "tests: [{id: a, criteria: c, input: hi, assertions: [{type: contains, value: x}]}]"
    result = await folder.one(text)
    (case,) = folder.cases(text.replace("assertions: [", "assertions: [{type: is-json}, "))
    assert [m.what for m in marks_of(case, result)] == ["case"]


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (CaseResult(id="a", verdict=Verdict.PASSED, score=0.92, duration_ms=1400), "✔ 0.92  1.4s"),
        (
            CaseResult(id="a", verdict=Verdict.BORDERLINE, score=0.7, duration_ms=12_000, cost_usd=0.0021),
            "◐ 0.70  12s  $0.0021",
        ),
        (
            CaseResult(id="a", verdict=Verdict.UNSCORED, reason="no judge is configured and no recording"),
            "○ unscored: no judge is configured and no …",
        ),
    ],
)
def test_words_of_a_case(result: CaseResult, words: str) -> None:
    assert case_words(result) == words
    assert len(words) <= LONGEST


def test_words_of_an_evaluator() -> None:
    def said(**fields) -> str:
        return evaluator_words(
            EvaluatorResult(
                **{"name": "e", "type": "t", "verdict": Verdict.FAILED, "score": 0.5, "minimum": 0.8, **fields}
            )
        )

    assert said() == "✘ 0.50"
    assert said(required=True) == "✘ 0.50  min 0.8"
    assert said(score=0.0) == "✘"
    assert said(score=None, verdict=Verdict.UNSCORED, reason="no judge") == "○ unscored: no judge"


def test_times_and_cuts() -> None:
    assert [seconds_words(ms) for ms in (None, 0.2, 40, 1400, 12_000, 240_000)] == [
        "",
        "",
        "40ms",
        "1.4s",
        "12s",
        "4min",
    ]
    assert shortened("a\n b", 10) == "a b"
    assert shortened("abcdef", 4) == "abc…"


async def test_members_of_sets_and_strings_of_the_suite_have_their_lines(folder: Folder) -> None:
    folder.mock("b")
    text = textwrap.dedent(
        """
        assertions:
          - Is kind
        tests:
          - id: a
            criteria: c
            input: hi
            assertions:
              - name: both
                type: composite
                aggregator: {type: weighted_average}
                assertions:
                  - {type: contains, value: a}
                  - {type: contains, value: b}
              - {name: one, type: composite, aggregator: {type: threshold, threshold: 1}, assertions: [{type: contains, value: b}]}
        """
    )
    result = await folder.one(text)
    (case,) = folder.cases(text)
    marks = [(case.line_at(m.span.start), m.text[:6]) for m in marks_of(case, result) if m.what != "case"]
    assert marks == [(3, "○ unsc"), (9, "✘ 0.50"), (13, "✘"), (14, "✔"), (15, "✔")]


FILE_LEVEL = """
# rubric: dialect=agentv-1
execution:
  evaluators:
    - name: shared
      type: rubric
      rubrics:
        - {id: tone, expected_outcome: Stays polite, required_min_score: 5, score_ranges: {0: rude, 5: polite}}
        - {id: depth, expected_outcome: Explains why, required: false}
evalcases:
  - {id: one, expected_outcome: x, input: one}
  - {id: two, expected_outcome: x, input: two}
"""


async def test_the_lines_of_a_rubric_for_every_case_say_what_all_cases_made_of_it(
    folder: Folder, judge: JudgeServer
) -> None:
    folder.targets({"name": "default", "provider": "mock", "response": "x", "grader_target": "judge"}, judge.target())
    judge.replies = [checks(tone=3, depth=9), checks(tone=8, depth=10)]
    text = textwrap.dedent(FILE_LEVEL).lstrip()
    path = folder.suite(text)
    cases = folder.cases(text)
    async with system_ports({}) as ports:
        results = await run_cases(cases, ports, workers=1)
    analysis = analyze(LANGUAGE.document(path.read_text()), LANGUAGE)
    shown = [
        " ".join(line.split())
        for line in AnnotatedSuite(analysis, TerminalStyle(colour=False), 120).lines(cases, results)
    ]
    assert shown[3] == "- name: shared ✘ 1/2 cases 0.75 on average"
    assert shown[6].endswith("✘ 1/2 cases 5.5/10 on average")
    assert shown[7].endswith("✔ 2/2 cases 9.5/10 on average")


def mark_of(verdict: Verdict, score: float | None, raw: int | None = None) -> Mark:
    result = CriterionResult(id="a", outcome="A", verdict=verdict, score=score, raw=raw)
    return Mark(Span(0, 1), verdict, criterion_words(result), result=result)


def test_a_summary_counts_what_comes_and_goes() -> None:
    summary = Summary()
    summary.put(CaseMark("a", mark_of(Verdict.PASSED, 0.9, 9)))
    assert summary.words == "✔ 9/10 → 0.90", "of one case alone the mark is its own"
    summary.put(CaseMark("b", mark_of(Verdict.UNSCORED, None)))
    assert summary.words == "○ 1/2 cases  9.0/10 on average", "what has no score is not part of the mean"
    summary.put(CaseMark("c", mark_of(Verdict.FAILED, 0.2, 2)))
    summary.put(CaseMark("d", mark_of(Verdict.PASSED, 1.0, 10), stale=True))
    summary.put(CaseMark("e"))
    assert summary.words == "✘ 1/3 cases  5.5/10 on average  ◌ 1 stale …"
    assert [each.case for each in summary.worst(9)] == ["c", "b", "a", "d", "e"]
    for name in "abc":
        summary.drop(name)
    assert summary.words == "⟳ 1 running"
    summary.drop("e")
    assert (summary.words, summary.verdict, summary.mark) == ("◌ stale in 1 case", None, None)
    summary.put(CaseMark("d", mark_of(Verdict.PASSED, 1.0)))
    summary.put(CaseMark("f", mark_of(Verdict.PASSED, 1.0)))
    assert summary.words == "✔ 2/2 cases", "where all have everything there is no mean to tell"


def test_equal_results_are_listed_by_the_ids_of_their_cases_whichever_came_first() -> None:
    for names in ("ab", "ba"):
        summary = Summary()
        for name in names:
            summary.put(CaseMark(name, replace(mark_of(Verdict.FAILED, 0.0), error=True)))
        assert [each.case for each in summary.worst(9)] == ["a", "b"]
        assert [each.case for each in summary.broken] == ["a", "b"]


async def test_what_a_suite_in_one_line_gives_to_its_cases_is_told_from_what_is_theirs(folder: Folder) -> None:
    folder.mock("x")
    text = "{tests: [{id: a, criteria: c, input: hi, assertions: [{type: contains, value: x}]}], assertions: [{type: contains, value: y}]}"
    (case,) = folder.cases(text)
    assert [case.inherits(each) for each in case.evaluators] == [False, True]
    marks = marks_of(case, await folder.one(text))
    assert [(m.text, m.inherited) for m in marks if m.of is not None] == [("✔", False), ("✘", True)]


async def test_strings_of_case_and_suite_are_marked_where_each_stands(folder: Folder) -> None:
    folder.mock("x")
    text = "assertions: [Is kind]\ntests:\n  - id: a\n    criteria: c\n    input: hi\n    assertions: [Is short]\n"
    (case,) = folder.cases(text)
    marks = [m for m in marks_of(case, await folder.one(text)) if m.of is not None]
    assert [(case.line_at(m.span.start), m.inherited) for m in marks] == [(1, True), (6, False)]


async def test_what_an_editor_says_of_tests_that_did_not_pass(folder: Folder) -> None:
    from rubric_lsp.features.explorer_items import messages, skipped_tests

    text = """
    tests:
      - {id: good, criteria: c, input: hi, assertions: [{type: contains, value: Hello}]}
      - {id: bad, criteria: c, input: hi, assertions: [{type: contains, value: Bye}, {type: is-json}]}
      - {id: broken, criteria: c, input: "${{ NOBODY }}", assertions: [{type: contains, value: Hello}]}
      - {id: after, criteria: c, input: hi, depends_on: [broken], assertions: [{type: contains, value: Hello}]}
    """
    folder.mock("Hello there")
    cases = {case.id: case for case in folder.cases(text)}
    results = await folder.run(text)
    assert messages(cases["good"], results["good"], "Hello") == []
    short, *parts = messages(cases["bad"], results["bad"], "Bye now")
    assert (short.severity, short.expected, short.actual) == ("error", "Bye now", "Hello there")
    assert {(each.expected, each.actual) for each in parts} == {("", "")}
    assert len(parts) == 2
    assert messages(cases["bad"], results["bad"])[0].actual == ""
    assert [messages(cases[name], results[name])[0].severity for name in ("broken", "after")] == ["warning"] * 2
    assert [name for name, result in results.items() if skipped_tests(result)] == ["after"]
