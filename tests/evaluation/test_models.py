"""Models behind every supported API: requests, replies, and fallbacks for servers with fewer options."""

import json

import pytest
from judge_server import Fault, JudgeServer, Rerouted
from suites import Folder, checks

from rubric_core.evaluation.engine.events import Answered
from rubric_core.evaluation.model.result import CaseResult, Verdict

KEY = "sk-very-secret-key"
SUITE = """
tests:
  - id: refund
    criteria: Explains the refund window
    input:
      - {role: system, content: You are terse}
      - {role: user, content: Can I return this?}
    assertions:
      - {type: rubrics, criteria: [{id: window, outcome: Names the 30 days}]}
"""
GOOD = checks(window=True)

KINDS = {
    "chat": {"provider": "openai", "model": "m", "base_url": "URL"},
    "responses": {"provider": "openai", "model": "m", "base_url": "URL", "api_format": "responses"},
    "azure": {"provider": "azure", "deployment": "m", "resource": "my-resource"},
    "azure-responses": {"provider": "azure", "deployment": "m", "endpoint": "https://x.openai.azure.com/", "api_format": "responses"},
    "anthropic": {"provider": "anthropic", "model": "m"},
    "gemini": {"provider": "gemini", "model": "m"},
    "openrouter": {"provider": "openrouter", "model": "m"},
}  # fmt: skip
PATHS = {
    "chat": "/v1/chat/completions",
    "responses": "/v1/responses",
    "azure": "/openai/deployments/m/chat/completions?api-version=2024-10-21",
    "azure-responses": "/openai/v1/responses",
    "anthropic": "/v1/messages",
    "gemini": "/v1beta/models/m:generateContent",
    "openrouter": "/api/v1/chat/completions",
}


async def run(folder: Folder, judge: JudgeServer, kind: str, **settings) -> CaseResult:
    """A model answers and judges itself."""
    entry = {"name": "default", "api_key": "${{ THE_KEY }}", "retry_initial_delay_ms": 1, **KINDS[kind], **settings}
    folder.targets({k: judge.url if v == "URL" else v for k, v in entry.items()})
    folder.environment["THE_KEY"] = KEY
    folder.network = lambda http: Rerouted(http, judge.url)
    return await folder.one(SUITE)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_model_answers_and_judges_by_schema(folder: Folder, judge: JudgeServer, kind: str) -> None:
    judge.replies = ["You have 30 days.", GOOD]
    result = await run(folder, judge, kind)
    assert result.verdict is Verdict.PASSED, result.reason
    assert judge.paths == [PATHS[kind]] * 2
    assert result.answer == "You have 30 days."
    assert result.tokens is not None
    assert (result.tokens.input, result.tokens.cached, result.tokens.output) == (60, 40, 20)
    assert result.cost_usd == (0.002 if kind in ("chat", "azure", "openrouter") else None)
    sent = json.dumps(judge.headers)
    assert KEY in sent
    assert KEY not in json.dumps(judge.bodies)
    assert "terse" in json.dumps(judge.bodies[0])
    assert "satisfied" in json.dumps(judge.bodies[1])
    answer = next(e.answer for e in folder.events if isinstance(e, Answered))
    assert (answer.model, answer.llm_calls) == ("judge-1-2026", 1)


async def test_what_each_api_is_sent(folder: Folder, judge: JudgeServer) -> None:
    judge.replies = ["ok", GOOD] * len(KINDS)
    for kind in KINDS:
        await run(folder, judge, kind, max_output_tokens=99)
    bodies = dict(zip(KINDS, judge.bodies[1::2], strict=True))
    headers = dict(zip(KINDS, judge.headers[1::2], strict=True))
    assert headers["chat"]["authorization"] == f"Bearer {KEY}"
    assert headers["azure"]["api-key"] == KEY
    assert (headers["anthropic"]["x-api-key"], headers["anthropic"]["anthropic-version"]) == (KEY, "2023-06-01")
    assert headers["gemini"]["x-goog-api-key"] == KEY
    assert bodies["chat"]["response_format"]["json_schema"]["strict"] is True
    assert (bodies["chat"]["max_tokens"], bodies["responses"]["max_output_tokens"]) == (99, 99)
    assert bodies["responses"]["text"]["format"]["type"] == "json_schema"
    assert bodies["responses"]["store"] is False
    assert [m["role"] for m in bodies["responses"]["input"]] == ["system", "user"]
    assert bodies["anthropic"]["tool_choice"] == {"type": "tool", "name": "rubric_checks"}
    assert bodies["anthropic"]["tools"][0]["input_schema"]["required"] == ["checks", "overall_reasoning"]
    assert [m["role"] for m in bodies["anthropic"]["messages"]] == ["user"]
    assert bodies["anthropic"]["max_tokens"] == 99
    config = bodies["gemini"]["generationConfig"]
    assert (config["responseMimeType"], config["maxOutputTokens"]) == ("application/json", 99)
    assert "additionalProperties" not in json.dumps(config)
    assert config["responseSchema"]["propertyOrdering"] == ["checks", "overall_reasoning"]
    assert bodies["openrouter"]["usage"] == {"include": True}


