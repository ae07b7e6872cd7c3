"""What promptfoo sends to models of vendors, and what it takes out of their replies."""

import json
from pathlib import Path
from typing import Any

import pytest

from rubric_core.disk import DiskFiles
from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.target_choice import targets_for
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.fingerprint import fingerprint
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.inputs import conversation_text
from rubric_core.families.promptfoo.cases.configuration import ConfigurationError
from rubric_core.families.promptfoo.cases.models import vendor_target
from rubric_core.families.promptfoo.targets.models.chats import prompt_of
from rubric_core.families.promptfoo.targets.models.model import family_of
from rubric_core.families.promptfoo.targets.models.model_call import ModelCall
from rubric_core.ports import ChatMessage, ProviderError, Request

TOOLS = [{"type": "function", "function": {"name": "weather"}}]
CALLS = [{"id": "t", "type": "function", "function": {"name": "weather", "arguments": "{}"}}]
SCHEMA = {"type": "json_schema", "json_schema": {"name": "s", "schema": {"type": "object"}}}
USUAL = {"max_tokens": 1024, "temperature": 0}


def body(
    config: dict[str, Any], identity: str = "openai:chat:gpt-4o", *, files: dict[str, Any] | None = None, prompt: str = "hello",
    environment: dict[str, str] | None = None, **row: Any,
) -> Any:  # fmt: skip
    """The body that is sent, without model and messages, or the reason for which the model is not called."""

    def load(name: str) -> Any:
        if name not in (files or {}):
            raise ConfigurationError(f"there is no file {name}")
        return (files or {})[name]

    target = vendor_target(identity, config, load)
    assert target is not None
    model = target.model
    if target.trouble or model is None:
        return target.trouble
    call = ModelCall(model.vendor, model.model, prompt, {**model.config, **row}, model.config, environment or {})
    return {k: v for k, v in model.family.body(call).items() if k not in ("model", "messages", "contents", "input")}


@pytest.mark.parametrize(
    ("config", "sent"),
    [
        ({}, {}),
        ({"tools": TOOLS, "tool_choice": "auto"}, {"tools": TOOLS, "tool_choice": "auto"}),
        ({"tools": []}, {}),
        ({"seed": 0, "top_p": 0, "store": False}, {"seed": 0, "top_p": 0, "store": False}),
        ({"stop": "", "user": "", "function_call": None, "service_tier": ""}, {}),
        ({"stop": [], "metadata": {}}, {"stop": [], "metadata": {}}),
        ({"passthrough": {"logit_bias": {"1": 2}, "seed": 3}, "seed": 1}, {"logit_bias": {"1": 2}, "seed": 3}),
        ({"reasoning_effort": "low", "showThinking": False, "n": 2}, {}),
        ({"temperature": 0.5, "max_tokens": 3}, {"temperature": 0.5, "max_tokens": 3}),
    ],
)  # fmt: skip
def test_settings_that_are_sent(config: dict[str, Any], sent: object) -> None:
    assert body(config) == {**USUAL, **(sent if isinstance(sent, dict) else {})}


def test_settings_with_which_a_model_is_not_called() -> None:
    assert body({"mcp": {"enabled": True}}) == "rubric does not support `config.mcp` of openai:chat:gpt-4o"
    assert "`config.functionToolCallbacks`" in body({"functionToolCallbacks": {}}, "azure:chat:d")


def test_the_settings_of_a_row_take_precedence() -> None:
    assert body({"temperature": 1, "seed": 2}, temperature=0.5) == {**USUAL, "temperature": 0.5, "seed": 2}
    routed = body({"route": "r", "passthrough": {"a": 1}}, "openrouter:a/b", passthrough={"b": 2})
    assert routed == {**USUAL, "b": 2}
    assert body({"temperature": 1}, "togetherai:m", seed=3, temperature=0.5) == {**USUAL, "temperature": 1, "seed": 3}


