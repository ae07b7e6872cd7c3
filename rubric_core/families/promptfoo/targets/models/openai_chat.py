"""Chat completions as promptfoo asks OpenAI for them, and the many vendors that speak the same API."""

from collections.abc import Mapping
from typing import Any

from rubric_core.families.promptfoo.targets.models.chats import (
    NO_JSON,
    about_chat,
    about_ended,
    chat_messages,
    json_value,
    message_of,
    parsed,
    refuse_error,
    shows_thinking,
    wants_data,
)
from rubric_core.families.promptfoo.targets.models.model_call import (
    FROM_FILE,
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

__all__ = ["CHAT", "FILLED", "OPENROUTER_CHAT", "REFUSED", "USUAL_LIMIT", "messages_to_send", "thinks"]

#: The limit of tokens that promptfoo sends by default.
USUAL_LIMIT = 1024
#: Settings with which the output does not come from the model's reply.
REFUSED = frozenset({"mcp", "functionToolCallbacks"})
FILLED = ("tools", "functions", "response_format", "reasoning_effort")
#: Vendors to which promptfoo sends all settings verbatim.
_SENT_WHOLE = frozenset({"togetherai", "cerebras"})
#: Parts of the names of Groq's models that think, and the models of xAI that accept `reasoning_effort`.
_GROQ_THINKS = ("gpt-oss", "qwen")
_GROK_EFFORT = (
    "grok-4.5", "grok-4.5-latest", "grok-build-latest", "grok-4.3", "grok-4.3-latest", "grok-latest", "grok-3-mini-beta", "grok-3-mini",
    "grok-3-mini-latest", "grok-3-mini-fast-beta", "grok-3-mini-fast", "grok-3-mini-fast-latest",
)  # fmt: skip
#: Settings of OpenRouter that choose the model.
_ROUTING = ("transforms", "models", "route", "provider")
_GROQ_FIELDS = ("compound_custom", "search_settings")


def thinks(model: str) -> bool:
    """Whether promptfoo considers a model of OpenAI a reasoning model."""
    name = _plain_name(model)
    return (
        name.startswith(("o1", "o3", "o4")) or any(f"/{each}" in name for each in ("o1", "o3", "o4")) or _is_gpt5(name)
    )


def _plain_name(model: str) -> str:
    """The name of a model without the mark of those that were tuned."""
    return model.removeprefix("ft:").replace("/ft:", "/", 1)


def _is_gpt5(name: str) -> bool:
    return name.startswith("gpt-5") or "/gpt-5" in name


def messages_to_send(call: ModelCall) -> Any:
    """The messages of a prompt; one of the user for a plain text."""
    return chat_messages(call.prompt, [{"role": "user", "content": call.prompt}], call.environment)


def _config(call: ModelCall) -> Mapping[str, Any]:
    """The settings as the vendor's provider has them."""
    config = call.config
    row = {name: value for name, value in config.items() if name not in call.own or value is not call.own[name]}
    if call.vendor in _SENT_WHOLE:
        return {"passthrough": {name: value for name, value in call.own.items() if name != FROM_FILE}, **row}
    if call.vendor == "openrouter":
        further = {**true_ones(call.own, _ROUTING), **mapping_or_empty(call.own.get("passthrough"))}
        return {**call.own, "passthrough": further, **row}
    return config


def _body(call: ModelCall) -> dict[str, Any]:
    config = _config(call)
    further = mapping_or_empty(config.get("passthrough"))
    other = further.get("model") if isinstance(further.get("model"), str) else None
    name = _plain_name(str(other or call.model))
    is_grok, is_thinking_groq = call.vendor == "xai", call.vendor == "groq" and _has(call.model, _GROQ_THINKS)
    reasons = _grok_thinks(call.model) if is_grok else thinks(name) or thinks(call.model) or is_thinking_groq
    is_warm = is_grok or is_thinking_groq or not thinks(call.model)
    body: dict[str, Any] = {"model": call.model, "messages": messages_to_send(call), **kept(config, ("seed",))}
    body |= _limits(call, config, reasons=reasons)
    if reasons and is_true(config.get("reasoning_effort")):
        body["reasoning_effort"] = config["reasoning_effort"]
    warmth = first_given(config.get("temperature"), default_number(call, config, "OPENAI_TEMPERATURE", 0))
    if is_warm and not (other is not None and thinks(name)) and warmth is not None:
        body["temperature"] = warmth
    body |= _penalties(call, config)
    body |= true_ones(config, ("functions", "function_call"))
    if is_true(config.get("tools")) and config["tools"] != []:
        body["tools"] = config["tools"]
    body |= true_ones(config, ("tool_choice", "tool_resources", "response_format", "stop"))
    body |= kept(config, ("prompt_cache_key", "prompt_cache_options", "prompt_cache_retention"))
    body |= further
    if _is_gpt5(name):
        body |= true_ones(config, ("verbosity",))
    if is_true(config.get("reasoning_effort")) and (reasons or "gpt-oss" in name):
        body["reasoning_effort"] = config["reasoning_effort"]
    if name.startswith(("o1", "o3", "o4")):
        body |= true_ones(config, ("reasoning",))
    body |= true_ones(config, ("service_tier", "user", "metadata"))
    body |= kept(config, ("store",))
    if reasons:
        body.pop("max_tokens", None)
    return _of_vendor(call, body)


def _has(model: str, parts: tuple[str, ...]) -> bool:
    return any(part in model for part in parts)


def _limits(call: ModelCall, config: Mapping[str, Any], *, reasons: bool) -> dict[str, Any]:
    """The limit of tokens, under the name that the model takes."""
    if reasons:
        most = first_given(
            config.get("max_completion_tokens"), number_in(call.environment, "OPENAI_MAX_COMPLETION_TOKENS")
        )
        return {} if most is None else {"max_completion_tokens": most}
    most = first_given(config.get("max_tokens"), default_number(call, config, "OPENAI_MAX_TOKENS", USUAL_LIMIT))
    return {} if most is None else {"max_tokens": most}


def _penalties(call: ModelCall, config: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, usual in (("top_p", 1), ("presence_penalty", 0), ("frequency_penalty", 0)):
        variable = f"OPENAI_{name.upper()}"
        if name in config or call.environment.get(variable):
            found[name] = first_given(config.get(name), number_in(call.environment, variable, usual))
    return found


def _of_vendor(call: ModelCall, body: dict[str, Any]) -> dict[str, Any]:
    """The body with the settings of its vendor, and without those that the vendor does not accept."""
    if call.vendor == "groq":
        told = kept(call.own, ("reasoning_format", "include_reasoning"))
        return {**body, **told, **true_ones(call.own, _GROQ_FIELDS)}
    if call.vendor == "xai":
        dropped = {"presence_penalty", "frequency_penalty", "stop"} if _is_grok4(call.model) else set()
        dropped |= set() if call.model in _GROK_EFFORT else {"reasoning_effort"}
        body |= true_ones(call.own, ("search_parameters",))
        return {name: value for name, value in body.items() if name not in dropped}
    if call.vendor == "cerebras" and is_true(body.get("max_completion_tokens")):
        body.pop("max_tokens", None)
    return body


def _is_grok4(model: str) -> bool:
    return model.startswith(("grok-4", "grok-build-latest", "grok-latest"))


def _grok_thinks(model: str) -> bool:
    begins = ("grok-3-mini", "grok-4", "grok-build", "grok-code-fast", "grok-latest")
    return model.startswith(begins) and "non-reasoning" not in model


def _output(reply: Mapping[str, Any], call: ModelCall) -> Any:
    message = message_of(reply)
    if message.get("refusal"):
        return message["refusal"]
    content, calls = message.get("content"), message.get("tool_calls")
    if reply["choices"][0].get("finish_reason") == "content_filter":
        return content or "Content filtered by provider"
    thought, call_of_function = message.get("reasoning"), message.get("function_call")
    if thought:
        output = content
    elif content and (call_of_function or is_true(calls)):
        output = content if calls == [] else dict(message)
    elif content is None or (content == "" and is_true(calls)):
        output = call_of_function or calls
    else:
        output = content
    if wants_data(call.config, "json_schema"):
        output = parsed(output)
    for said in (thought, message.get("reasoning_content")):
        if said and isinstance(said, str) and isinstance(output, str) and shows_thinking(call.own):
            output = f"Thinking: {said}\n\n{output}"
    audio = message.get("audio")
    if audio:
        return mapping_or_empty(audio).get("transcript") or ""
    return output


#: OpenAI, and vendors that speak its API.
CHAT = ModelFamily(_body, _output, about_chat, filled=FILLED, refused=REFUSED)


def _openrouter_output(reply: Mapping[str, Any], call: ModelCall) -> Any:
    refuse_error(reply)
    message = message_of(reply)
    content, thought = message.get("content"), message.get("reasoning")
    function, calls = message.get("function_call"), message.get("tool_calls")
    output: Any = ""
    if isinstance(function, dict) and function.get("name"):
        output = function
    elif isinstance(calls, list) and calls:
        output = calls
    elif isinstance(content, str) and content.strip():
        output = f"Thinking: {thought}\n\n{content}" if thought and shows_thinking(call.own) else content
    elif thought and shows_thinking(call.own):
        output = thought
    if wants_data(call.config, "json_schema"):
        text = content if isinstance(content, str) else output
        value = json_value(text) if isinstance(text, str) and text else NO_JSON
        return output if value is NO_JSON else value
    return output


OPENROUTER_CHAT = ModelFamily(_body, _openrouter_output, about_ended, filled=FILLED, refused=frozenset({"mcp"}))
