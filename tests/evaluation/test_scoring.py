"""Numbers that documents and releases agree on, and how scores become verdicts."""

import dataclasses
import sys

import pytest
from suites import BY_NAME, Folder, Scripted, checks, context, evaluator

from rubric_core.evaluation.evaluators.llm_judge import LlmJudgeEvaluator
from rubric_core.evaluation.model.result import EvaluatorResult, Verdict
from rubric_core.evaluation.reporting.inline_marks import criterion_words
from rubric_core.evaluation.results.stored_rows import result_in, stored_row
from rubric_core.evaluation.scoring.score import at_least, case_outcome, verdict_of, weighted_mean

E2, E27, E4 = (BY_NAME[n].properties for n in ("agentv-1", "agentv-2.7", "agentv-3"))


def result(score: float | None, **fields) -> EvaluatorResult:
    return EvaluatorResult(
        **{"name": "e", "type": "x", "verdict": Verdict.PASSED, "score": score, "minimum": 0.8, **fields}
    )


def test_a_checklist_of_weights_2_and_1_is_0_667_borderline_then_and_failed_now() -> None:
    score = weighted_mean([(1, 2), (0, 1)])
    assert round(score, 3) == 0.667
    assert verdict_of(score, E2, 0.8) is Verdict.BORDERLINE
    assert verdict_of(score, E4, 0.8) is Verdict.FAILED


def test_ranges_of_raw_8_weight_2_and_raw_5_weight_1_are_0_7() -> None:
    assert weighted_mean([(0.8, 2), (0.5, 1)]) == pytest.approx(0.7)


def test_evaluators_of_weights_1_and_0_count_only_the_first() -> None:
    assert case_outcome([result(0.4, weight=1.0), result(1.0, weight=0.0)], E4, 0.8)[:2] == (0.4, Verdict.FAILED)


@pytest.mark.parametrize(("properties", "score"), [(E27, 0.0), (E4, 0.0), (E2, 0.85)])
def test_a_required_evaluator_of_0_7_makes_the_case_0_where_the_dialect_has_that(properties, score: float) -> None:
    outcome = case_outcome([result(0.7, required=True), result(1.0)], properties, 0.8)
    assert outcome.score == pytest.approx(score)
    assert outcome.verdict is (Verdict.FAILED if score == 0 else Verdict.PASSED)


def test_a_gate_fails_the_case_and_leaves_the_score() -> None:
    outcome = case_outcome([result(0.9, gate="tone", verdict=Verdict.FAILED), result(1.0)], E4, 0.8)
    assert (outcome.score, outcome.verdict) == (0.95, Verdict.FAILED)
    assert "tone" in outcome.reason


def test_an_evaluator_without_a_score_leaves_the_case_without_one() -> None:
    outcome = case_outcome([result(None, verdict=Verdict.UNSCORED, reason="no judge"), result(1.0)], E4, 0.8)
    assert (outcome.score, outcome.verdict, outcome.reason) == (None, Verdict.UNSCORED, "e: no judge")
    assert case_outcome([result(None, weight=0.0), result(1.0)], E4, 0.8).score == 1.0, "it counts for nothing"
    assert case_outcome([result(None, weight=0.0, required=True), result(1.0)], E4, 0.8).score is None, "it may gate"


def test_the_mean_of_nothing_is_0() -> None:
    assert weighted_mean([]) == 0
    assert weighted_mean([(1, 0), (1, 0)]) == 0


@pytest.mark.parametrize(("scores", "bound"), [([0.7, 0.1], 0.8), ([0.1] * 6, 0.6)])
def test_sums_of_decimal_fractions_reach_their_bound(scores: list[float], bound: float) -> None:
    assert at_least(sum(scores), bound)
    assert not at_least(bound - 1e-6, bound)


@pytest.mark.parametrize(
    ("score", "three", "two"),
    [
        (0.8, "passed", "passed"),
        (0.79, "borderline", "failed"),
        (0.6, "borderline", "failed"),
        (0.59, "failed", "failed"),
        (1, "passed", "passed"),
        (0, "failed", "failed"),
    ],
)
def test_bands(score: float, three: str, two: str) -> None:
    assert verdict_of(score, E2, 0.8) == three
    assert verdict_of(score, E4, 0.8) == two


@pytest.mark.parametrize(
    ("score", "negated", "verdict"), [("0.25", 0.75, "passed"), ("0.9", pytest.approx(0.1), "failed")]
)
async def test_negate_turns_score_and_verdict_round(folder: Folder, score: str, negated: float, verdict: str) -> None:
    folder.mock("x")
    folder.write("check.py", f'print(\'{{"score": {score}, "hits": ["h"], "misses": ["m"]}}\')')
    result = await folder.one(
        f"tests: [{{id: a, criteria: c, input: hi, assertions: [{{type: code-grader, command: [{sys.executable}, check.py], negate: true}}]}}]"
    )
    (each,) = result.evaluators
    assert (each.score, each.verdict) == (negated, verdict)
    assert (each.hits, each.misses) == (("m",), ("h",))