def test_models_that_think() -> None:
    """They get neither a temperature nor the usual limit, and only they get an effort."""
    for model, sent in (
        ("gpt-5-mini", {"reasoning_effort": "low", "max_completion_tokens": 5, "verbosity": "low"}),
        ("o3-mini", {"reasoning_effort": "low", "max_completion_tokens": 5}),
        ("ft:o3-mini", {"reasoning_effort": "low", "max_completion_tokens": 5}),
        ("a/gpt-oss-20b", {"reasoning_effort": "low", **USUAL}),
        ("gpt-4o", USUAL),
    ):
        config = {"reasoning_effort": "low", "max_completion_tokens": 5, "verbosity": "low"}
        assert body(config, f"openai:chat:{model}") == sent, model


def test_the_environment_sets_defaults() -> None:
    known = {
        "OPENAI_TEMPERATURE": "0.5",
        "OPENAI_MAX_TOKENS": "7.9",
        "OPENAI_TOP_P": "0.25",
        "OPENAI_PRESENCE_PENALTY": "x",
    }
    assert body({}, environment=known) == {"temperature": 0.5, "max_tokens": 7, "top_p": 0.25, "presence_penalty": 0}
    assert body({"omitDefaults": True}) == {}
    assert body({"omitDefaults": True}, environment=known)["max_tokens"] == 7


@pytest.mark.parametrize(
    ("identity", "config", "sent"),
    [
        ("groq:llama", {"include_reasoning": False}, {**USUAL, "include_reasoning": False}),
        ("groq:qwen", {"reasoning_effort": "low"}, {"temperature": 0, "reasoning_effort": "low"}),
        ("xai:grok-4", {"stop": ["a"], "reasoning_effort": "low", "search_parameters": {"a": 1}}, {"temperature": 0, "search_parameters": {"a": 1}}),
        ("xai:grok-2", {"stop": ["a"]}, {**USUAL, "stop": ["a"]}),
        ("cerebras:m", {"max_completion_tokens": 5}, {"temperature": 0, "max_completion_tokens": 5}),
        ("fireworks:accounts/a/m", {"top_k": 3, "max_tokens": 5}, {"temperature": 0, "max_tokens": 5}),
        ("nvidia:a/m", {"tools": TOOLS}, {**USUAL, "tools": TOOLS}),
        ("openrouter:a/b", {"route": "fallback", "transforms": []}, {**USUAL, "route": "fallback", "transforms": []}),
        ("mistral:m", {"parallel_tool_calls": 0, "tools": TOOLS}, {"top_p": 1, "max_tokens": 1024, "random_seed": None, "parallel_tool_calls": False, "tools": TOOLS}),
        ("azure:chat:d", {"seed": 1}, {**USUAL, "top_p": 1, "presence_penalty": 0, "frequency_penalty": 0, "seed": 1}),
        ("azure:chat:my-o3", {}, {"reasoning_effort": "medium", "max_completion_tokens": 1024, "top_p": 1, "presence_penalty": 0, "frequency_penalty": 0}),
        ("ollama:chat:m", {"num_predict": 3, "max_tokens": 4, "think": False, "tools": TOOLS}, {"options": {"num_predict": 3, "think": False}, "stream": False, "think": False, "tools": TOOLS}),
        ("ollama:m", {"stop": ["a"], "passthrough": {"format": "json"}}, {"prompt": "hello", "stream": False, "options": {"stop": ["a"]}, "format": "json"}),
        ("openai:responses:gpt-4o", {"tools": TOOLS, "tool_choice": TOOLS[0], "store": 0}, {"max_output_tokens": 1024, "temperature": 0, "tools": [{"type": "function", "name": "weather"}], "tool_choice": {"type": "function", "name": "weather"}, "text": {"format": {"type": "text"}}, "store": False}),
        ("openai:responses:o3", {"reasoning": {"effort": "low"}, "top_p": 1, "response_format": SCHEMA}, {"reasoning": {"effort": "low"}, "text": {"format": {"type": "json_schema", "name": "s", "schema": {"type": "object"}, "strict": True}}}),
        ("azure:responses:d", {"top_p": 1, "response_format": {"type": "json_object"}}, {"max_output_tokens": 1024, "temperature": 0, "top_p": 1, "text": {"format": {"type": "json_object"}}}),
    ],
)  # fmt: skip
def test_requests_of_vendors(identity: str, config: dict[str, Any], sent: dict[str, Any]) -> None:
    assert body(config, identity) == sent