async def test_what_is_not_set_is_not_sent(folder: Folder, judge: JudgeServer) -> None:
    judge.replies = ["ok", GOOD] * len(KINDS)
    for kind in KINDS:
        await run(folder, judge, kind)
    for body in judge.bodies:
        assert "null" not in json.dumps(body)
    configs = [body["generationConfig"] for body in judge.bodies if "generationConfig" in body]
    assert configs
    assert not any("maxOutputTokens" in config for config in configs)


@pytest.mark.parametrize(
    ("kind", "complaint", "gone"),
    [
        ("chat", "Unsupported parameter: 'response_format'", "response_format"),
        ("responses", "Invalid value for 'text.format'", "text"),
        ("responses", "Unsupported parameter: 'temperature' is not supported with this model.", "temperature"),
        ("anthropic", "tool_choice: forced tool use is not supported", "tool_choice"),
        ("gemini", 'Invalid JSON payload received. Unknown name "responseSchema"', "responseSchema"),
        ("gemini", "temperature is not allowed", "temperature"),
    ],
)  # fmt: skip
async def test_what_a_server_does_not_take_is_left_out_from_then_on(
    folder: Folder, judge: JudgeServer, kind: str, complaint: str, gone: str
) -> None:
    judge.replies = ["ok", Fault.error(400, complaint), GOOD]
    assert (await run(folder, judge, kind)).verdict is Verdict.PASSED
    assert [f'"{gone}"' in json.dumps(body) for body in judge.bodies[1:]] == [True, False]


async def test_a_newer_model_is_told_its_limit_in_its_own_word(folder: Folder, judge: JudgeServer) -> None:
    complaint = (
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    )
    judge.replies = [Fault.error(400, complaint), "ok", GOOD]
    assert (await run(folder, judge, "chat", max_output_tokens=99)).verdict is Verdict.PASSED
    assert [b.get("max_completion_tokens") for b in judge.bodies] == [None, 99, 99]


async def test_a_prompt_that_a_server_refuses_takes_nothing_from_the_next_one(
    folder: Folder, judge: JudgeServer
) -> None:
    judge.replies = [Fault.error(400, "context length exceeded")]
    folder.targets(judge.target("default"))
    await folder.run(SUITE.replace("assertions", "x") + SUITE.split("tests:")[1].replace("refund", "again"), workers=1)
    asked = [b for b in judge.bodies if "rubric_checks" in json.dumps(b)]
    assert not asked, "the answer was refused, so nothing was judged"
    judge.replies = [*judge.replies] * len(judge.bodies) + ["ok", GOOD]
    assert (await folder.one(SUITE)).verdict is Verdict.PASSED
    assert "response_format" in judge.bodies[-1]


@pytest.mark.parametrize(
    ("kind", "body", "words"),
    [
        ("anthropic", {"content": "?"}, "is not a message"),
        ("anthropic", {"content": [], "stop_reason": "max_tokens"}, "raise max_output_tokens"),
        ("gemini", {"candidates": []}, "not generated content"),
        ("gemini", {"promptFeedback": {"blockReason": "SAFETY"}}, "rejected the prompt: SAFETY"),
        ("gemini", {"candidates": [{"finishReason": "RECITATION"}]}, "no answer: RECITATION"),
        ("gemini", {"candidates": [{"finishReason": "MAX_TOKENS"}]}, "raise max_output_tokens"),
        ("responses", {"choices": []}, "is not a response"),
        ("responses", {"output": [], "incomplete_details": {"reason": "max_output_tokens"}}, "raise max_output_tokens"),
        ("openrouter", {"error": {"message": f"no credit for {KEY}", "code": 402}}, "error: no credit for ***"),
        ("chat", {"choices": [{"message": {"content": [{"type": "image"}]}}]}, ""),
        ("chat", {"choices": [{"message": None}]}, "not a chat completion"),
        ("chat", {"choices": "none", "note": KEY}, "***"),
    ],
)  # fmt: skip
async def test_a_reply_without_an_answer_is_one_sentence(
    folder: Folder, judge: JudgeServer, kind: str, body: dict, words: str
) -> None:
    judge.replies = [Fault(body=json.dumps(body).encode())]
    result = await run(folder, judge, kind)
    assert result.verdict is Verdict.UNSCORED
    assert words in result.reason
    assert KEY not in repr(result)
    assert "\n" not in result.reason