@pytest.mark.parametrize(
    ("holds", "negate", "shown"),
    [
        (False, "false", ((), ("not: is polite",))),
        (True, "false", (("is polite",), ())),
        (False, "true", (("not: is polite",), ())),
        (True, "true", ((), ("unwanted: is polite",))),
    ],
)
async def test_what_a_program_asserts_is_shown_as_what_was_found(
    folder: Folder, holds: bool, negate: str, shown: object
) -> None:
    folder.mock("x")
    folder.write("check.py", f'print(\'{{"assertions": [{{"text": "is polite", "passed": {str(holds).lower()}}}]}}\')')
    result = await folder.one(
        f"tests: [{{id: a, criteria: c, input: hi, assertions: [{{type: code-grader, command: [{sys.executable}, check.py], negate: {negate}}}]}}]"
    )
    (each,) = result_in(stored_row(result)).evaluators
    assert (each.shown_hits, each.shown_misses) == shown
    assert {*each.hits, *each.misses} == {"is polite"}, "as programs of composites get it"


async def test_a_crash_is_not_turned_into_a_pass(folder: Folder) -> None:
    folder.mock("x")
    folder.write("check.py", "raise SystemExit('broken')")
    result = await folder.one(
        f"tests: [{{id: a, criteria: c, input: hi, assertions: [{{type: code-grader, command: [{sys.executable}, check.py], negate: true}}]}}]"
    )
    assert (result.evaluators[0].score, result.evaluators[0].verdict, result.verdict) == (
        0,
        Verdict.FAILED,
        Verdict.FAILED,
    )


@pytest.mark.parametrize(
    ("options", "suite", "case", "threshold"),
    [
        ({}, "", "", 0.8),
        ({}, "threshold: 0.5", "", 0.5),
        ({}, "threshold: 0.5", "threshold: 0.4", 0.4),
        ({"threshold": 0.2}, "threshold: 0.5", "threshold: 0.4", 0.2),
    ],
)
async def test_the_threshold_of_command_line_case_suite_and_dialect(
    folder: Folder, options: dict, suite: str, case: str, threshold: float
) -> None:
    folder.mock("x")
    text = f"execution: {{{suite}}}\ntests: [{{id: a, criteria: c, input: hi, execution: {{{case}}}, assertions: [{{type: contains, value: x}}, {{type: contains, value: y}}]}}]"
    result = await folder.one(text, **options)
    assert (result.threshold, result.score) == (threshold, 0.5)
    assert result.verdict is (Verdict.PASSED if threshold <= 0.5 else Verdict.FAILED)


async def test_min_score_without_required_concerns_the_evaluator_alone(folder: Folder) -> None:
    folder.mock("x")
    folder.write("check.py", "print('{\"score\": 0.85}')")
    grader = f"type: code-grader, command: [{sys.executable}, check.py], min_score: 0.9"
    result = await folder.one(f"tests: [{{id: a, criteria: c, input: hi, assertions: [{{{grader}}}]}}]")
    assert (result.evaluators[0].verdict, result.verdict) == (Verdict.FAILED, Verdict.PASSED)
    result = await folder.one(f"tests: [{{id: a, criteria: c, input: hi, assertions: [{{{grader}, required: true}}]}}]")
    assert (result.score, result.verdict) == (0.0, Verdict.FAILED)
    assert "0.85" in result.reason


@pytest.mark.parametrize(
    ("dialect", "raw", "gate"),
    [
        ("agentv-1", 6, False),
        ("agentv-1", 1, False),
        ("agentv-1", 0, True),
        ("agentv-3", 9, True),
        ("agentv-3", 10, False),
    ],
)
async def test_a_required_range_criterion_without_minimum_needs_more_than_0_or_10_and_is_met_by_it(
    dialect: str, raw: int, gate: bool
) -> None:
    key = "rubrics" if dialect == "agentv-1" else "criteria"
    kind = "rubric" if dialect == "agentv-1" else "rubrics"
    config = evaluator(
        f"{{name: q, type: {kind}, {key}: [{{id: a, required: true, score_ranges: {{0: bad, 5: good}}}}]}}", dialect
    )
    judge = LlmJudgeEvaluator(resolve_judge_provider=lambda _: Scripted([checks(a=raw)]))
    score = await judge.evaluate(context(config, "x", dialect=dialect))
    assert bool(score.gate) is gate
    (criterion,) = score.criteria
    assert criterion.verdict is (Verdict.FAILED if gate else Verdict.PASSED)
    assert (score.hits, score.misses) == (((), ("a",)) if gate else (("a",), ()))
    assert criterion_words(criterion)[0] == ("✘" if gate else "✔")