CLAUDE = "anthropic:messages:claude-3-7-sonnet"


@pytest.mark.parametrize(
    ("identity", "config", "sent"),
    [
        (CLAUDE, {}, USUAL),
        (CLAUDE, {"top_p": 0.5, "temperature": 1}, {"max_tokens": 1024, "top_p": 0.5}),
        (CLAUDE, {"thinking": {"type": "enabled"}, "top_p": 0.5, "top_k": 3, "tool_choice": "required"}, {"max_tokens": 2048, "top_p": 0.95, "thinking": {"type": "enabled"}}),
        (CLAUDE, {"tools": TOOLS, "tool_choice": "required"}, {**USUAL, "tools": [{"name": "weather", "input_schema": {"type": "object", "properties": {}}}], "tool_choice": {"type": "any"}}),
        (CLAUDE, {"tools": [{"name": "a"}], "tool_choice": {"type": "tool", "name": "a"}}, {**USUAL, "tools": [{"name": "a"}], "tool_choice": {"type": "tool", "name": "a"}}),
        (CLAUDE, {"tools": [{"type": "web_search_20250305", "max_uses": 5, "other": 1}]}, {**USUAL, "tools": [{"type": "web_search_20250305", "name": "web_search", "max_uses": 5}]}),
        (CLAUDE, {"effort": "low", "output_format": {"type": "json_schema"}}, {**USUAL, "output_config": {"format": {"type": "json_schema"}, "effort": "low"}}),
        ("anthropic:claude-opus-4-7", {"temperature": 1, "thinking": {"type": "enabled", "budget_tokens": 5}}, {"max_tokens": 2048, "thinking": {"type": "adaptive"}}),
        ("anthropic:claude-opus-5", {"effort": "max", "thinking": {"type": "disabled"}}, {"max_tokens": 2048, "output_config": {"effort": "max"}}),
        ("anthropic:claude-opus-4-5", {}, USUAL),
    ],
)  # fmt: skip
def test_requests_to_claude(identity: str, config: dict[str, Any], sent: dict[str, Any]) -> None:
    assert body(config, identity) == {"stream": False, **sent}


