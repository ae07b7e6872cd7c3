"""Conversations: turns in their order, what the target is shown, and how turns become one score."""

import sys

import pytest
from judge_server import JudgeServer
from suites import Folder, checks

from rubric_core.evaluation.engine.events import EvaluatorDone, EvaluatorStarted
from rubric_core.evaluation.model.result import Verdict

SUITE = """
tests:
  - id: chat
    mode: conversation
    criteria: Helps
    input: You are a support agent.
    {more}
    turns:
      - input: Hello
        assertions: [{type: contains, value: hello}]
      - input: My order is late
        assertions:
          - {type: contains, value: sorry}
          - {type: icontains, value: ORDER}
      - input: Bye
"""
#: Says back the last line of what it is told.
ECHO = {"name": "default", "provider": "cli", "command": "tail -n 1 {PROMPT_FILE} | tr A-Z a-z"}


def suite(more: str = "aggregation: mean") -> str:
    return SUITE.replace("{more}", more)


async def test_turns_are_graded_and_put_together(folder: Folder) -> None:
    folder.targets(ECHO)
    result = await folder.one(suite())
    assert [(e.name, e.type, e.score, e.verdict.value) for e in result.evaluators] == [
        ("turn-1", "turn", 1.0, "passed"), ("turn-2", "turn", 0.5, "failed"), ("turn-3", "turn", 1.0, "passed"),
    ]  # fmt: skip
    assert result.score == pytest.approx(2.5 / 3)
    assert result.verdict is Verdict.PASSED
    assert [m.name for m in result.evaluators[1].members] == ["contains-sorry", "icontains-ORDER"]
    assert result.details["transcript"] == [
        {"role": "user", "content": "You are a support agent."},
        {"role": "user", "content": "Hello"}, {"role": "assistant", "content": "hello"},
        {"role": "user", "content": "My order is late"}, {"role": "assistant", "content": "my order is late"},
        {"role": "user", "content": "Bye"}, {"role": "assistant", "content": "bye"},
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("how", "score", "verdict"), [("min", 0.5, "failed"), ("max", 1.0, "passed"), ("mean", 2.5 / 3, "passed")]
)
async def test_aggregations(folder: Folder, how: str, score: float, verdict: str) -> None:
    folder.targets(ECHO)
    result = await folder.one(suite(f"aggregation: {how}"))
    assert (result.score, result.verdict.value) == (pytest.approx(score), verdict)


async def test_a_conversation_that_stops_at_a_failed_turn(folder: Folder) -> None:
    folder.targets(ECHO)
    result = await folder.one(suite("on_turn_failure: stop"))
    assert [e.score for e in result.evaluators] == [1.0, 0.5, 0.0]
    assert result.evaluators[2].misses == ("not run: an earlier turn failed",)
    assert result.score == 0.5


async def test_what_the_target_is_shown(folder: Folder, judge: JudgeServer) -> None:
    folder.targets(judge.target("default"))
    judge.replies = ["one", "two", "three"]
    system = suite("window_size: 1").replace("input: You are", "input:\n      - role: system\n        content: You are")
    await folder.one(system)
    assert [[m["role"] for m in b["messages"]] for b in judge.bodies] == [
        ["system", "user"],
        ["system", "assistant", "user"],
        ["system", "assistant", "user"],
    ]
    judge.bodies.clear()
    await folder.one(suite())
    assert [len(b["messages"]) for b in judge.bodies] == [2, 4, 6]


async def test_evaluators_of_the_case_grade_the_whole_transcript(folder: Folder) -> None:
    folder.targets(ECHO)
    result = await folder.one(suite("assertions: [{type: contains-all, value: [Hello, late, bye]}]"))
    assert [(e.name, e.score) for e in result.evaluators][2:] == [("turn-3", 1.0), ("conversation", 1.0)]
    assert result.score == pytest.approx(3.5 / 4)


WHOLE = """assertions:
      - {type: contains, value: Hello}
      - {type: contains, value: nothing, weight: 3}
      - {type: contains, value: "Bye\\n\\nassistant: bye"}"""


async def test_the_evaluators_of_the_case_together_count_as_much_as_a_turn(folder: Folder) -> None:
    folder.targets(ECHO)
    result = await folder.one(suite(WHOLE))
    (*_, whole) = result.evaluators
    assert (whole.name, whole.type, whole.score, len(whole.members)) == ("conversation", "conversation", 0.4, 3)
    assert [each.score for each in whole.members] == [1, 0, 1]
    assert result.score == pytest.approx((1 + 0.5 + 1 + 0.4) / 4)
    assert (await folder.one(suite(f"aggregation: min\n    {WHOLE}"))).score == 0.4
    required = WHOLE.replace("weight: 3", "required: true")
    assert (await folder.one(suite(f"aggregation: max\n    {required}"))).score == 1, "its gate is its own"
    assert (await folder.one(suite(required))).score == pytest.approx(2.5 / 4)


