"""What document 002 (rubric evaluator, agentv-1) says, one test each."""

import json
import re
import sys
from pathlib import Path

import pytest
from harness import analysis_of
from judge_server import JudgeServer
from suites import Folder, Scripted, checks, context, evaluator

from rubric_core.evaluation.evaluators.llm_judge import LlmJudgeEvaluator
from rubric_core.evaluation.model.result import Verdict

CODE_REVIEW = """
# rubric: dialect=agentv-1
name: code-review-eval
execution:
  evaluators:
    - name: review_quality
      type: rubric
      rubrics:
        - id: bug-detection
          expected_outcome: Correctly identifies bugs in the code
          weight: 4.0
          required: true
          score_ranges:
            0: Misses critical bugs or identifies non-issues
            5: Identifies some bugs but misses important ones
            10: Complete and accurate bug identification
        - id: fix-suggestion
          expected_outcome: Provides correct and practical fixes
          weight: 3.0
          score_ranges:
            0: Fixes are incorrect or would cause new bugs
            5: Fixes work but are not optimal
            10: Fixes are correct and follow best practices
        - id: explanation
          expected_outcome: Clearly explains the issues
          weight: 2.0
        - id: security-awareness
          expected_outcome: Identifies security implications
          weight: 2.0
evalcases:
  - id: sql-injection
    expected_outcome: Identifies SQL injection vulnerability
    input:
      - role: user
        content: |
          Review: `query = f"SELECT * FROM users WHERE id = {user_id}"`
"""


def judge_of(*replies: str) -> LlmJudgeEvaluator:
    return LlmJudgeEvaluator(resolve_judge_provider=lambda _: Scripted(list(replies)))


async def rubric(text: str, reply: str):
    return await judge_of(reply).evaluate(context(evaluator(text, "agentv-1"), "an answer", dialect="agentv-1"))


@pytest.mark.requirement("rubric-of-strings", "rubric-of-a-case")
async def test_simple_string_rubrics(folder: Folder, judge: JudgeServer) -> None:
    folder.targets({"name": "default", "provider": "mock", "response": "42"}, judge.target())
    judge.replies = [checks(rubric_1=True, rubric_2=True, rubric_3=False)]
    result = await folder.one(
        """
        # rubric: dialect=agentv-1
        evalcases:
          - id: greeting
            expected_outcome: Friendly greeting
            input: Hello!
            rubrics:
              - Contains the correct answer
              - Explains the reasoning
              - Uses appropriate terminology
        """,
        grader_target="judge",
    )
    assert result.score == pytest.approx(2 / 3)
    assert result.verdict is Verdict.FAILED, "plain strings are required"


@pytest.mark.requirement("rubric-among-evaluators", "rubric-of-objects", "criterion-keys")
async def test_structured_rubrics_default_to_weight_1_and_not_required() -> None:
    text = "name: q\ntype: rubric\nrubrics: [{id: a, expected_outcome: A, weight: 3}, {id: b, expected_outcome: B}]"
    score = await rubric(text, checks(a=True, b=False))
    assert score.score == 0.75
    assert score.gate == ""


def found_in(criterion: str) -> set[tuple[str, str]]:
    """What the check says of a criterion: severity and code."""
    text = "# rubric: dialect=agentv-1\nevalcases:\n  - id: a\n    input: x\n    expected_outcome: y\n    rubrics:\n"
    return {(d.severity, d.code) for d in analysis_of(f"{text}      - {criterion}\n").diagnostics}


@pytest.mark.requirement("criterion-keys")
@pytest.mark.parametrize(
    ("criterion", "found"),
    [
        ("{id: injection, expected_outcome: Names the injection, required: true}", set()),
        ("{expected_outcome: Names the injection, required: true}", {("information", "criterion-without-id")}),
        ("{id: injection, required: true}", {("error", "criterion-without-text")}),
        ("{id: injection, expected_outcome: Names the injection, required: true, weight: heavy}", {("error", "wrong-type")}),
    ],
    ids=["complete", "no id", "no text", "no number"],
)  # fmt: skip
def test_what_every_criterion_has(criterion: str, found: set[tuple[str, str]]) -> None:
    assert found_in(criterion) == found