@pytest.mark.parametrize(
    ("kind", "settings", "words"),
    [
        ("chat", {"model": None}, "openai targets need `model` (targets.yaml:1)"),
        ("chat", {"base_url": "localhost:1234"}, "localhost:1234 is not an HTTP address (targets.yaml:1, base_url)"),
        ("chat", {"api_format": "soap"}, "api_format must be chat or responses, found soap"),
        ("azure", {"resource": None}, "azure targets need `endpoint` or `resource`"),
        ("azure", {"deployment": None}, "azure targets need `deployment`"),
        ("anthropic", {"api_key": None}, "anthropic targets need `api_key`"),
        ("gemini", {"api_key": None}, "gemini targets need `api_key`"),
        ("openrouter", {"max_retries": -1}, "max_retries is a whole number of at least 0, found -1"),
        ("openrouter", {"retry_status_codes": [1]}, "retry_status_codes[] is a whole number from 100 to 599"),
        ("anthropic", {"base_url": "http://x"}, "base_url is not a setting of anthropic targets"),
        ("chat", {"api_key": "schlüssel-zum-glück"}, "characters that are not allowed in a header"),
    ],
)
async def test_settings_that_do_not_go_together(
    folder: Folder, judge: JudgeServer, kind: str, settings: dict, words: str
) -> None:
    wanted = {k: v for k, v in {**KINDS[kind], **settings}.items() if v is not None}
    folder.environment["THE_KEY"] = KEY
    key = {} if "api_key" in settings else {"api_key": "${{ THE_KEY }}"}
    folder.targets({"name": "default", **key, **{k: judge.url if v == "URL" else v for k, v in wanted.items()}})
    result = await folder.one(SUITE)
    assert result.verdict is Verdict.UNSCORED
    assert words in result.reason
    assert "(targets.yaml:1" in result.reason


@pytest.mark.parametrize(
    ("base", "asked"),
    [
        ("", "/v1/chat/completions"),
        ("/", "/v1/chat/completions"),
        ("/chat/completions", "/v1/chat/completions"),
        ("/responses", "/v1/responses"),
    ],
)
async def test_forms_of_an_address(folder: Folder, judge: JudgeServer, base: str, asked: str) -> None:
    judge.replies = ["ok", GOOD]
    folder.targets({"name": "default", "provider": "openai", "endpoint": judge.url + base, "model": "m"})
    assert (await folder.one(SUITE)).verdict is Verdict.PASSED
    assert set(judge.paths) == {asked}
    assert "authorization" not in judge.headers[0]


@pytest.mark.parametrize(
    ("endpoint", "version", "asked"),
    [
        ("x.openai.azure.com", None, "https://x.openai.azure.com/openai/deployments/m/chat/completions?api-version=2024-10-21"),
        ("https://x/openai/", "v2", "https://x/openai/deployments/m/chat/completions?api-version=v2"),
        ("https://x/openai/deployments/other", "v2", "https://x/openai/deployments/other/chat/completions?api-version=v2"),
        ("https://x/openai/v1", None, "https://x/openai/v1/chat/completions"),
    ],
)  # fmt: skip
async def test_forms_of_an_azure_endpoint(
    folder: Folder, judge: JudgeServer, endpoint: str, version: str | None, asked: str
) -> None:
    judge.replies = ["ok", GOOD]
    wires: list[Rerouted] = []
    entry = {"name": "default", "provider": "azure", "deployment": "m", "api_key": KEY, "endpoint": endpoint}
    folder.targets({**entry, **({"version": version} if version else {})})

    def network(http):
        wires.append(Rerouted(http, judge.url))
        return wires[-1]

    folder.network = network
    await folder.one(SUITE)
    assert set(wires[0].asked) == {asked}


async def test_a_model_that_thinks_is_not_made_to_call_a_tool(folder: Folder, judge: JudgeServer) -> None:
    judge.replies = ["ok", GOOD]
    await run(folder, judge, "anthropic", thinking_budget=2000, temperature=0.5)
    for body in judge.bodies:
        assert body["thinking"] == {"type": "enabled", "budget_tokens": 2000}
        assert body["max_tokens"] > 2000
        assert not body.keys() & {"tool_choice", "temperature"}


async def test_the_effort_of_a_model(folder: Folder, judge: JudgeServer) -> None:
    judge.replies = ["ok", GOOD] * 4
    for kind in ("chat", "responses", "openrouter", "gemini"):
        await run(folder, judge, kind, variant="high")
    assert judge.bodies[0]["reasoning_effort"] == "high"
    assert judge.bodies[2]["reasoning"] == {"effort": "high"}
    assert judge.bodies[4]["reasoning"] == {"effort": "high"}
    assert judge.bodies[6]["generationConfig"]["thinkingConfig"] == {"thinkingLevel": "high"}


async def test_a_judge_in_a_conversation_is_asked_in_turns(folder: Folder, judge: JudgeServer) -> None:
    judge.replies = ["ok", "{}", GOOD]
    assert (await run(folder, judge, "gemini")).verdict is Verdict.PASSED
    assert [c["role"] for c in judge.bodies[2]["contents"]] == ["user", "model", "user"]
