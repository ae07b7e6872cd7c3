"""Judges over HTTP: replies that cannot be used, servers that fail, and what is never taken for a score."""

import asyncio
import json

import pytest
from judge_server import Fault, JudgeServer
from suites import Folder, Scripted, checks
from waiting import seen

from rubric_core.evaluation.engine.events import CriterionJudged
from rubric_core.evaluation.evaluators.llm_judge import LlmJudgeEvaluator
from rubric_core.evaluation.model.jsonable import jsonable
from rubric_core.evaluation.model.result import Verdict
from rubric_core.evaluation.reporting.rows import case_row
from rubric_core.evaluation.results.result_reader import case_result_of

SUITE = """
tests:
  - id: refund
    criteria: Explains the refund window
    input: Can I return this?
    assertions:
      - type: rubrics
        criteria:
          - {id: window, outcome: Names the 30 days}
          - {id: tone, outcome: Is friendly}
"""
FREE = """
tests:
  - id: refund
    criteria: Explains the refund window
    input: Can I return this?
    expected_output: Within 30 days
"""
GOOD = checks(window=True, tone=True)


@pytest.fixture
def ready(folder: Folder, judge: JudgeServer) -> Folder:
    folder.environment["JUDGE_KEY"] = "sk-very-secret-key"
    folder.targets(
        {"name": "default", "provider": "mock", "response": "You have 30 days.", "grader_target": "judge"},
        judge.target(api_key="${{ JUDGE_KEY }}", max_retries=1),
    )
    return folder


async def test_prompt_and_settings_that_a_judge_gets(ready: Folder, judge: JudgeServer) -> None:
    judge.replies = [GOOD]
    result = await ready.one(SUITE)
    (body,) = judge.bodies
    assert (body["model"], body["temperature"]) == ("judge-1", 0.0)
    assert judge.headers[0]["authorization"] == "Bearer sk-very-secret-key"
    system, user = (m["content"] for m in body["messages"])
    assert "JSON" in system
    for part in (
        "Explains the refund window",
        "Can I return this?",
        "You have 30 days.",
        "- window: Names the 30 days",
        "- tone: Is friendly",
    ):
        assert part in user
    assert result.evaluators[0].judge == "judge-1-2026"
    assert [e.result.id for e in ready.events if isinstance(e, CriterionJudged)] == ["window", "tone"]
    assert result.cost_usd == 0.001
    assert "sk-very-secret-key" not in repr(result)


async def test_a_reply_in_fences_and_words_is_read(ready: Folder, judge: JudgeServer) -> None:
    judge.replies = [f"Here you are:\n```json\n{GOOD}\n```\nAnything else?"]
    assert (await ready.one(SUITE)).verdict is Verdict.PASSED


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (checks(window=True), "no result for tone"),
        ("no idea", "no JSON object"),
        ('{"checks": [', "no JSON object"),
        ('{"checks": [}', "not valid JSON"),
        (checks(window=1, tone=1), "satisfied"),
        ('{"checks": [{"id": "window", "satisfied": "yes"}, {"id": "tone", "satisfied": true}]}', "satisfied"),
        (
            '{"checks": [{"id": "window", "satisfied": true}, {"id": "window", "satisfied": false}, {"id": "tone", "satisfied": true}]}',
            "twice",
        ),
        ("{" * 100_000, "no JSON object"),
        ("{" * 5_000 + "}", "not valid JSON"),
        ('{"checks": ' + "[" * 5_000 + "]" * 5_000 + "}", "nested too deeply"),
        ('{"checks": [{"id": "a", "satisfied": false, "satisfied": true}]}', 'two values for "satisfied"'),
        ('{"checks": [{"id": "a", "satisfied": ' + "9" * 5_000 + "}]}", "a number of 5,000 digits"),
    ],
)
async def test_a_judge_is_told_what_is_wrong_and_asked_again(
    ready: Folder, judge: JudgeServer, reply: str, told: str
) -> None:
    judge.replies = [reply, GOOD]
    result = await ready.one(SUITE)
    assert result.verdict is Verdict.PASSED
    repeated = judge.bodies[1]["messages"]
    assert [m["role"] for m in repeated] == ["system", "user", "assistant", "user"]
    assert told in repeated[3]["content"]
    assert result.evaluators[0].evaluator_raw_request["attempts"] == 2
    first, second = result.evaluators[0].raw_replies
    assert second == GOOD
    assert first == reply if len(reply) <= 50_000 else first == f"{reply[:50_000]}\n… and 50,000 more characters"


