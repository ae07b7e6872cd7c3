"""The scenarios of document 000 (rubric-evaluator), one test each."""

import pytest
from judge_server import JudgeServer
from suites import LANGUAGE, Folder

from rubric_core.evaluation.cases.load import InvalidSuiteError, load_suite
from rubric_core.evaluation.model.result import Verdict

SUITE = """
# rubric: dialect=agentv-1
evalcases:
  - id: essay
    expected_outcome: A short essay on tides
    input: Explain tides.
    rubrics:
{rubrics}
"""


def suite(*rubrics: str) -> str:
    return SUITE.replace("{rubrics}", "\n".join(f"      - {line}" for line in rubrics))


CHECKLIST = (
    "{id: moon, description: Names the Moon, weight: 2, required: false}",
    "{id: length, description: Is short, weight: 1, required: false}",
)
RANGES = (
    "{id: facts, weight: 2, score_ranges: [{score_range: [0, 4], expected_outcome: wrong}, {score_range: [5, 10], expected_outcome: right}]}",
    "{id: style, weight: 1, score_ranges: [{score_range: [0, 4], expected_outcome: dull}, {score_range: [5, 10], expected_outcome: lively}]}",
)


async def run(folder: Folder, judge: JudgeServer, *rubrics: str):
    folder.targets({"name": "default", "provider": "mock", "response": "The Moon pulls."}, judge.target())
    return await folder.one(suite(*rubrics), grader_target="judge")


@pytest.mark.requirement("two-kinds-of-criteria", "checks-still-work")
async def test_checklist_rubrics_continue_to_work(folder: Folder, judge: JudgeServer) -> None:
    judge.replies = [
        '{"checks": [{"id": "moon", "satisfied": true, "reasoning": "yes"}, {"id": "length", "satisfied": false, "reasoning": "no"}], "overall_reasoning": "so so"}'
    ]
    result = await run(folder, judge, *CHECKLIST)
    assert result.score == pytest.approx(2 / 3)
    assert 0 <= result.score <= 1
    assert result.verdict is Verdict.BORDERLINE
    (rubric,) = result.evaluators
    assert [c.verdict for c in rubric.criteria] == [Verdict.PASSED, Verdict.FAILED]
    assert (rubric.hits, rubric.misses) == (("Names the Moon",), ("Is short",))


@pytest.mark.requirement("two-kinds-of-criteria", "scores-per-criterion", "ranges-bind-the-judge")
async def test_range_rubrics_constrain_scoring(folder: Folder, judge: JudgeServer) -> None:
    judge.replies = ['{"checks": [{"id": "facts", "score": 8}, {"id": "style", "score": 5}]}']
    result = await run(folder, judge, *RANGES)
    sent = judge.bodies[0]
    assert "whole number from 0 to 10" in sent["messages"][0]["content"]
    score = sent["response_format"]["json_schema"]["schema"]["properties"]["checks"]["items"]["properties"]["score"]
    assert score == {"type": "integer", "minimum": 0, "maximum": 10}
    assert [c.score for c in result.evaluators[0].criteria] == [0.8, 0.5]
    assert result.score == pytest.approx(0.7)


@pytest.mark.requirement("bad-ranges-are-refused")
@pytest.mark.parametrize(
    ("ranges", "rule"),
    [
        (
            "[{score_range: [0, 5], expected_outcome: a}, {score_range: [5, 10], expected_outcome: b}]",
            "overlapping-bands: score 5 belongs to two bands",
        ),
        (
            "[{score_range: [0, 5], expected_outcome: a}, {score_range: [6, 11], expected_outcome: b}]",
            "band-bounds: 11 is outside 0..10",
        ),
        (
            "[{score_range: [0, 5], expected_outcome: a}, {score_range: [7, 10], expected_outcome: b}]",
            "gapped-bands: score 6 belongs to no band",
        ),
    ],
)
async def test_invalid_range_rubrics_are_rejected(folder: Folder, judge: JudgeServer, ranges: str, rule: str) -> None:
    result = await run(folder, judge, f"{{id: facts, score_ranges: {ranges}}}")
    assert result.verdict is Verdict.UNSCORED
    assert "line 8" in result.reason
    assert rule in result.reason
    assert judge.bodies == []


FILE_LEVEL = """
# rubric: dialect=agentv-1
execution:
  evaluators:
    - name: shared
      type: rubric
      rubrics:
        - {{id: facts, {key}: {ranges}}}
evalcases:
  - {{id: essay, expected_outcome: A short essay on tides, input: Explain tides.}}
"""