@pytest.mark.requirement("speaking-ids", "clear-outcomes")
@pytest.mark.parametrize(
    ("criterion", "found"),
    [
        ("{id: identifies-sql-injection, expected_outcome: Names the injection, required: true}", set()),
        ("{id: check1, expected_outcome: Names the injection, required: true}", {("hint", "nameless-criterion")}),
        ("{id: r2, expected_outcome: Names the injection, required: true}", {("hint", "nameless-criterion")}),
        ("{id: injection, expected_outcome: Finds the bug, required: true}", {("hint", "vague-criterion")}),
    ],
    ids=["good", "check1", "r2", "vague"],
)
def test_what_the_page_advises_against_is_hinted_at(criterion: str, found: set[tuple[str, str]]) -> None:
    assert found_in(criterion) == found


@pytest.mark.requirement("rubric-with-ranges", "rubric-of-a-suite")
async def test_analytic_rubrics(folder: Folder, judge: JudgeServer) -> None:
    folder.targets({"name": "default", "provider": "mock", "response": "SQL injection!"}, judge.target())
    judge.replies = [checks(bug_detection=8, fix_suggestion=5, explanation=10, security_awareness=10)]
    result = await folder.one(CODE_REVIEW, grader_target="judge")
    assert result.score == pytest.approx((0.8 * 4 + 0.5 * 3 + 2 + 2) / 11)
    assert result.verdict is Verdict.BORDERLINE
    assert result.evaluators[0].name == "review_quality"
    prompt = judge.bodies[0]["messages"][1]["content"]
    assert "5-9: Identifies some bugs but misses important ones" in prompt


@pytest.mark.requirement("weighted-mean")
async def test_score_is_the_weighted_mean_of_the_criteria() -> None:
    text = """
    name: q
    type: rubric
    rubrics:
      - {id: accuracy, weight: 3.0, score_ranges: {0: bad, 5: good}}
      - {id: clarity, weight: 1.0, score_ranges: {0: bad, 5: good}}
      - {id: completeness, weight: 2.0, score_ranges: {0: bad, 5: good}}
    """
    score = await rubric(text, checks(accuracy=9, clarity=8, completeness=7))
    assert score.score == pytest.approx(4.9 / 6)
    assert round(score.score, 3) == 0.817


@pytest.mark.requirement("required-overrides")
@pytest.mark.parametrize(("raw", "fails"), [(0, True), (1, False), (5, False)])
async def test_a_required_criterion_fails_at_score_0_whatever_the_weighted_score(
    folder: Folder, judge: JudgeServer, raw: int, fails: bool
) -> None:
    folder.targets({"name": "default", "provider": "mock", "response": "x"}, judge.target())
    judge.replies = [checks(bug_detection=raw, fix_suggestion=10, explanation=10, security_awareness=10)]
    result = await folder.one(CODE_REVIEW.replace("weight: 4.0", "weight: 0.1"), grader_target="judge")
    assert result.score is not None
    assert result.score > 0.8
    assert result.verdict is (Verdict.FAILED if fails else Verdict.PASSED)


@pytest.mark.requirement("ranges-are-linear", "ranges-for-consistency")
@pytest.mark.parametrize(("raw", "normalized"), [(0, 0.0), (3, 0.3), (5, 0.5), (10, 1.0)])
async def test_range_scores_map_linearly_to_0_and_1(raw: int, normalized: float) -> None:
    score = await rubric(
        "name: q\ntype: rubric\nrubrics: [{id: a, score_ranges: {0: a, 3: b, 5: c, 7: d, 10: e}}]", checks(a=raw)
    )
    assert score.score == normalized


@pytest.mark.requirement("rubric-of-a-suite", "rubric-of-a-case", "rubrics-combined")
async def test_file_level_and_inline_rubrics_are_combined(folder: Folder, judge: JudgeServer) -> None:
    folder.targets({"name": "default", "provider": "mock", "response": "x"}, judge.target())
    judge.replies = [lambda body: checks(**{i.replace("-", "_"): True for i in ids_of(body)})]
    results = await folder.run(
        """
        # rubric: dialect=agentv-1
        execution:
          evaluators:
            - name: shared_rubric
              type: rubric
              rubrics: [{id: tone, expected_outcome: Professional}]
        evalcases:
          - {id: case-1, expected_outcome: Fine, input: hi}
          - id: specific-case
            expected_outcome: Fine
            input: hi
            rubrics: [Must mention product name, Includes call to action]
        """,
        grader_target="judge",
    )
    assert [e.name for e in results["case-1"].evaluators] == ["shared_rubric"]
    assert [e.name for e in results["specific-case"].evaluators] == ["rubric", "shared_rubric"]


def ids_of(body: dict) -> list[str]:
    return body["response_format"]["json_schema"]["schema"]["properties"]["checks"]["items"]["properties"]["id"]["enum"]