async def test_a_transcript_is_a_message_that_called_no_tool(folder: Folder) -> None:
    folder.targets(ECHO)
    result = await folder.one(
        suite(
            "assertions: [{type: execution-metrics, max_tool_calls: 0, max_llm_calls: 4}, {type: latency, threshold: 9999}]"
        )
    )
    assert [each.score for each in result.evaluators[-1].members] == [1, 0]


async def test_what_graders_of_a_conversation_are_told(folder: Folder) -> None:
    folder.targets(ECHO)
    folder.write("told.py", "import json, sys; print(json.dumps({'score': 1, 'details': json.load(sys.stdin)}))")
    grader = f"{{type: code-grader, name: g, command: [{sys.executable}, told.py]}}"
    text = suite(f"window_size: 1\n    assertions: [{grader}]").replace(
        "- input: Bye", f"- input: Bye\n        expected_output: See you\n        assertions: [{grader}]"
    )
    result = await folder.one(text)
    turn, whole = (dict(e.members[0].details or {}) for e in result.evaluators[2:])
    setting = {"role": "user", "content": "You are a support agent."}
    assert turn["input"] == [{"role": "user", "content": "Bye"}, {"role": "assistant", "content": "bye"}]
    assert turn["expected_output"] == [{"content": "See you"}]
    assert (turn["output"], whole["expected_output"]) == ("bye", [])
    assert whole["input"][0] == setting
    assert whole["output"].startswith("user: You are a support agent.\n\nuser: Hello\n\nassistant: hello\n\n")


async def test_strings_of_a_turn_are_criteria_that_are_not_required(folder: Folder, judge: JudgeServer) -> None:
    folder.targets({**ECHO, "grader_target": "judge"}, judge.target())
    judge.replies = [checks(criterion_1=True, criterion_2=False)]
    text = (
        suite()
        .replace("- {type: contains, value: sorry}", "- Is sorry")
        .replace("- {type: icontains, value: ORDER}", "- Is short")
    )
    result = await folder.one(text)
    (rubric,) = result.evaluators[1].members
    assert (rubric.name, rubric.score, rubric.gate) == ("turn-rubrics", 0.5, "")
    assert "My order is late" in judge.bodies[0]["messages"][1]["content"]


async def test_a_turn_with_an_expected_output_is_judged_by_it(folder: Folder, judge: JudgeServer) -> None:
    folder.targets({**ECHO, "grader_target": "judge"}, judge.target())
    judge.replies = ['{"score": 0.4, "assertions": []}']
    result = await folder.one(suite().replace("- input: Bye", "- input: Bye\n        expected_output: See you"))
    assert result.evaluators[2].score == 0.4
    assert "[[ ## expected_output ## ]]\nSee you" in judge.bodies[0]["messages"][1]["content"]


async def test_a_gate_in_a_turn_fails_the_conversation(folder: Folder, judge: JudgeServer) -> None:
    folder.targets({**ECHO, "grader_target": "judge"}, judge.target())
    judge.replies = [checks(tone=3)]
    rubric = "- {type: rubrics, weight: 0.01, criteria: [{id: tone, outcome: T, min_score: 0.6, score_ranges: {0: a, 5: b}}]}"
    result = await folder.one(suite().replace("- {type: contains, value: sorry}", rubric))
    assert result.score is not None
    assert result.score > 0.8
    assert (result.verdict, "tone" in result.reason) == (Verdict.FAILED, True)


async def test_a_turn_without_a_score_leaves_the_case_without_one(folder: Folder) -> None:
    folder.targets(ECHO)
    result = await folder.one(suite().replace("- {type: contains, value: sorry}", "- Is sorry"))
    assert result.verdict is Verdict.UNSCORED
    assert result.reason.startswith("turn-2: turn-rubrics: no judge is configured")


async def test_a_conversation_without_turns(folder: Folder) -> None:
    folder.targets(ECHO)
    result = await folder.one(
        "tests: [{id: a, mode: conversation, criteria: c, input: hi, assertions: [{type: is-json}]}]"
    )
    assert result.verdict is Verdict.UNSCORED


async def test_what_grades_tells_its_turn(folder: Folder) -> None:
    folder.targets(ECHO)
    await folder.one(suite("assertions: [{type: contains, value: bye}]"))
    started = [(e.turn, e.position, e.name) for e in folder.events if isinstance(e, EvaluatorStarted)]
    assert started == [
        (1, 1, "contains-hello"), (2, 1, "contains-sorry"), (2, 2, "icontains-ORDER"), (0, 1, "contains-bye"),
    ]  # fmt: skip
    assert [e.turn for e in folder.events if isinstance(e, EvaluatorDone)] == [1, 2, 2, 0]
