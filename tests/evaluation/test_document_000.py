"""The scenarios of document 000 (rubric-evaluator), one test each."""

import pytest
from judge_server import JudgeServer
from suites import Folder

from rubric_core.evaluation.result import Verdict

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


async def test_range_rubrics_constrain_scoring(folder: Folder, judge: JudgeServer) -> None:
    judge.replies = ['{"checks": [{"id": "facts", "score": 8}, {"id": "style", "score": 5}]}']
    result = await run(folder, judge, *RANGES)
    sent = judge.bodies[0]
    assert "whole number from 0 to 10" in sent["messages"][0]["content"]
    score = sent["response_format"]["json_schema"]["schema"]["properties"]["checks"]["items"]["properties"]["score"]
    assert score == {"type": "integer", "minimum": 0, "maximum": 10}
    assert [c.score for c in result.evaluators[0].criteria] == [0.8, 0.5]
    assert result.score == pytest.approx(0.7)


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


async def test_pass_verdict(folder: Folder, judge: JudgeServer) -> None:
    assert await verdict_of(folder, judge, 8) is Verdict.PASSED
    assert await verdict_of(folder, judge, 10, required=True) is Verdict.PASSED


async def test_fail_verdict(folder: Folder, judge: JudgeServer) -> None:
    assert await verdict_of(folder, judge, 5) is Verdict.FAILED
    assert await verdict_of(folder, judge, 0, required=True) is Verdict.FAILED


@pytest.mark.parametrize("raw", [6, 7])
async def test_borderline_verdict(folder: Folder, judge: JudgeServer, raw: int) -> None:
    assert await verdict_of(folder, judge, raw) is Verdict.BORDERLINE


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