async def test_a_judge_that_never_gets_it_right_leaves_the_case_unscored(ready: Folder, judge: JudgeServer) -> None:
    judge.replies = [checks(window=True)]
    result = await ready.one(SUITE)
    assert (result.verdict, result.score) == (Verdict.UNSCORED, None)
    assert (
        result.reason
        == "rubrics: the judge `judge` gave no usable reply in 3 tries: no result for tone: every criterion needs one; agentv would leave this evaluator out of the mean"
    )
    assert len(judge.bodies) == 3
    assert result.evaluators[0].raw_replies == (checks(window=True),) * 3


async def test_what_a_judge_said_is_kept_without_secrets_and_stored(ready: Folder, judge: JudgeServer) -> None:
    said = json.dumps({**json.loads(GOOD), "thoughts": "your key is sk-very-secret-key"}, indent=2)
    judge.replies = [said]
    result = await ready.one(SUITE)
    kept = said.replace("sk-very-secret-key", "***")
    assert result.evaluators[0].raw_replies == (kept,)
    assert case_row(result)["evaluators"][0]["raw_replies"] == [kept]
    assert case_result_of(jsonable(result)).evaluators[0].raw_replies == (kept,)


async def test_a_judge_that_falls_silent_after_a_bad_reply(ready: Folder, judge: JudgeServer) -> None:
    judge.replies = ["no idea", Fault(401)]
    result = await ready.one(SUITE)
    assert result.verdict is Verdict.UNSCORED
    assert result.evaluators[0].raw_replies == ("no idea",)
    assert "You have 30 days." in result.evaluators[0].evaluator_raw_request["user_prompt"]


async def test_more_criteria_than_were_asked_for_do_no_harm(ready: Folder, judge: JudgeServer) -> None:
    judge.replies = [checks(window=True, tone=False, invented=True)]
    assert (await ready.one(SUITE)).score == 0.5


async def test_a_judge_that_grades_as_a_whole(ready: Folder, judge: JudgeServer) -> None:
    judge.replies = [
        '{"score": 0.9, "assertions": [{"text": "names the window", "passed": true, "evidence": "30 days"}, {"text": "is kind", "passed": false}]}'
    ]
    result = await ready.one(FREE)
    assert (result.score, result.verdict) == (0.9, Verdict.PASSED)
    (each,) = result.evaluators
    assert (each.hits, each.misses) == (("names the window",), ("is kind",))
    assert "[[ ## expected_output ## ]]\nWithin 30 days" in judge.bodies[0]["messages"][1]["content"]


