"""Marks behind the lines of a suite: short, at the right line, the same words everywhere."""

import json
import textwrap

import pytest
from judge_server import JudgeServer
from suites import Folder, checks

from rubric_core.adapters import system_ports
from rubric_core.evaluation.marks import LONGEST, case_words, evaluator_words, marks_of, seconds_words, shortened
from rubric_core.evaluation.result import CaseResult, EvaluatorResult, Verdict
from rubric_core.evaluation.schedule import run_cases

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
