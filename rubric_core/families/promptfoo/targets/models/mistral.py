"""Chats with Mistral, whose API is that of OpenAI with other fields, as promptfoo uses it."""

from collections.abc import Mapping
from typing import Any

from rubric_core.families.promptfoo.targets.models.chat_replies import about_completion, message_of
from rubric_core.families.promptfoo.targets.models.model_call import (
    ModelCall,
    ModelFamily,
    first_given,
    is_true,
    kept,
    true_ones,
)
from rubric_core.families.promptfoo.targets.models.openai_chat import USUAL_LIMIT, messages_to_send

__all__ = ["MISTRAL"]

_FIELDS = (
    "frequency_penalty",
    "presence_penalty",
    "stop",
    "n",
    "safe_prompt",
    "reasoning_effort",
    "prompt_cache_key",
)
_KEPT = ("prompt_mode", "prediction", "metadata", "guardrails")


def _body(call: ModelCall) -> dict[str, Any]:
    config = call.config
    body: dict[str, Any] = {"model": call.model, "messages": messages_to_send(call), **kept(config, ("temperature",))}
    body["top_p"] = first_given(config.get("top_p"), 1)
    body["max_tokens"] = first_given(config.get("max_tokens"), USUAL_LIMIT)
    body |= kept(config, _FIELDS)
    body["random_seed"] = config.get("random_seed")
    body |= kept(config, _KEPT)
    tools = config.get("tools")
    if is_true(tools) and tools != []:
        body["tools"] = tools
    body |= true_ones(config, ("tool_choice", "response_format"))
    if "parallel_tool_calls" in config:
        body["parallel_tool_calls"] = is_true(config["parallel_tool_calls"])
    return body


def _output(reply: Mapping[str, Any], call: ModelCall) -> Any:  # noqa: ARG001  # as of every family
    message = message_of(reply)
    content, calls = _without_thoughts(message.get("content")), message.get("tool_calls")
    if is_true(calls) and calls != []:
        return {**message, "content": content} if content else calls
    return content


def _without_thoughts(content: Any) -> Any:
    if not isinstance(content, list) or not all(
        isinstance(each, dict) and each.get("type") in ("thinking", "text") for each in content
    ):
        return content
    texts = [each["text"] for each in content if each["type"] == "text" and isinstance(each.get("text"), str)]
    return "".join(texts) if texts else content


MISTRAL = ModelFamily(_body, _output, about_completion)