@pytest.mark.parametrize(
    "reply",
    [
        '{"score": 85}',
        '{"score": -1}',
        '{"score": "0.9"}',
        '{"score": NaN}',
        '{"score": true}',
        "{}",
        '{"score": null}',
    ],
)
async def test_a_score_that_is_no_share_is_asked_for_again_and_never_clamped(
    ready: Folder, judge: JudgeServer, reply: str
) -> None:
    judge.replies = [reply, '{"score": 0.25}']
    result = await ready.one(FREE)
    assert result.score == 0.25
    assert len(judge.bodies) == 2


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault.error(401, "Incorrect key: sk-very-secret-key"), "check api_key (targets.yaml:1, api_key)"),
        (Fault.error(404, "model judge-1 not found"), "model judge-1 not found"),
        (Fault.error(500, "oops"), "replied 500: oops"),
        (Fault(503, b"<html>busy</html>"), "replied 503"),
        (Fault(body=b"<html>"), "not JSON"),
        (Fault(body=b"[]"), "not a JSON object"),
        (Fault(body=b'{"choices": []}'), "not a chat completion"),
        (Fault(body=b'{"choices": [{"message": {"content": ""}, "finish_reason": "length"}]}'), "max_output_tokens"),
        (Fault(hang_up=True), "broke off"),
        (Fault(endless=True), "sends more than 10,000,000 bytes"),
        (
            Fault(302, headers={"Location": "http://127.0.0.1:1/?key=sk-very-secret-key"}),
            "redirects (302 to http://127.0.0.1:1/)",
        ),
        (Fault(302, headers={"Location": "http://[sk-very-secret-key"}), "redirects (302);"),
    ],
)
async def test_a_server_that_fails_leaves_one_sentence_and_no_secret(
    ready: Folder, judge: JudgeServer, fault: Fault, words: str
) -> None:
    judge.replies = [fault]
    result = await ready.one(SUITE)
    assert result.verdict is Verdict.UNSCORED
    assert words in result.reason
    assert "\n" not in result.reason
    assert "sk-very-secret-key" not in repr(result)


