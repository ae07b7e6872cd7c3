"""Scores worked out by hand from what the dialects say, over whole runs: weights, gates, composites, judges, turns, repeats."""

import json

import pytest
from suites import Folder

OK, NO = "{type: contains, name: ok%s, value: x%s}", "{type: contains, name: no%s, value: nope%s}"
HALF = f"{OK % (1, '')}, {NO % (1, '')}"
P, Q = "{id: p, outcome: one, weight: 2}", "{id: q, outcome: two, required: false}"
BANDS = "{id: %s, outcome: o, weight: %s, score_ranges: {0: bad, 5: good}}"
THREE = [OK % (1, ""), OK % (2, ""), NO % (1, "")]
FOUR = [*(OK % (n, ", required: true") for n in range(4)), NO % (1, "")]


def composite(members: str, aggregator: str, more: str = "", name: str = "c") -> str:
    return f"{{type: composite, name: {name}, assertions: [{members}], aggregator: {aggregator}{more}}}"


def rubric(*criteria: str, more: str = "") -> str:
    return f"{{type: rubrics, name: r, criteria: [{', '.join(criteria)}]{more}}}"


def said(**found: float) -> str:
    kind = "satisfied" if all(isinstance(v, bool) for v in found.values()) else "score"
    return json.dumps({"checks": [{"id": i, kind: v} for i, v in found.items()], "overall_reasoning": "o"})


INNER = composite(HALF, "{type: weighted_average}", name="i")
#: Evaluators, what the judge says, verdict, and score.
ROWS = [
    (f"{OK % (1, ', weight: 3')}, {NO % (1, '')}", "", "failed", 0.75),
    (f"{OK % (1, '')}, {NO % (1, ', weight: 0')}", "", "passed", 1.0),
    (OK % (1, ", weight: 0"), "", "failed", 0.0),
    (f"{OK % (1, '')}, {NO % (1, ', required: true, weight: 0')}", "", "failed", 0.0),
    (", ".join(FOUR), "", "passed", 0.8),
    (", ".join([*FOUR[:4], NO % (1, ", min_score: 0.9")]), "", "passed", 0.8),
    (NO % (1, ", negate: true"), "", "passed", 1.0),
    (composite(HALF, "{type: weighted_average, weights: {ok1: 3}}"), "", "failed", 0.75),
    (composite(HALF, "{type: weighted_average}", ", required: true, min_score: 0.6"), "", "failed", 0.0),
    (composite(", ".join([*THREE, NO % (2, "")]), "{type: weighted_average, weights: {ok1: 0, ok2: 0}}", ", negate: true"), "", "passed", 1.0),
    (composite(", ".join(THREE), "{type: threshold, threshold: 0.6}"), "", "failed", 2 / 3),
    (composite(f"{INNER}, {NO % (2, ', negate: true')}", "{type: weighted_average, weights: {i: 2}}"), "", "failed", 2 / 3),
    (composite(OK % (1, ""), "{type: weighted_average, weights: {ok1: 0}}"), "", "failed", 0.0),
    (rubric(P, Q), said(p=True, q=False), "failed", 2 / 3),
    (rubric(BANDS % ("p", 2), BANDS % ("q", 1)), said(p=8, q=5), "failed", 0.7),
    (rubric(P, Q), said(p=True, q=True, other=False), "passed", 1.0),
    (rubric(P, Q), said(p=True), "unscored", None),
    (rubric(P), '{"checks": [{"id": "p", "satisfied": true}, {"id": "p", "satisfied": false}]}', "unscored", None),
    (rubric(BANDS % ("p", 1)), '{"checks": [{"id": "p", "score": true}]}', "unscored", None),
    (rubric(P), f"So:\n```json\n{said(p=True)}\n```\n```\nmore\n```", "passed", 1.0),
    (f"{rubric(P, more=', required: true')}, {OK % (1, '')}", "no", "unscored", None),
    (f"Says x clearly, Says y clearly, {NO % (1, '')}", said(**{"rubric-1": True, "rubric-2": True}), "failed", 2 / 3),
]  # fmt: skip
TURNS = "tests:\n  - id: a\n    mode: conversation\n    input: hi\n    criteria: c\n    %s\n    turns:\n%s"
YES, NOT = (f"      - {{input: a, assertions: [{{type: contains, value: {value}}}]}}\n" for value in ("x", "nope"))
#: Suites, verdict, and score.
SUITES = [
    (TURNS % ("metadata: {}", YES + NOT + "      - {input: c}\n"), "failed", 2 / 3),
    (TURNS % ("aggregation: max", YES + NOT), "passed", 1.0),
    (TURNS % ("on_turn_failure: stop", YES + NOT + YES + YES), "failed", 0.25),
    (TURNS % ("assertions: [{type: contains, value: x}]", YES + NOT), "failed", 2 / 3),
]


@pytest.mark.parametrize(("evaluators", "judged", "verdict", "score"), ROWS)
async def test_of_evaluators(folder: Folder, evaluators: str, judged: str, verdict: str, score: float | None) -> None:
    judge = {"name": "j", "provider": "mock", "response": judged}
    folder.targets({"name": "default", "provider": "mock", "response": "x", "grader_target": "j"}, judge)
    text = f"tests:\n  - {{id: a, input: hi, criteria: c, assertions: [{evaluators}]}}\n"
    result = await folder.one(text, "agentv-3")
    assert (result.verdict.value, result.score) == (verdict, score if score is None else pytest.approx(score))


@pytest.mark.parametrize(("text", "verdict", "score"), SUITES)
async def test_of_turns(folder: Folder, text: str, verdict: str, score: float) -> None:
    folder.mock("x")
    result = await folder.one(text, "agentv-3")
    assert (result.verdict.value, result.score) == (verdict, pytest.approx(score))


@pytest.mark.parametrize(
    ("mode", "second", "third"),
    [("skip", "unscored", "unscored"), ("fail", "failed", "unscored"), ("run", "passed", "passed")],
)
async def test_of_cases_that_depend_on_one_without_a_score(folder: Folder, mode: str, second: str, third: str) -> None:
    folder.mock("x")
    row = "  - {id: %s, input: hi, criteria: c, assertions: [{type: contains, value: %s}]%s}\n"
    judged = "  - {id: a, input: hi, criteria: c, assertions: [Is good]}\n"
    text = "tests:\n" + judged + row % ("b", "x", f", depends_on: [a], on_dependency_failure: {mode}")
    results = await folder.run(text + row % ("c", "x", ", depends_on: [b]"), "agentv-3")
    assert [results[name].verdict.value for name in "abc"] == ["unscored", second, third]
