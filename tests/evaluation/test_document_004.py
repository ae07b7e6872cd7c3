"""What document 004 (rubrics, agentv-3) says, one test each."""

import sys

import pytest
from judge_server import JudgeServer
from suites import Folder, Scripted, checks, context, evaluator
from test_document_002 import ids_of

from rubric_core.evaluation.evaluators.llm_judge import LlmJudgeEvaluator
from rubric_core.evaluation.model.result import Verdict
from rubric_core.ports import Answer, ToolUse

HEAD = """
tests:
  - id: quicksort-explain
    criteria: Explain how quicksort works
    input: Explain quicksort algorithm
    assertions:
"""


def suite(assertions: str) -> str:
    lines = assertions.strip("\n").splitlines()
    margin = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    return HEAD + "\n".join("      " + line[margin:] for line in lines) + "\n"


async def run(folder: Folder, judge: JudgeServer, assertions: str, *replies: str):
    folder.targets({"name": "default", "provider": "mock", "response": "Divide and conquer."}, judge.target())
    judge.replies = list(replies)
    return await folder.one(suite(assertions), grader_target="judge")


@pytest.mark.requirement("strings-are-required")
async def test_plain_strings_are_required_criteria_of_one_rubrics_grader(folder: Folder, judge: JudgeServer) -> None:
    strings = """
    - Mentions divide-and-conquer approach
    - Explains partition step
    - States time complexity
    """
    result = await run(folder, judge, strings, checks(rubric_1=True, rubric_2=True, rubric_3=True))
    (rubric,) = result.evaluators
    assert (rubric.name, rubric.type, len(rubric.criteria)) == ("rubrics", "rubrics", 3)
    assert len(judge.bodies) == 1
    assert result.verdict is Verdict.PASSED
    judge.bodies.clear()
    result = await run(folder, judge, strings, checks(rubric_1=True, rubric_2=True, rubric_3=False))
    assert result.score == pytest.approx(2 / 3)
    assert result.verdict is Verdict.FAILED
    assert result.evaluators[0].gate == "rubric-3"


@pytest.mark.requirement("type-rubrics")
async def test_type_rubrics_with_string_criteria(folder: Folder, judge: JudgeServer) -> None:
    result = await run(
        folder,
        judge,
        "- type: rubrics\n  criteria: [Mentions divide-and-conquer approach, Explains partition step]",
        checks(rubric_1=True, rubric_2=True),
    )
    assert [c.outcome for c in result.evaluators[0].criteria] == [
        "Mentions divide-and-conquer approach",
        "Explains partition step",
    ]


OBJECTS = """
- type: rubrics
  criteria:
    - {id: core-concept, outcome: Explains divide-and-conquer, weight: 2.0, required: true}
    - {id: partition, outcome: Describes partition step, weight: 1.5}
    - {id: complexity, outcome: States O(n log n) average time, weight: 1.0}
"""


@pytest.mark.requirement("criteria-as-objects", "required-fails", "score-of-checks")
@pytest.mark.parametrize(
    ("core", "partition", "complexity", "score", "verdict"),
    [
        (True, True, True, 1.0, "passed"),
        (True, True, False, 3.5 / 4.5, "failed"),
        (True, False, True, 3 / 4.5, "failed"),
        (False, True, True, 2.5 / 4.5, "failed"),
    ],
)
async def test_rubric_objects_with_weights_and_requirements(
    folder: Folder, judge: JudgeServer, core: bool, partition: bool, complexity: bool, score: float, verdict: str
) -> None:
    result = await run(folder, judge, OBJECTS, checks(core_concept=core, partition=partition, complexity=complexity))
    assert result.score == pytest.approx(score)
    assert result.verdict == verdict
    assert (result.evaluators[0].gate == "core-concept") is not core


@pytest.mark.requirement("criteria-defaults")
async def test_required_defaults_to_false_for_objects(folder: Folder, judge: JudgeServer) -> None:
    criteria = "- {type: rubrics, criteria: [{id: a, outcome: A, weight: 9}, {id: b, outcome: B}]}"
    result = await run(folder, judge, criteria, checks(a=True, b=False))
    assert (result.score, result.verdict) == (0.9, Verdict.PASSED)


@pytest.mark.requirement("criteria-defaults")
async def test_the_id_of_a_criterion_is_generated(folder: Folder, judge: JudgeServer) -> None:
    criteria = "- {type: rubrics, criteria: [Is short, {outcome: Is kind}, {id: own, outcome: Is true}]}"
    result = await run(folder, judge, criteria, checks(rubric_1=True, rubric_2=True, own=True))
    assert [c.id for c in result.evaluators[0].criteria] == ["rubric-1", "rubric-2", "own"]
    assert result.verdict is Verdict.PASSED


async def test_a_string_in_a_rubric_with_ranges_is_scored_as_all_others_and_needs_a_10(
    folder: Folder, judge: JudgeServer
) -> None:
    criteria = (
        "- {type: rubrics, criteria: [Is short, {id: a, outcome: A, weight: 9, score_ranges: {0: bad, 5: good}}]}"
    )
    result = await run(folder, judge, criteria, checks(rubric_1=9, a=10))
    assert (result.score, result.verdict) == (pytest.approx(0.99), Verdict.FAILED)
    assert result.evaluators[0].gate == "rubric-1"
    judge.bodies.clear()
    mended = criteria.replace("Is short", "{outcome: Is short, min_score: 0.7}")  # as the check proposes
    result = await run(folder, judge, mended, checks(rubric_1=7, a=10))
    assert result.verdict is Verdict.PASSED
    assert [c.verdict for c in result.evaluators[0].criteria] == [Verdict.PASSED] * 2