@pytest.mark.parametrize(
    ("config", "sent"),
    [
        ({"temperature": 1, "generationConfig": {"topK": 2}}, {"generationConfig": {"temperature": 1, "topK": 2}}),
        ({"systemInstruction": "Be brief"}, {"generationConfig": {}, "system_instruction": {"parts": [{"text": "Be brief"}]}}),
        ({"responseSchema": {"a": 1}}, {"generationConfig": {"response_schema": {"a": 1}, "response_mime_type": "application/json"}}),
        ({"tools": [{"google_search": {}}]}, {"generationConfig": {}, "tools": [{"google_search": {}, "googleSearch": {}}]}),
        ({"tool_choice": "required"}, {"generationConfig": {}, "toolConfig": {"functionCallingConfig": {"mode": "ANY"}}}),
        (
            {"toolConfig": {"functionCallingConfig": {"mode": "any", "allowedFunctionNames": ["f"]}}, "tool_choice": "none"},
            {"generationConfig": {}, "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["f"]}}},
        ),
        ({"tools": TOOLS, "tool_choice": "none"}, {"generationConfig": {}, "toolConfig": {"functionCallingConfig": {"mode": "NONE"}}}),
        (
            {"tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "title": "T", "properties": {"a": {"type": "array", "items": {"type": "string", "default": 1}}}}}}]},
            {"generationConfig": {}, "tools": [{"functionDeclarations": [{"name": "f", "parameters": {"type": "OBJECT", "properties": {"a": {"type": "ARRAY", "items": {"type": "STRING"}}}}}]}]},
        ),
    ],
)  # fmt: skip
def test_requests_to_gemini(config: dict[str, Any], sent: dict[str, Any]) -> None:
    assert body(config, "google:gemini-2.5-flash") == sent


@pytest.mark.parametrize(
    ("config", "sent"),
    [
        ({"tools": "file://t.json"}, {"tools": TOOLS}),
        ({"tools": ["file://t.json", "file://t.json"]}, {"tools": [*TOOLS, *TOOLS]}),
        ({"tools": ["file://one.yaml", *TOOLS]}, {"tools": [TOOLS[0], *TOOLS]}),
        ({"response_format": "file://format.yml"}, {"response_format": SCHEMA}),
        ({"response_format": {"type": "json_schema", "schema": "file://s.json"}}, {"response_format": {"type": "json_schema", "schema": {"type": "object"}}}),
        ({"response_format": {"type": "json_schema", "json_schema": {"name": "s", "schema": "file://s.json"}}}, {"response_format": SCHEMA}),
        ({"tools": "file://t.py:make"}, "rubric does not send `config.tools` from t.py:make to openai:chat:gpt-4o"),
        ({"tools": "file://missing.json"}, "promptfoo stops: there is no file file://missing.json"),
        ({"user": "file://t.json"}, {"user": "file://t.json"}),
    ],
)  # fmt: skip
def test_tools_and_formats_in_files(config: dict[str, Any], sent: object) -> None:
    known = {"file://t.json": TOOLS, "file://one.yaml": TOOLS[0], "file://format.yml": SCHEMA, "file://s.json": {"type": "object"}}  # fmt: skip
    assert body(config, files=known) == ({**USUAL, **sent} if isinstance(sent, dict) else sent)


def messages(prompt: str, identity: str = "openai:chat:gpt-4o") -> Any:
    target = vendor_target(identity, {})
    assert target is not None
    assert target.model is not None
    made = target.model.family.body(ModelCall(target.model.vendor, "m", prompt, {}, {}, {}))
    return made.get("messages", made.get("contents"))


HI = {"role": "user", "content": "hi"}


@pytest.mark.parametrize(
    ("prompt", "sent"),
    [
        ("hi", [HI]),
        ('[{"role": "user", "content": "hi", "name": "n"}]', [{**HI, "name": "n"}]),
        ("- role: user\n  content: hi", [HI]),
        ("42", 42),
        ("NaN", [{"role": "user", "content": "NaN"}]),
        ("[x]", [{"role": "user", "content": "[x]"}]),
    ],
)
def test_messages_in_prompts(prompt: str, sent: object) -> None:
    assert messages(prompt) == sent


@pytest.mark.parametrize("prompt", ['{"a": 1', "{a}", '["x]', "[1,]", "- role: [x"])
def test_prompts_that_only_look_like_messages(prompt: str) -> None:
    if prompt.endswith("1"):
        assert messages(prompt) == [{"role": "user", "content": prompt}]
        return
    with pytest.raises(ProviderError, match="with which promptfoo stops"):
        messages(prompt)


def test_messages_to_claude() -> None:
    """A system prompt is apart; the lines of a text may begin with a role."""
    assert messages("user: hi\nthere\nassistant: ho\n\nsystem: be", CLAUDE) == [
        {"role": "user", "content": [{"type": "text", "text": "hi\nthere"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "ho"}]},
    ]
    assert messages('[{"role": "system", "content": "s"}, {"role": "user", "content": "hi"}]', CLAUDE) == [
        {"role": "user", "content": [{"type": "text", "text": "hi"}]}
    ]
    assert messages(" ", CLAUDE) == [{"role": "user", "content": [{"type": "text", "text": ""}]}]


def test_messages_to_gemini() -> None:
    name = "google:gemini-2.5-flash"
    assert messages("hi", name) == [{"parts": [{"text": "hi"}], "role": "user"}]
    assert messages('[{"role": "system", "content": "s"}, {"role": "assistant", "content": "a"}]', name) == [
        {"role": "model", "parts": [{"text": "a"}]}
    ]
    assert messages('[{"role": "system", "content": "s"}]', name) == [{"role": "user", "parts": [{"text": "s"}]}]
    assert messages('{"system_instruction": {"parts": []}, "contents": [1]}', name) == [1]


def test_the_messages_of_a_grader_are_sent_as_they_are() -> None:
    several = (ChatMessage("system", "s"), ChatMessage("user", "{}"))
    assert json.loads(prompt_of(Request(several, conversation_text(several)))) == [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "{}"},
    ]
    assert prompt_of(Request(several, '[{"role": "system"}]')) == '[{"role": "system"}]'
    assert prompt_of(Request((ChatMessage("user", "hi"),), "hi")) == "hi"


def output(reply: dict[str, Any], vendor: str = "openai", form: str = "chat", **config: Any) -> Any:
    return family_of(vendor, form).output(reply, ModelCall(vendor, "m", "", config, config, {}))


def completion(**message: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"role": "assistant", **message}, "finish_reason": "stop"}]}


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ({"content": "fine"}, "fine"),
        ({"content": None, "tool_calls": CALLS}, CALLS),
        ({"content": "", "tool_calls": CALLS}, CALLS),
        ({"content": "See", "tool_calls": CALLS}, {"role": "assistant", "content": "See", "tool_calls": CALLS}),
        ({"content": "fine", "tool_calls": []}, "fine"),
        ({"content": None, "function_call": {"name": "f", "arguments": "{}"}}, {"name": "f", "arguments": "{}"}),
        ({"content": None, "function_call": {"name": "f"}, "tool_calls": []}, {"name": "f"}),
        ({"content": "fine", "function_call": {"name": "f"}, "tool_calls": []}, "fine"),
        ({"content": None, "reasoning": "One.", "tool_calls": CALLS}, None),
        ({"content": None}, None),
        ({"content": None, "refusal": "No.", "tool_calls": CALLS}, "No."),
        ({"content": "fine", "reasoning": "One."}, "Thinking: One.\n\nfine"),
        ({"content": "fine", "reasoning_content": "Two."}, "Thinking: Two.\n\nfine"),
        ({"content": "fine", "reasoning": "One.", "tool_calls": CALLS}, "Thinking: One.\n\nfine"),
    ],
)
def test_the_output(message: dict[str, Any], told: object) -> None:
    assert output(completion(**message)) == told