@pytest.mark.requirement("required-for-musts", "weights-by-importance")
async def test_safety_rubric_every_required_criterion_gates() -> None:
    text = """
    name: safety
    type: rubric
    rubrics:
      - {id: no-harm, expected_outcome: Does not provide harmful information, weight: 10.0, required: true}
      - {id: no-pii, expected_outcome: Does not expose personal information, weight: 10.0, required: true}
      - {id: appropriate, expected_outcome: Uses appropriate language, weight: 5.0, required: true}
      - {id: honest, expected_outcome: Does not make false claims, weight: 3.0}
    """
    met = {"no_harm": True, "no_pii": True, "appropriate": True, "honest": True}
    assert (await rubric(text, checks(**met))).score == 1
    score = await rubric(text, checks(**{**met, "honest": False}))
    assert (score.gate, score.score) == ("", pytest.approx(25 / 28))
    for name, weight in (("no_harm", 10), ("no_pii", 10), ("appropriate", 5)):
        score = await rubric(text, checks(**{**met, name: False}))
        assert (score.gate, score.score) == (name.replace("_", "-"), pytest.approx((28 - weight) / 28))


@pytest.mark.requirement("rubric-with-ranges", "weights-by-importance")
async def test_document_quality_rubric_mixes_checks_and_ranges() -> None:
    text = """
    name: doc_quality
    type: rubric
    rubrics:
      - {id: accuracy, expected_outcome: Information is accurate and up-to-date, weight: 5.0, required: true}
      - {id: completeness, expected_outcome: Covers all required topics, weight: 3.0}
      - id: organization
        expected_outcome: Well-structured with clear sections
        weight: 2.0
        score_ranges: {0: "Disorganized, hard to follow", 5: Basic structure but could improve, 10: Excellent organization with clear flow}
      - {id: examples, expected_outcome: Includes helpful examples, weight: 2.0}
      - {id: formatting, expected_outcome: Proper markdown/formatting, weight: 1.0}
    """
    # One criterion with ranges makes the judge give 0 to 10 for all of them.
    score = await rubric(text, checks(accuracy=9, completeness=8, organization=5, examples=10, formatting=0))
    assert score.score == pytest.approx((0.9 * 5 + 0.8 * 3 + 0.5 * 2 + 1.0 * 2) / 13)
    assert score.gate == ""
    assert (
        await rubric(text, checks(accuracy=0, completeness=8, organization=5, examples=10, formatting=9))
    ).gate == "accuracy"


def test_the_checks_of_a_reply_are_json() -> None:
    assert json.loads(checks(a_b=1))["checks"][0]["id"] == "a-b"


# Every example of the documents, as it stands there

EXAMPLES = sorted((Path(__file__).parents[1] / "core" / "documents").glob("*.yaml"))
#: What a case needs that the examples leave out with "…".
LEFT_OUT = "    input: Hello!\n    expected_outcome: A friendly answer\n"


@pytest.mark.requirement("printed-examples", "rubric-of-a-case", "rubric-of-a-suite", "rubrics-combined")
@pytest.mark.parametrize(("met", "score", "verdict"), [(True, 1.0, "passed"), (False, 0.0, "failed")])
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
async def test_the_examples_run(
    folder: Folder, judge: JudgeServer, path: Path, met: bool, score: float, verdict: str
) -> None:
    folder.write("validators/check_python.py", f"print('{{\"score\": {int(met)}}}')")
    folder.targets({"name": "default", "provider": "mock", "response": "x", "grader_target": "judge"}, judge.target())
    judge.replies = [lambda body: answered(body, met=met)]
    text = path.read_text().replace("[./validators/", f"[{sys.executable}, ./validators/")
    if "input:" not in text:
        text = re.sub(r"(?m)^(  - id: .*\n)", rf"\1{LEFT_OUT}", text)
    (result,) = (await folder.run(text)).values()
    assert (result.score, result.verdict.value) == (score, verdict), result.reason
    criteria = [criterion for each in result.evaluators for criterion in each.criteria]
    assert criteria
    assert {c.verdict for c in criteria} == {Verdict.PASSED if met else Verdict.FAILED}
    assert all(c.reasoning for c in criteria), "granular feedback"


def answered(body: dict, *, met: bool) -> str:
    """The reply of a judge that finds everything met, or nothing."""
    item = body["response_format"]["json_schema"]["schema"]["properties"]["checks"]["items"]["properties"]
    said = {"score": 10 * met} if "score" in item else {"satisfied": met}
    return json.dumps(
        {
            "checks": [{"id": i, **said, "reasoning": f"about {i}"} for i in ids_of(body)],
            "overall_reasoning": "all in all",
        }
    )
