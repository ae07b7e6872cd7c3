"""What a chat of promptfoo with a model of OpenAI sends, and what it takes out of the reply (issue 18, section 3)."""

from pathlib import Path
from typing import Any

import pytest

from rubric_core.disk import DiskFiles
from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.promptfoo.configuration import ConfigurationError
from rubric_core.evaluation.cases.promptfoo.vendors import vendor_target
from rubric_core.evaluation.cases.target_choice import targets_for
from rubric_core.evaluation.engine.fingerprint import fingerprint
from rubric_core.evaluation.targets.promptfoo_chat import ChatSettings, PromptfooChatWire
from rubric_core.evaluation.targets.providers.chat import ChatWire
from rubric_core.language.providers import Api
from rubric_core.ports import ChatMessage, ProviderError, Request
from rubric_core.text import Span

TOOLS = [{"type": "function", "function": {"name": "weather"}}]
CALLS = [{"id": "t", "type": "function", "function": {"name": "weather", "arguments": "{}"}}]
SCHEMA = {"type": "json_schema", "json_schema": {"name": "s", "schema": {"type": "object"}}}


def fields(config: dict[str, Any], identity: str = "openai:chat:gpt-4o", files: dict[str, Any] | None = None) -> Any:
    """The fields that are sent, or the reason for which the model is not called."""

    def load(name: str) -> Any:
        if name not in (files or {}):
            raise ConfigurationError(f"there is no file {name}")
        return (files or {})[name]

    target = vendor_target(identity, config, load)
    assert target is not None
    return target.trouble or (target.chat.fields if target.chat is not None else None)


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
        ({"passthrough": {"model": "other"}}, "rubric does not send `config.passthrough` as it is written to openai:chat:gpt-4o"),
        ({"reasoning_effort": "low", "showThinking": False}, {}),
        ({"tools": "{{tools}}"}, "rubric does not send `config.tools` with a template in it to openai:chat:gpt-4o"),
        ({"metadata": {"a": ["{% raw %}"]}}, "rubric does not send `config.metadata` with a template in it to openai:chat:gpt-4o"),
        ({"mcp": {"enabled": True}}, "rubric does not send `config.mcp` to openai:chat:gpt-4o"),
    ],
)  # fmt: skip
def test_settings_that_are_sent(config: dict[str, Any], sent: object) -> None:
    assert fields(config) == sent


def test_only_models_that_think_get_an_effort() -> None:
    for model, sent in (
        ("gpt-5-mini", {"reasoning_effort": "low"}),
        ("a/gpt-oss-20b", {"reasoning_effort": "low"}),
        ("gpt-4o", {}),
    ):
        assert fields({"reasoning_effort": "low"}, f"openai:chat:{model}") == sent  # fmt: skip


def test_other_apis_get_none_of_it() -> None:
    assert fields({}, "openai:responses:gpt-4o") is None
    assert "does not send `config.tools`" in fields({"tools": TOOLS}, "openai:responses:gpt-4o")
    assert "does not send `config.tools`" in fields({"tools": TOOLS}, "groq:llama")


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
    assert fields(config, files=known) == sent


def wire(*, thinks: bool = True, **sent: Any) -> PromptfooChatWire:
    return PromptfooChatWire(ChatWire("http://x", {}, "m", Api(Span(0, 0))), ChatSettings(sent, thinks))


def reply(**message: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"role": "assistant", **message}, "finish_reason": "stop"}]}


@pytest.mark.parametrize(
    ("message", "text", "data"),
    [
        ({"content": "fine"}, "fine", None),
        ({"content": None, "tool_calls": CALLS}, None, CALLS),
        ({"content": "", "tool_calls": CALLS}, None, CALLS),
        ({"content": "See", "tool_calls": CALLS}, None, {"role": "assistant", "content": "See", "tool_calls": CALLS}),
        ({"content": "fine", "tool_calls": []}, "fine", None),
        ({"content": None, "function_call": {"name": "f", "arguments": "{}"}}, None, {"name": "f", "arguments": "{}"}),
        ({"content": None, "function_call": {"name": "f"}, "tool_calls": []}, None, {"name": "f"}),
        ({"content": "fine", "function_call": {"name": "f"}, "tool_calls": []}, "fine", None),
        ({"content": None, "reasoning": "One.", "tool_calls": CALLS}, "", None),
        ({"content": None, "refusal": "No.", "tool_calls": CALLS}, "No.", None),
        ({"content": "fine", "reasoning": "One."}, "Thinking: One.\n\nfine", None),
        ({"content": "fine", "reasoning_content": "Two."}, "Thinking: Two.\n\nfine", None),
        ({"content": "fine", "reasoning": "One.", "tool_calls": CALLS}, "Thinking: One.\n\nfine", None),
    ],
)
def test_the_output(message: dict[str, Any], text: str | None, data: Any) -> None:
    answer = wire().answer(reply(**message), 1.0)
    assert answer.data == data
    assert text is None or answer.text == text
    assert answer.finish_reason == "stop"


def test_data_that_fits_a_schema() -> None:
    assert wire(response_format=SCHEMA).answer(reply(content='{"a": 1}'), 1.0).data == {"a": 1}
    assert wire(response_format=SCHEMA).answer(reply(content="none"), 1.0).text == "none"
    assert wire(response_format={"type": "json_object"}).answer(reply(content='{"a": 1}'), 1.0).data is None


def test_what_a_model_thought_can_be_left_out() -> None:
    assert wire(thinks=False).answer(reply(content="fine", reasoning="One."), 1.0).text == "fine"


@pytest.mark.parametrize("other", [{}, {"choices": []}, {"choices": [{"message": None}]}, {"choices": "no"}])
def test_a_reply_of_another_kind_is_reported(other: dict[str, Any]) -> None:
    with pytest.raises(ProviderError, match="not a chat completion"):
        wire().answer(other, 1.0)


def test_the_request_has_the_fields() -> None:
    body = wire(tools=TOOLS, seed=3).call(Request((ChatMessage("user", "hello"),), "hello"), ()).body
    assert (body["tools"], body["seed"], body["messages"]) == (TOOLS, 3, [{"role": "user", "content": "hello"}])


def test_other_tools_are_another_case(tmp_path: Path) -> None:
    path = tmp_path / "promptfooconfig.yaml"
    found = []
    for config in ("{seed: 1}", "{seed: 2}", "{seed: 2, tools: file://t.json}", "{seed: 2, tools: file://t.json}"):
        (tmp_path / "t.json").write_text(f'[{{"type": "t{len(found)}"}}]', encoding="utf-8")
        path.write_text(f"prompts: [hi]\nproviders: [{{id: 'openai:gpt-4o', config: {config}}}]\n", encoding="utf-8")
        (case,) = load_suite(path).cases
        found.append(fingerprint(case, DiskFiles(), targets_for(case, DiskFiles())))
    assert len(set(found)) == len(found)