@pytest.mark.parametrize(
    ("vendor", "form", "reply", "told"),
    [
        ("azure", "chat", completion(content="", tool_calls=CALLS), ""),
        ("azure", "chat", completion(content=None, tool_calls=CALLS), CALLS),
        ("openrouter", "chat", completion(content="See", tool_calls=CALLS), CALLS),
        ("openrouter", "chat", completion(content=" ", reasoning="One."), "One."),
        ("mistral", "chat", completion(content=[{"type": "thinking"}, {"type": "text", "text": "fine"}]), "fine"),
        ("mistral", "chat", completion(content="", tool_calls=CALLS), CALLS),
        ("ollama", "chat", {"message": {"content": "", "tool_calls": [{"function": {"name": "f", "arguments": {"a": 1}}}]}}, [{"function": {"name": "f", "arguments": '{"a":1}'}}]),
        ("ollama", "completion", {"response": "fine"}, "fine"),
        ("anthropic", "chat", {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "a\n\nb"),
        ("anthropic", "chat", {"content": [{"type": "text", "text": "a"}, {"type": "tool_use", "name": "f", "input": {}}]}, 'a\n\n{"type":"tool_use","name":"f","input":{}}'),
        ("anthropic", "chat", {"content": [{"type": "thinking", "thinking": "t", "signature": "s"}, {"type": "text", "text": "a"}]}, "Thinking: t\nSignature: s\n\na"),
        ("anthropic", "rubric", {"content": [{"type": "tool_use", "name": "grade_output", "input": {"pass": True}}]}, {"pass": True}),
        ("google", "chat", {"candidates": [{"content": {"parts": [{"text": "a", "thought": True}, {"text": "b"}]}}]}, "ab"),
        ("google", "chat", {"candidates": [{"content": {"parts": [{"functionCall": {"name": "f"}}]}}]}, [{"functionCall": {"name": "f"}}]),
        ("openai", "responses", {"output": [{"type": "function_call", "name": "f", "arguments": "{}", "status": "completed"}]}, '{"type":"function_call","name":"f","status":"no_arguments_provided","note":"Function called but no arguments were extracted. Consider using the correct Responses API tool format."}'),
        ("openai", "responses", {"output": [{"type": "reasoning", "summary": [{"text": "t"}]}, {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a"}, {"type": "output_text", "text": "b"}]}]}, "Reasoning: t\nab"),
        ("openai", "responses", {"output": [{"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]}]}, "No."),
    ],
)  # fmt: skip
def test_outputs_of_vendors(vendor: str, form: str, reply: dict[str, Any], told: object) -> None:
    assert output(reply, vendor, form) == told


@pytest.mark.parametrize(
    ("vendor", "form", "reply", "ended", "reported"),
    [
        ("openai", "chat", completion(content="a"), "stop", {"guardrails": {"flagged": False}}),
        ("openai", "chat", completion(content="", refusal="No."), "stop", {"guardrails": {"flagged": True}}),
        ("azure", "chat", completion(content="", refusal="No."), "stop", {"guardrails": {"flagged": False}}),
        ("azure", "chat", {"choices": [{"message": {}, "finish_reason": "content_filter", "logprobs": {"content": [{"logprob": -1}]}}]}, "content_filter", {"guardrails": {"flagged": True}, "logProbs": [-1]}),
        ("openrouter", "chat", completion(content="", refusal="No."), "stop", {"guardrails": {}}),
        ("mistral", "chat", completion(content="a"), "", {"guardrails": {}}),
        ("openai", "responses", {}, "", {"guardrails": {}}),
        ("ollama", "chat", {}, "", {"guardrails": {}}),
        ("anthropic", "chat", {"stop_reason": "end_turn"}, "end_turn", {"guardrails": {}}),
        ("anthropic", "chat", {"stop_reason": "refusal", "stop_details": {"category": "c"}}, "refusal", {"guardrails": {"flagged": True}}),
        ("google", "chat", {"candidates": [{"safetyRatings": [{"probability": "HIGH"}]}]}, "", {"guardrails": {"flagged": True}}),
    ],
)  # fmt: skip
def test_what_replies_tell_beside_the_output(
    vendor: str, form: str, reply: dict[str, Any], ended: str, reported: dict[str, Any]
) -> None:
    answer = family_of(vendor, form).about(reply, 1.0, "m")
    assert (answer.finish_reason, answer.reported, answer.duration_ms) == (ended, reported, 1.0)


def test_data_that_fits_a_schema() -> None:
    data = completion(content='{"a": 1}')
    assert output(data, response_format=SCHEMA) == {"a": 1}
    assert output(completion(content="none"), response_format=SCHEMA) == "none"
    assert output(data, response_format={"type": "json_object"}) == '{"a": 1}'
    assert output(data, "azure", response_format={"type": "json_object"}) == {"a": 1}
    # A format that stands in a file makes no data of the output.
    target = vendor_target("openai:gpt-4o", {"response_format": "file://f.json"}, lambda _: SCHEMA)
    assert target is not None
    assert target.model is not None
    assert output(data, **target.model.config) == '{"a": 1}'


def test_what_a_model_thought_can_be_left_out() -> None:
    assert output(completion(content="fine", reasoning="One."), showThinking=False) == "fine"
    blocks = [{"type": "thinking", "thinking": "t"}, {"type": "text", "text": "a"}]
    assert output({"content": blocks}, "anthropic", showThinking=False) == "a"


@pytest.mark.parametrize("other", [{}, {"choices": []}, {"choices": [{"message": None}]}, {"choices": "no"}])
def test_a_reply_of_another_kind_is_reported(other: dict[str, Any]) -> None:
    with pytest.raises(ProviderError, match="not a chat completion"):
        output(other)


@pytest.mark.parametrize(
    ("vendor", "form", "reply"),
    [
        ("anthropic", "chat", {}),
        ("anthropic", "rubric", {"content": [{"type": "text", "text": "fine"}]}),
        ("google", "chat", {"candidates": [{"finishReason": "SAFETY"}]}),
        ("google", "chat", {"promptFeedback": {"blockReason": "OTHER"}}),
        ("google", "chat", {"candidates": [{"finishReason": "MAX_TOKENS", "content": {}}]}),
        ("openai", "responses", {"output": []}),
        ("ollama", "chat", {}),
    ],
)
def test_replies_of_vendors_without_an_output(vendor: str, form: str, reply: dict[str, Any]) -> None:
    with pytest.raises(ProviderError):
        output(reply, vendor, form)


@pytest.mark.parametrize(
    ("identity", "config", "environment", "url"),
    [
        (CLAUDE, {}, {}, "https://api.anthropic.com/v1/messages"),
        (CLAUDE, {}, {"ANTHROPIC_BASE_URL": "http://x/"}, "http://x/v1/messages"),
        (CLAUDE, {"apiBaseUrl": "http://y"}, {"ANTHROPIC_BASE_URL": "http://x"}, "http://y/v1/messages"),
        ("google:g", {"apiHost": "h"}, {}, "https://h/v1beta/models/g:generateContent"),
        ("google:g", {"apiBaseUrl": "http://y", "apiVersion": "v1"}, {}, "http://y/v1/models/g:generateContent"),
        ("ollama:chat:m", {}, {"OLLAMA_BASE_URL": "http://x"}, "http://x/api/chat"),
        ("ollama:m", {}, {}, "http://localhost:11434/api/generate"),
    ],
)
def test_addresses(identity: str, config: dict[str, Any], environment: dict[str, str], url: str) -> None:
    target = vendor_target(identity, config)
    assert target is not None
    assert target.model is not None
    model = target.model
    assert model.family.url is not None
    assert model.family.url(ModelCall(model.vendor, model.model, "", config, config, environment)) == url


def test_beta_features_of_claude() -> None:
    config = {
        "beta": ["a"],
        "headers": {"anthropic-beta": "b, a"},
        "tools": [{"type": "web_fetch_20250910"}, {"name": "x", "strict": True}],
    }
    call = ModelCall("anthropic", "m", "", config, config, {})
    found = family_of("anthropic", "chat").headers(call)
    assert found == {"anthropic-beta": "a,web-fetch-2025-09-10,structured-outputs-2025-11-13,b"}


def test_other_tools_are_another_case(tmp_path: Path) -> None:
    path = tmp_path / "promptfooconfig.yaml"
    found = []
    for config in ("{seed: 1}", "{seed: 2}", "{seed: 2, tools: file://t.json}", "{seed: 2, tools: file://t.json}"):
        (tmp_path / "t.json").write_text(f'[{{"type": "t{len(found)}"}}]', encoding="utf-8")
        path.write_text(f"prompts: [hi]\nproviders: [{{id: 'openai:gpt-4o', config: {config}}}]\n", encoding="utf-8")
        (case,) = load_suite(path).cases
        found.append(fingerprint(case, DiskFiles(), targets_for(case, DiskFiles())))
    assert len(set(found)) == len(found)


@pytest.mark.parametrize(
    ("named", "reason"),
    [
        ("../tools.json", "rubric does not send file://../tools.json, because a file that a template names has to be in the folder"),
        ("link.json", "file://link.json, because a file that a template names has to be in the folder"),
        ("tools.json", "127.0.0.1:9"),
    ],
)  # fmt: skip
async def test_a_template_names_no_file_outside(named: str, reason: str, tmp_path: Path) -> None:
    """The question before a run cannot show it, and a variable may come from a table or a program."""
    folder = tmp_path / "suite"
    folder.mkdir()
    for place in (tmp_path, folder):
        (place / "tools.json").write_text("[]", encoding="utf-8")
    (folder / "link.json").symlink_to(tmp_path / "tools.json")
    config = {"apiKey": "x", "apiBaseUrl": "http://127.0.0.1:9", "tools": "file://{{name}}"}
    suite = {
        "prompts": ["hi"],
        "providers": [{"id": "openai:gpt-4o", "config": config}],
        "tests": [{"vars": {"name": named}}],
    }
    path = folder / "promptfooconfig.yaml"
    path.write_text(json.dumps(suite), encoding="utf-8")
    (result,) = await run_cases([each for case in load_suite(path).cases for each in variations(case)])
    assert (result.verdict.value, reason in result.reason) == ("unscored", True), result.reason