async def test_a_server_that_is_not_there(folder: Folder) -> None:
    folder.targets({"name": "default", "provider": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m"})
    result = await folder.one(SUITE)
    assert (
        result.reason
        == "target default: connection to 127.0.0.1:9 refused. Is the server running? (targets.yaml:1, base_url)"
    )


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:99999/v1", "http://127.0.0.1:x/v1", "http://[::1/v1", "http:///v1"]
)
async def test_what_is_no_address_keeps_no_other_case_from_being_run(folder: Folder, address: str) -> None:
    folder.targets({"name": "default", "provider": "openai", "base_url": address, "model": "m"})
    result = await folder.one(SUITE)
    assert (
        result.reason == f"target default: {address}/chat/completions is not an HTTP address (targets.yaml:1, base_url)"
    )


async def test_a_server_that_stalls(folder: Folder, judge: JudgeServer) -> None:
    folder.targets(judge.target("default", timeout_seconds=0.2))
    judge.replies = [Fault(delay=30)]
    result = await folder.one(SUITE)
    assert "within 0.2 s" in result.reason
    await asyncio.wait_for(judge.broken_off.wait(), 2)


async def test_busy_servers_are_asked_again(ready: Folder, judge: JudgeServer) -> None:
    judge.replies = [Fault.error(429, "slow down"), GOOD]
    assert (await ready.one(SUITE)).verdict is Verdict.PASSED
    assert len(judge.bodies) == 2


async def test_retry_after_is_heeded(folder: Folder, judge: JudgeServer) -> None:
    folder.targets({"name": "default", "provider": "mock"}, judge.target(max_retries=1, retry_max_delay_ms=300))
    judge.replies = [Fault(429, b"{}", {"Retry-After": "60"}), GOOD]
    began = asyncio.get_running_loop().time()
    await folder.one(SUITE, grader_target="judge")
    assert 0.25 < asyncio.get_running_loop().time() - began < 5


@pytest.mark.parametrize("param", ["response_format", "temperature"])
async def test_what_a_server_does_not_take_is_left_out(ready: Folder, judge: JudgeServer, param: str) -> None:
    judge.replies = [Fault.error(400, f"Unsupported parameter: '{param}'", param=param), GOOD]
    assert (await ready.one(SUITE)).verdict is Verdict.PASSED
    assert param in judge.bodies[0]
    assert param not in judge.bodies[1]
    assert "messages" in judge.bodies[1]


async def test_cancelling_ends_the_request_at_once(ready: Folder, judge: JudgeServer) -> None:
    judge.replies = [Fault(delay=60)]
    running = asyncio.ensure_future(ready.one(SUITE))
    await seen("a request", lambda: judge.bodies)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await asyncio.wait_for(judge.broken_off.wait(), 2)


async def test_no_judge_is_unscored_and_says_how_to_get_one(folder: Folder) -> None:
    folder.mock("You have 30 days.")
    result = await folder.one(SUITE)
    assert result.verdict is Verdict.UNSCORED
    assert "no judge is configured" in result.reason
    assert "grader_target" in result.reason


async def test_a_mock_judges_only_when_it_is_named(folder: Folder) -> None:
    reply = GOOD
    folder.targets({"name": "default", "provider": "mock", "response": reply})
    assert (await folder.one(SUITE)).verdict is Verdict.UNSCORED, "its answer looks like a verdict and is none"
    folder.targets({"name": "default", "provider": "mock", "response": reply, "grader_target": "default"})
    assert (await folder.one(SUITE)).verdict is Verdict.PASSED
    folder.targets(
        {"name": "default", "provider": "mock", "response": "x", "judge_target": "other"},
        {"name": "other", "provider": "mock", "response": reply},
    )
    assert (await folder.one(SUITE)).verdict is Verdict.PASSED
    assert (await folder.one(SUITE, grader_target="default")).verdict is Verdict.UNSCORED


async def test_a_model_judges_its_own_answers_when_no_judge_is_named(folder: Folder, judge: JudgeServer) -> None:
    folder.targets(judge.target("default"))
    judge.replies = ["You have 30 days.", GOOD]
    result = await folder.one(SUITE)
    assert result.verdict is Verdict.PASSED
    assert result.answer == "You have 30 days."
    assert result.tokens is not None
    assert (result.tokens.input, result.tokens.cached, result.tokens.output) == (60, 40, 20)


async def test_the_target_of_an_evaluator_judges(folder: Folder, judge: JudgeServer) -> None:
    folder.targets({"name": "default", "provider": "mock", "grader_target": "nobody"}, judge.target())
    judge.replies = [GOOD]
    assert (
        await folder.one(SUITE.replace("- type: rubrics", "- type: rubrics\n        target: judge"))
    ).verdict is Verdict.PASSED
    result = await folder.one(SUITE)
    assert "no target is called nobody" in result.reason


OWN = """
tests:
  - id: a
    criteria: Good
    input: hi
    assertions:
      - {type: llm-grader, prompt: PROMPT}
"""


@pytest.mark.parametrize(
    ("prompt", "sent", "reason"),
    [
        ("Is this kind?", "[[ ## criteria ## ]]\nIs this kind?", ""),
        ("'Rate: {{ output }} for {{input}} {{ unknown }}'", "Rate: the answer for hi {{ unknown }}", ""),
        ("'Rate this question: {{ input }}'", "", "has no {{ output }} or {{ expected_output }}"),
        # A bare path is what the answer is judged by, as `rubric check` says; so is a text whose variables nothing fills in.
        ("prompts/judge.md", "[[ ## criteria ## ]]\nprompts/judge.md\n", ""),
        ("'Is {{ name }} kind?'", "[[ ## criteria ## ]]\nIs {{ name }} kind?\n", ""),
        ("file://prompts/judge.md", "From a file: the answer", ""),
        ("file://prompts/blind.md", "", "has no {{ output }}"),
        ("file://prompts/none.md", "", "cannot be read"),
    ],
)
async def test_a_prompt_of_ones_own(ready: Folder, judge: JudgeServer, prompt: str, sent: str, reason: str) -> None:
    ready.write("prompts/judge.md", "From a file: {{ output }}")
    ready.write("prompts/blind.md", "Nothing to see")
    ready.targets(
        {"name": "default", "provider": "mock", "response": "the answer", "grader_target": "judge"}, judge.target()
    )
    judge.replies = ['{"score": 1}']
    result = await ready.one(OWN.replace("PROMPT", prompt))
    if reason:
        assert result.verdict is Verdict.UNSCORED
        assert reason in result.reason
        assert "(line 7)" in result.reason
    else:
        assert sent in judge.bodies[0]["messages"][1]["content"]


async def test_until_agentv_4_5_a_bare_path_is_the_prompt_in_that_file(ready: Folder, judge: JudgeServer) -> None:
    ready.write("judge.md", "From a file: {{ answer }}\n")
    judge.replies = ['{"score": 1, "hits": [], "misses": []}']
    suite = "tests: [{id: a, criteria: c, input: hi, assert: [{type: llm-judge, prompt: judge.md}]}]"
    result = await ready.one(suite, "agentv-2.7")
    assert result.verdict is Verdict.PASSED, result.reason
    assert judge.bodies[0]["messages"][1]["content"] == "From a file: You have 30 days."


async def test_a_program_that_writes_the_prompt_runs_in_its_own_directory(ready: Folder, judge: JudgeServer) -> None:
    ready.write("tools/prompt.sh", 'cat "$PWD/words.txt"')
    ready.write("tools/words.txt", "No variable here")
    judge.replies = ['{"score": 1}']
    result = await ready.one(OWN.replace("PROMPT", "{command: [sh, tools/prompt.sh]}"))
    assert result.verdict is Verdict.PASSED, result.reason
    assert judge.bodies[0]["messages"][1]["content"] == "No variable here"


async def test_a_program_that_writes_the_prompt(ready: Folder, judge: JudgeServer) -> None:
    import sys

    ready.write("prompt.py", "import json, sys; d = json.load(sys.stdin); print('Look at', d['output'], d['config'])")
    judge.replies = ['{"score": 1}']
    result = await ready.one(
        OWN.replace("PROMPT", f"{{command: [{sys.executable}, prompt.py], config: {{strict: true}}}}")
    )
    assert result.verdict is Verdict.PASSED, result.reason
    assert judge.bodies[0]["messages"][1]["content"] == "Look at You have 30 days. {'strict': True}"
    ready.write("prompt.py", "raise SystemExit('no prompt today')")
    result = await ready.one(OWN.replace("PROMPT", f"{{command: [{sys.executable}, prompt.py]}}"))
    assert "no prompt today" in result.reason


async def test_weights_and_gates_are_not_told_to_the_judge(ready: Folder, judge: JudgeServer) -> None:
    judge.replies = [GOOD]
    await ready.one(SUITE.replace("outcome: Is friendly", "outcome: Is friendly, weight: 7.5, required: true"))
    said = json.dumps(judge.bodies[0]["messages"])
    assert "7.5" not in said
    assert "required" not in said.lower()


# Prompts, by dialect

OLD = """
evalcases:
  - id: a
    expected_outcome: Good
    input_messages: [{role: user, content: hi}]
    expected_messages: [{role: assistant, content: hello}]
    execution: {evaluators: [{name: n, type: llm_judge, prompt: PROMPT, MORE}]}
"""


@pytest.mark.parametrize(
    ("prompt", "more", "sent", "reason"),
    [
        ("'{{ candidate_answer }} to {{ question }}'", "", "You have 30 days. to hi", ""),
        ("'{{ candidate_answer }} {{ output }}'", "", "You have 30 days. {{ output }}", ""),
        ("Is this kind?", "", "[[ ## expected_outcome ## ]]\nIs this kind?", ""),
        ("'Rate {{ question }}'", "", "", "has no {{ candidate_answer }} or {{ expected_messages }}"),
        ("'{{ candidate_answer }}!'", "rubrics: [{id: x, description: It is so}]", "[[ ## candidate_answer ## ]]", ""),
    ],
)  # fmt: skip
async def test_prompts_as_older_releases_take_them(
    ready: Folder, judge: JudgeServer, prompt: str, more: str, sent: str, reason: str
) -> None:
    judge.replies = [checks(x=True) if more else '{"score": 1}']
    result = await ready.one(OLD.replace("PROMPT", prompt).replace(", MORE", f", {more}" if more else ""), "agentv-1")
    if reason:
        assert reason in result.reason
        assert "(line 7)" in result.reason
    else:
        assert result.verdict is Verdict.PASSED, result.reason
        assert sent in judge.bodies[0]["messages"][1]["content"]


EARLY = """
evalcases:
  - id: a
    outcome: Good
    input_messages: [{role: user, content: hi}]
    expected_messages: [{role: assistant, content: hello}]
    execution: {evaluators: [{name: n, type: llm_judge, prompt: PROMPT}]}
"""
_HI = [{"type": "text", "value": "hi"}]
_HELLO = [{"role": "assistant", "content": "hello"}]
_SAID = [{"role": "assistant", "content": "You have 30 days."}]
LATER = """
tests:
  - id: a
    criteria: Good
    input: [{role: user, content: hi}]
    expected_output: [{role: assistant, content: hello}]
    assert: [{name: n, type: llm-judge, prompt: PROMPT}]
"""


@pytest.mark.parametrize(
    ("prompt", "sent"),
    [
        ("{{candidate_answer}}, {{question}}, {{expected_outcome}}, {{reference_answer}}", "You have 30 days., hi, Good, hello"),
        ("{{candidateAnswer}}, {{referenceAnswer}}, {{outcome}}", "You have 30 days., hello, Good"),
        ("{{ output_messages }} {{ candidate_anser }}", "You have 30 days. {{ candidate_anser }}"),
        ("{{expected_messages}}", json.dumps(_HELLO, indent=2)),
    ],
)  # fmt: skip
async def test_prompts_with_variables_in_agentv_0_5(ready: Folder, judge: JudgeServer, prompt: str, sent: str) -> None:
    """A prompt with variables is what the judge is shown; one without replaces its instructions."""
    judge.replies = ['{"score": 1}']
    result = await ready.one(EARLY.replace("PROMPT", f"'{prompt}'"), "agentv-0.5", grader_target="judge")
    assert result.verdict is Verdict.PASSED, result.reason
    system, user = (message["content"] for message in judge.bodies[0]["messages"])
    assert user == sent
    assert "Reply with one JSON object" in system


async def test_a_prompt_of_agentv_0_5_that_shows_no_answer(ready: Folder, judge: JudgeServer) -> None:
    result = await ready.one(EARLY.replace("PROMPT", "'Rate {{question}}'"), "agentv-0.5", grader_target="judge")
    assert result.verdict is Verdict.UNSCORED
    assert "has no {{ candidate_answer }}" in result.reason
    assert not judge.bodies


@pytest.mark.parametrize(
    ("dialect", "text", "variables", "sent"),
    [
        ("agentv-0.5", EARLY, "{{candidate_answer}} {{input_messages}}", ["You have 30 days.", _HI]),
        ("agentv-1", OLD, "{{input_messages}} {{expected_messages}} {{output_messages}}", [_HI, _HELLO, _SAID]),
        ("agentv-2.7", LATER, "{{input}} {{expected_output}} {{output}}", [_HI, _HELLO, _SAID]),
        ("agentv-3", LATER, "{{input}} {{expected_output}} {{output}}", ["hi", "hello", "You have 30 days."]),
    ],
)  # fmt: skip
async def test_variables_that_stand_for_messages(
    ready: Folder, judge: JudgeServer, dialect: str, text: str, variables: str, sent: list[object]
) -> None:
    """They are JSON until agentv-3, whose prompts show their text."""
    judge.replies = ['{"score": 1}']
    suite = text.replace("PROMPT", f"'{variables}'").replace(", MORE", "")
    result = await ready.one(suite, dialect, grader_target="judge")
    assert result.verdict is Verdict.PASSED, result.reason
    shown = " ".join(each if isinstance(each, str) else json.dumps(each, indent=2) for each in sent)
    assert judge.bodies[0]["messages"][1]["content"] == shown


NEW = """
prompts: ["{{ q }}"]
tests:
  - id: a
    vars: {q: hi}
    metadata: {owner: me}
    assert:
      - {type: llm-rubric, value: [It is so], temperature: 0.5, prompt: "Look: {{ rubrics }} / {{ metadata_json }} / {{ answer }}"}
"""


async def test_the_prompt_of_an_llm_rubric(ready: Folder, judge: JudgeServer) -> None:
    judge.replies = [checks(rubric_1=True)]
    result = await ready.one(NEW, "agentv-5")
    assert result.verdict is Verdict.PASSED, result.reason
    said = judge.bodies[0]["messages"][1]["content"]
    assert " ".join(said.split()) == 'Look: - rubric-1: It is so / {"owner":"me"} /'  # no `answer`: empty
    assert judge.bodies[0]["temperature"] == 0.5


async def test_a_provider_that_is_written_out_in_an_evaluator_is_refused_at_its_line(ready: Folder) -> None:
    result = await ready.one(NEW.replace("temperature: 0.5", "provider: {id: openai}"), "agentv-5")
    assert "name one from `providers` (line 8)" in result.reason


async def test_changes_and_tool_calls_are_shown_to_the_judge(ready: Folder, judge: JudgeServer) -> None:
    calls = [{"tool": "Read", "input": {"path": "a.py"}}]
    told = {
        "file_changes": "+++ b/a.py",
        "output": [{"role": "assistant", "content": "You have 30 days.", "tool_calls": calls}],
    }
    ready.write("bot.sh", f"cat <<'EOT'\n{json.dumps(told)}\nEOT\n")
    ready.targets(
        {"name": "default", "provider": "cli", "command": "sh bot.sh", "grader_target": "judge"}, judge.target()
    )
    judge.replies = [GOOD]
    assert (await ready.one(SUITE)).verdict is Verdict.PASSED
    said = judge.bodies[0]["messages"][1]["content"]
    assert "[[ ## file_changes ## ]]\n+++ b/a.py" in said
    assert "[[ ## tool_calls ## ]]\n- Read: a.py" in said


SUITES = {
    "agentv-0.1": "testcases: [{id: a, outcome: Good, messages: [{role: user, content: hi}, {role: assistant, content: hello}]}]",
    "agentv-0.5": "evalcases: [{id: a, outcome: Good, input_messages: [{role: user, content: hi}], expected_messages: [{role: assistant, content: hello}]}]",
    "agentv-1": "evalcases: [{id: a, expected_outcome: Good, input_messages: [{role: user, content: hi}], expected_messages: [{role: assistant, content: hello}], rubrics: [{id: x, description: so}]}]",
    "agentv-2.7": "tests: [{id: a, criteria: Good, input: hi, assert: [{type: rubrics, criteria: [{id: x, outcome: so, score_ranges: {0: no, 5: yes}}]}]}]",
    "agentv-3": "tests: [{id: a, criteria: Good, input: hi, assertions: [{type: rubrics, criteria: [{id: x, outcome: so, score_ranges: {0: no, 5: yes}}]}]}]",
    "agentv-5": "prompts: [hi]\ntests: [{id: a, assert: [{type: llm-rubric, value: [{id: x, outcome: so}]}]}]",
}


@pytest.mark.parametrize("dialect", SUITES)
@pytest.mark.parametrize(
    "reply", ["no idea", '{"checks": [], "score": 7.5}', checks(x=7.5), '{"checks": [{"id": "y", "score": 8}]}']
)
async def test_a_reply_that_cannot_be_used_is_no_score_in_any_dialect(
    ready: Folder, judge: JudgeServer, dialect: str, reply: str
) -> None:
    judge.replies = [reply]
    result = await ready.one(SUITES[dialect], dialect)
    assert (result.verdict, result.score, len(judge.bodies)) == (Verdict.UNSCORED, None, 3)
    assert judge.bodies[-1]["messages"][-1]["content"].startswith("That reply cannot be used: ")
    assert result.reason.endswith(
        "agentv would score this 0" if dialect < "agentv-2" else "agentv would leave this evaluator out of the mean"
    )


SHEET = {
    "output": [
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "see"},
                {"type": "file", "media_type": "application/x-sheet", "path": "out.xlsx"},
                {"type": "file", "media_type": "text/csv", "path": "rows.csv"},
            ],
        }
    ]
}