@pytest.mark.parametrize(("raw", "shown"), [(6, Verdict.FAILED), (7, Verdict.PASSED)])
async def test_a_range_criterion_without_minimum_is_shown_as_met_from_7_on(raw: int, shown: Verdict) -> None:
    config = evaluator("{type: rubrics, criteria: [{id: a, outcome: A, score_ranges: {0: bad, 5: good}}]}")
    score = await LlmJudgeEvaluator(resolve_judge_provider=lambda _: Scripted([checks(a=raw)])).evaluate(
        context(config, "x")
    )
    assert score.criteria[0].verdict is shown


def test_every_dialect_says_how_it_scores() -> None:
    assert [(d.name, d.properties.verdicts) for d in BY_NAME.values()][:5] == [
        ("agentv-0.1", "none"), ("agentv-0.5", "none"), ("agentv-1", "three"), ("agentv-2.7", "three"), ("agentv-3", "two"),
    ]  # fmt: skip
    assert all(dataclasses.asdict(d.properties)["threshold"] == 0.8 for d in BY_NAME.values())


@pytest.mark.parametrize(
    ("more", "threshold", "written"),
    [
        ("", 0.8, ""),
        ("threshold: 0.5", 0.5, "the suite"),
        ("threshold: 0.5\ndefault_test: {threshold: 0.6}", 0.6, "`default_test`"),
        ("default_test: {threshold: 0.6}\nRUN: {threshold: 0.7}", 0.7, "`run` of the case"),
    ],
)
async def test_the_threshold_in_agentv_5(folder: Folder, more: str, threshold: float, written: str) -> None:
    folder.mock("x")
    suite, _, run = more.partition("RUN: ")
    case = f"{{id: a, assert: [{{type: contains, value: x}}]{f', run: {run}' if run else ''}}}"
    result = await folder.one(f"prompts: [hi]\n{suite}\ntests: [{case}]", "agentv-5")
    assert (result.threshold, result.threshold_from) == (threshold, written)


@pytest.mark.parametrize(("verdict", "expected"), [("fail", "failed"), ("pass", "passed"), ("odd", "passed")])
async def test_a_program_that_aggregates_may_say_the_verdict(folder: Folder, verdict: str, expected: str) -> None:
    folder.mock("x")
    folder.write("sum.py", f"import json; print(json.dumps({{'score': 0.9, 'verdict': '{verdict}'}}))")
    result = await folder.one(
        f"""
        tests:
          - id: a
            criteria: c
            input: hi
            assertions:
              - {{type: composite, name: n, assertions: [{{type: contains, value: x}}], aggregator: {{type: code-grader, path: {sys.executable} sum.py}}}}
        """
    )
    assert (result.evaluators[0].score, result.evaluators[0].verdict.value) == (0.9, expected)


AGGREGATED = """
tests:
  - id: a
    criteria: c
    input: hi
    assertions:
      - type: composite
        name: n
        assertions: [{type: contains, name: m, value: x}, {type: contains, name: n, value: y}]
        aggregator: {type: code-grader, path: PYTHON sum.py}
"""


async def test_what_a_program_that_aggregates_is_told(folder: Folder) -> None:
    folder.mock("x")
    folder.write("sum.py", "import json, sys; print(json.dumps({'score': 1, 'details': json.load(sys.stdin)}))")
    result = await folder.one(AGGREGATED.replace("PYTHON", sys.executable))
    told = (result.evaluators[0].details or {})["results"]
    assert (told["m"]["verdict"], told["n"]["verdict"]) == ("pass", "fail")
    assert told["n"]["assertions"] == [{"text": 'does not contain "y"', "passed": False}]
    assert set(told["m"]) == {"score", "verdict", "assertions", "expectedAspectCount"}


@pytest.mark.parametrize("script", ["print('all good')", 'print(\'{"assertions": [{"text": "a", "passed": true}]}\')'])
async def test_a_program_that_aggregates_has_to_give_a_score(folder: Folder, script: str) -> None:
    folder.mock("x")
    folder.write("sum.py", script)
    result = await folder.one(AGGREGATED.replace("PYTHON", sys.executable))
    assert (result.evaluators[0].score, result.evaluators[0].crashed) == (0, True)


async def test_a_threshold_of_an_evaluator_decides_its_verdict_alone(folder: Folder) -> None:
    folder.mock("x")
    text = "prompts: [hi]\ntests: [{id: a, assert: [{type: python, value: '0.5', threshold: 0.6}, {type: contains, value: x, weight: 3}]}]"
    result = await folder.one(text, "agentv-5")
    assert [e.verdict.value for e in result.evaluators] == ["failed", "passed"]
    assert (result.score, result.verdict.value) == (0.875, "passed")