@pytest.mark.requirement("bad-ranges-are-refused")
@pytest.mark.parametrize("key", ["score_ranges", "score_rubric"])
@pytest.mark.parametrize(
    ("bounds", "rule"),
    [
        (((0, 5), (5, 10)), "overlapping-bands: score 5 belongs to two bands"),
        (((0, 5), (6, 11)), "band-bounds: 11 is outside 0..10"),
        (((0, 5), (7, 10)), "gapped-bands: score 6 belongs to no band"),
        (((1, 5), (6, 10)), "gapped-bands: score 0 belongs to no band"),
    ],
)
def test_loading_a_suite_with_invalid_ranges_fails_and_names_the_rule(
    folder: Folder, key: str, bounds: tuple[tuple[int, int], ...], rule: str
) -> None:
    """The document calls them `score_rubric` here and `score_ranges` everywhere else."""
    ranges = ", ".join(f"{{score_range: [{low}, {high}], expected_outcome: band {low}}}" for low, high in bounds)
    path = folder.suite(FILE_LEVEL.format(key=key, ranges=f"[{ranges}]"))
    with pytest.raises(InvalidSuiteError, match=rf"suite.eval.yaml:8: {rule}"):
        load_suite(path, LANGUAGE, strict=True)


@pytest.mark.requirement("schema-of-ranges")
@pytest.mark.parametrize(
    "reply",
    [
        '{"checks": [{"id": "facts", "score": 8}, {"id": "style", "score": 5}]}',
        '{"checks": [{"id": "style", "score": 5, "reasoning": "dull"}, {"id": "facts", "score": 8}], "overall_reasoning": "fine"}',
        '{"checks": [{"id": "facts", "score": 8, "confidence": 1}, {"id": "style", "score": 5}], "mood": "good"}',
    ],
    ids=["no reasoning", "in another order", "keys that nobody asked for"],
)
async def test_what_the_schema_leaves_open_may_be_there_or_not(folder: Folder, judge: JudgeServer, reply: str) -> None:
    judge.replies = [reply]
    result = await run(folder, judge, *RANGES)
    assert len(judge.bodies) == 1, "it is not asked again"
    assert result.score == pytest.approx(0.7)
    assert result.evaluators[0].details == {
        "raw_scores": {"facts": 8, "style": 5},
        "normalization": "score / 10",
        "aggregation": "weighted_average",
    }


@pytest.mark.requirement("replies-are-validated", "schema-of-ranges")
@pytest.mark.parametrize(
    "reply",
    [
        '{"checks": [{"id": "facts", "score": 7.5}, {"id": "style", "score": 5}]}',
        '{"checks": [{"id": "facts", "score": 11}, {"id": "style", "score": 5}]}',
        '{"checks": [{"id": "facts", "score": -1}, {"id": "style", "score": 5}]}',
        '{"checks": [{"id": "facts", "score": "8"}, {"id": "style", "score": 5}]}',
        '{"checks": [{"id": "facts", "score": true}, {"id": "style", "score": 5}]}',
        '{"checks": [{"id": "facts"}, {"id": "style", "score": 5}]}',
        '{"checks": [{"id": "facts", "score": 8}]}',
        '{"checks": {}}',
        "Both are fine.",
    ],
)
async def test_range_rubric_output_schema(folder: Folder, judge: JudgeServer, reply: str) -> None:
    good = '{"checks": [{"id": "facts", "score": 8, "reasoning": "ok"}, {"id": "style", "score": 5}], "overall_reasoning": "fine"}'
    judge.replies = [reply, good]
    result = await run(folder, judge, *RANGES)
    assert result.score == pytest.approx(0.7)
    assert len(judge.bodies) == 2
    assert "cannot be used" in judge.bodies[1]["messages"][-1]["content"]
    judge.bodies.clear()
    judge.replies = [reply]
    result = await run(folder, judge, *RANGES)
    assert (result.verdict, result.score) == (Verdict.UNSCORED, None)
    assert len(judge.bodies) == 3
    assert "3 tries" in result.reason