async def test_judges_are_told_what_is_in_the_files_of_an_answer(folder: Folder) -> None:
    folder.write("answer.json", json.dumps(SHEET))
    folder.write("rows.csv", "a,b\n1,2\n")
    (folder.path / "out.xlsx").write_bytes(b"\x00\xff")
    folder.write("to_text.py", "import sys; print(sys.argv[1:], sys.stdin.read())")
    folder.targets({"name": "default", "provider": "cli", "command": "cat answer.json"})
    judge = Scripted(['{"score": 1, "assertions": []}'])
    suite = """
        preprocessors: [{type: .xlsx, command: [python3, gone.py]}]
        tests:
          - id: a
            input: hi
            criteria: c
            assertions:
              - {type: llm-grader, preprocessors: [{type: xlsx, command: [python3, to_text.py]}]}
              - {type: contains, value: see}
    """
    graded = LlmJudgeEvaluator(resolve_judge_provider=lambda _: judge)
    result = await folder.one(suite, evaluators={"llm_judge": graded})
    assert result.score == 1, result
    told = {"path": str(folder.path / "out.xlsx"), "original_path": "out.xlsx", "media_type": "application/x-sheet"}
    files = f"see\n[[ file: out.xlsx ]]\n[] {json.dumps(told)}\n[[ file: rows.csv ]]\na,b\n1,2"
    assert files in judge.asked[0].messages[-1].content
    assert result.answer == "see"


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("[python3, -c, 'exit(3)']", "the preprocessor python3 -c 'exit(3)' for out.xlsx: ended with exit code 3"),
        (None, "the file out.xlsx of the answer is not text; a preprocessor can convert it"),
    ],
)
async def test_a_file_that_gives_no_text_leaves_the_case_without_a_score(
    folder: Folder, command: str | None, reason: str
) -> None:
    folder.write("answer.json", json.dumps(SHEET))
    (folder.path / "out.xlsx").write_bytes(b"\x00\xff")
    folder.targets({"name": "default", "provider": "cli", "command": "cat answer.json"})
    head = f"preprocessors: [{{type: xlsx, command: {command}}}]\n" if command else ""
    graded = LlmJudgeEvaluator(resolve_judge_provider=lambda _: Scripted(["{}"]))
    result = await folder.one(f"{head}tests: [{{id: a, input: hi, criteria: c}}]", evaluators={"llm_judge": graded})
    assert result.verdict is Verdict.UNSCORED
    assert reason in result.reason


@pytest.mark.parametrize(
    ("tool", "given", "line"),
    [
        ("Read", {"limit": 5, "other": "x", "file_path": "a.py"}, "- Read: a.py"),
        ("Bash", {"command": "x" * 121}, f"- Bash: {'x' * 120}…"),
        ("Bash", {"description": "looks"}, "- Bash: looks"),
        ("Grep", {"path": ".", "pattern": "TODO"}, "- Grep: TODO"),
        ("search", {"n": 3, "q": "tides", "lang": "en"}, "- search: tides"),
        ("search", {"q": "x" * 121, "lang": "en"}, "- search: en"),
        ("search", {"n": 3, "q": ""}, "- search"),
        ("search", None, "- search"),
        ("search", "tides", "- search"),
    ],
)
def test_a_line_for_each_tool_call(tool: str, given: object, line: str) -> None:
    from rubric_core.evaluation.judging.prompts import tool_call_lines
    from rubric_core.ports import ToolUse

    assert tool_call_lines([ToolUse(tool, given), ToolUse("end")]) == f"{line}\n- end"
