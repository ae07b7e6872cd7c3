"""Chats with vendors whose API is nearly that of OpenAI, as promptfoo uses it: deployments of Azure, and Mistral."""

from collections.abc import Mapping
from typing import Any

from rubric_core.families.promptfoo.targets.models.chats import (
    about_completion,
    about_filtered,
    message_of,
    parsed,
    refuse_error,
    wants_data,
)
from rubric_core.families.promptfoo.targets.models.model_call import (
    ModelCall,
    ModelFamily,
    default_number,
    first_given,
    is_true,
    kept,
    mapping_or_empty,
    number_in,
    true_ones,
)
from rubric_core.families.promptfoo.targets.models.openai_chat import FILLED, REFUSED, USUAL_LIMIT, messages_to_send

__all__ = ["AZURE_CHAT", "MISTRAL", "azure_thinks"]

#: Parts of the names of deployments that think, and their beginnings.
_AZURE_THINKS = (
    "-o1", "-o3", "-o4", "-gpt-5", "deepseek-r1", "deepseek_r1", "phi-4-reasoning", "phi-4-mini-reasoning", "mai-thinking", "mai-ds-r1",
    "mai-reasoning",
)  # fmt: skip


def azure_thinks(deployment: str, config: Mapping[str, Any]) -> bool:
    """Whether promptfoo takes a deployment for that of a model that thinks before it answers."""
    name = deployment.lower()
    return (
        is_true(config.get("isReasoningModel"))
        or is_true(config.get("o1"))
        or name.startswith(("o1", "o3", "o4", "gpt-5"))
        or any(each in name for each in _AZURE_THINKS)
        or ("grok" in name and "reasoning" in name)
    )


def _azure_messages(call: ModelCall) -> Any:
    messages, system = messages_to_send(call), call.config.get("systemPrompt")
    if not is_true(system) or not isinstance(messages, list):
        return messages
    said = {"role": "system", "content": system}
    at = next((n for n, each in enumerate(messages) if mapping_or_empty(each).get("role") == "system"), None)
    return [said, *messages] if at is None else [*messages[:at], said, *messages[at + 1 :]]


def _azure_body(call: ModelCall) -> dict[str, Any]:
    config = call.config
    body: dict[str, Any] = {"model": call.model, "messages": _azure_messages(call)}
    most = first_given(config.get("max_tokens"), default_number(call, config, "OPENAI_MAX_TOKENS", USUAL_LIMIT))
    wanted: dict[str, Any] = {}
    if azure_thinks(call.model, config):
        usual = None if is_true(config.get("omitDefaults")) else "medium"
        wanted["reasoning_effort"] = first_given(config.get("reasoning_effort"), usual)
        wanted["max_completion_tokens"] = first_given(
            config.get("max_completion_tokens"), number_in(call.environment, "OPENAI_MAX_COMPLETION_TOKENS"), most
        )
    else:
        wanted["max_tokens"] = most
        wanted["temperature"] = first_given(
            config.get("temperature"), default_number(call, config, "OPENAI_TEMPERATURE", 0)
        )
    for name, usual_value in (("top_p", 1), ("presence_penalty", 0), ("frequency_penalty", 0)):
        wanted[name] = first_given(
            config.get(name), default_number(call, config, f"OPENAI_{name.upper()}", usual_value)
        )
    body |= {name: value for name, value in wanted.items() if value is not None}
    body |= kept(config, ("seed",))
    body |= true_ones(config, ("functions", "function_call"))
    if is_true(config.get("tools")) and config["tools"] != []:
        body["tools"] = config["tools"]
    body |= true_ones(config, ("tool_choice", "deployment_id", "data_sources", "response_format", "stop"))
    return {**body, **mapping_or_empty(config.get("passthrough"))}


def _azure_output(reply: Mapping[str, Any], call: ModelCall) -> Any:
    refuse_error(reply)
    message = message_of(reply)
    output = message.get("content")
    if output is None:
        return first_given(message.get("tool_calls"), message.get("function_call"))
    return parsed(output) if wants_data(call.config, "json_schema", "json_object") else output


AZURE_CHAT = ModelFamily(
    _azure_body,
    _azure_output,
    about_filtered,
    filled=FILLED,
    refused=REFUSED | {"dataSources", "isClaudeOpus47OrLater"},
)


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