@pytest.mark.requirement("minimum-fails")
async def test_no_mean_makes_up_for_a_gate(folder: Folder, judge: JudgeServer) -> None:
    gated = RANGES[0].replace("weight: 2", "weight: 2, required_min_score: 9")
    folder.targets({"name": "default", "provider": "mock", "response": "The Moon pulls."}, judge.target())
    judge.replies = [
        '{"checks": [{"id": "facts", "score": 8}, {"id": "style", "score": 10}]}',
        '{"checks": [{"id": "facts", "score": 10}, {"id": "style", "score": 10}]}',
    ]
    result = await folder.one(suite(gated, RANGES[1]), grader_target="judge", repeat=2)
    assert result.score == pytest.approx((26 / 30 + 1) / 2)
    assert (result.verdict, result.details["trials"]["passed"]) == (Verdict.FAILED, 1)
    assert "facts" in result.reason


@pytest.mark.requirement("minimum-fails")
async def test_required_min_score_gates_the_verdict_and_leaves_the_score(folder: Folder, judge: JudgeServer) -> None:
    gated = RANGES[0].replace("weight: 2", "weight: 2, required_min_score: 6")
    judge.replies = ['{"checks": [{"id": "facts", "score": 5}, {"id": "style", "score": 10}]}']
    result = await run(folder, judge, gated, RANGES[1])
    assert result.score == pytest.approx(2 / 3)
    assert result.verdict is Verdict.FAILED
    assert result.evaluators[0].gate == "facts"
    judge.replies = ['{"checks": [{"id": "facts", "score": 6}, {"id": "style", "score": 10}]}']
    judge.bodies.clear()
    result = await run(folder, judge, gated, RANGES[1])
    assert result.verdict is Verdict.BORDERLINE


async def verdict_of(folder: Folder, judge: JudgeServer, raw: int, *, required: bool = False) -> Verdict:
    judge.replies = [f'{{"checks": [{{"id": "facts", "score": {raw}}}]}}']
    result = await run(folder, judge, RANGES[0].replace("weight: 2", f"required: {str(required).lower()}"))
    assert result.score == raw / 10
    return result.verdict


@pytest.mark.requirement("verdict-pass")
async def test_pass_verdict(folder: Folder, judge: JudgeServer) -> None:
    assert await verdict_of(folder, judge, 8) is Verdict.PASSED
    assert await verdict_of(folder, judge, 10, required=True) is Verdict.PASSED


@pytest.mark.requirement("verdict-fail")
async def test_fail_verdict(folder: Folder, judge: JudgeServer) -> None:
    assert await verdict_of(folder, judge, 5) is Verdict.FAILED
    assert await verdict_of(folder, judge, 0, required=True) is Verdict.FAILED


@pytest.mark.requirement("verdict-borderline")
@pytest.mark.parametrize("raw", [6, 7])
async def test_borderline_verdict(folder: Folder, judge: JudgeServer, raw: int) -> None:
    assert await verdict_of(folder, judge, raw) is Verdict.BORDERLINE


@pytest.mark.requirement("verdict-of-score", "verdict-pass", "verdict-fail", "verdict-borderline")
@pytest.mark.parametrize(
    ("facts", "style", "verdict"),
    [
        (8, 8, "passed"),  # 0.8
        (9, 6, "passed"),  # (9 · 2 + 6) / 30 = 0.8
        (9, 5, "borderline"),
        (5, 8, "borderline"),  # (5 · 2 + 8) / 30 = 0.6
        (5, 7, "failed"),
    ],
)
async def test_the_edges_of_the_verdicts_belong_to_the_better_one(
    folder: Folder, judge: JudgeServer, facts: int, style: int, verdict: str
) -> None:
    judge.replies = [f'{{"checks": [{{"id": "facts", "score": {facts}}}, {{"id": "style", "score": {style}}}]}}']
    result = await run(folder, judge, *RANGES)
    assert result.score == pytest.approx((2 * facts + style) / 30)
    assert (result.verdict.value, result.evaluators[0].verdict.value) == (verdict, verdict)


@pytest.mark.requirement("verdict-of-score", "verdict-pass")
async def test_a_required_item_that_is_not_met_fails_a_high_score(folder: Folder, judge: JudgeServer) -> None:
    judge.replies = ['{"checks": [{"id": "moon", "satisfied": true}, {"id": "length", "satisfied": false}]}']
    result = await run(
        folder,
        judge,
        "{id: moon, description: Names the Moon, weight: 9}",
        "{id: length, description: Is short, weight: 1, required: true}",
    )
    assert result.score == 0.9
    assert result.verdict is Verdict.FAILED
    assert "length" in result.reason