RANGES = """
- type: rubrics
  criteria:
    - id: accuracy
      outcome: Provides correct answer
      weight: 2.0
      min_score: 0.5
      score_ranges:
        0: Completely wrong
        3: Partially correct with major errors
        5: Mostly correct with minor issues
        7: Correct with minor omissions
        10: Perfectly accurate and complete
    - {id: style, outcome: Is well written}
"""


@pytest.mark.requirement("criteria-with-ranges", "score-of-ranges")
async def test_score_ranges_are_scored_0_to_10(folder: Folder, judge: JudgeServer) -> None:
    result = await run(folder, judge, RANGES, checks(accuracy=7, style=10))
    assert result.score == pytest.approx((0.7 * 2 + 1.0) / 3)
    accuracy, style = result.evaluators[0].criteria
    assert (accuracy.raw, accuracy.band, accuracy.minimum) == (7, "Correct with minor omissions", 0.5)
    assert style.raw == 10, "one criterion with score ranges puts the whole rubric on the scale of 0..10"


@pytest.mark.requirement("min-score")
@pytest.mark.parametrize(("raw", "gate"), [(4, "accuracy"), (5, "")])
async def test_min_score_is_the_least_with_which_a_criterion_passes(
    folder: Folder, judge: JudgeServer, raw: int, gate: str
) -> None:
    result = await run(folder, judge, RANGES.replace("weight: 2.0", "weight: 0.1"), checks(accuracy=raw, style=10))
    assert result.score is not None
    assert result.score > 0.8
    assert result.evaluators[0].gate == gate
    assert result.verdict is (Verdict.FAILED if gate else Verdict.PASSED)
    assert result.evaluators[0].criteria[0].verdict is (Verdict.FAILED if gate else Verdict.PASSED)


@pytest.mark.requirement("two-verdicts")
@pytest.mark.parametrize(("raw", "verdict"), [(10, "passed"), (8, "passed"), (7, "failed"), (0, "failed")])
async def test_pass_from_0_8_and_fail_below(folder: Folder, judge: JudgeServer, raw: int, verdict: str) -> None:
    result = await run(
        folder,
        judge,
        "- {type: rubrics, criteria: [{id: a, outcome: A, score_ranges: {0: bad, 5: good}}]}",
        checks(a=raw),
    )
    assert (result.score, result.verdict.value) == (raw / 10, verdict)


@pytest.mark.requirement("judge-sees-changes", "judge-sees-tools")
async def test_tool_calls_and_file_changes_are_appended_to_the_prompt() -> None:
    judge = Scripted([checks(rubric_1=True)])
    answer = Answer("done", tool_uses=(ToolUse("acme-deploy", {"env": "test"}),), file_changes="--- a\n+++ b")
    config = evaluator("{type: rubrics, criteria: [The agent invoked the acme-deploy skill]}")
    await LlmJudgeEvaluator(resolve_judge_provider=lambda _: judge).evaluate(context(config, answer))
    prompt = judge.asked[0].prompt
    assert "- acme-deploy: test" in prompt
    assert "+++ b" in prompt
    await LlmJudgeEvaluator(resolve_judge_provider=lambda _: judge).evaluate(context(config, "done"))
    assert "tool_calls" not in judge.asked[1].prompt


@pytest.mark.requirement("beside-other-graders")
async def test_rubrics_work_alongside_code_graders(folder: Folder, judge: JudgeServer) -> None:
    folder.write(
        "check.py", "import json, sys; json.load(sys.stdin); print(json.dumps({'score': 0.5, 'assertions': []}))"
    )
    assertions = f"""
    - type: rubrics
      criteria: [Returns correct values, Includes docstring]
    - name: syntax_check
      type: code-grader
      command: [{sys.executable}, check.py]
    """
    result = await run(folder, judge, assertions, checks(rubric_1=True, rubric_2=True))
    assert [(e.name, e.score) for e in result.evaluators] == [("rubrics", 1.0), ("syntax_check", 0.5)]
    assert (result.score, result.verdict) == (0.75, Verdict.FAILED)


@pytest.mark.requirement("beside-other-graders")
async def test_rubrics_work_alongside_models_that_grade(folder: Folder, judge: JudgeServer) -> None:
    assertions = """
    - type: rubrics
      criteria: [Returns correct values]
    - {name: tone, type: llm-grader, prompt: "Is it polite? {{ output }}"}
    - {name: word, type: contains, value: conquer}
    """
    replies = checks(rubric_1=True), '{"score": 0.4, "assertions": []}'
    result = await run(folder, judge, assertions, *replies)
    assert [(e.name, e.score) for e in result.evaluators] == [("rubrics", 1.0), ("tone", 0.4), ("word", 1.0)]
    assert result.score == pytest.approx(0.8)


async def test_every_criterion_is_asked_for_by_its_id(folder: Folder, judge: JudgeServer) -> None:
    await run(folder, judge, OBJECTS, checks(core_concept=True, partition=True, complexity=True))
    assert ids_of(judge.bodies[0]) == ["core-concept", "partition", "complexity"]
