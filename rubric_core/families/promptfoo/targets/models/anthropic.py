"""Anthropic's messages API as promptfoo uses it."""

import re
from collections.abc import Mapping
from typing import Any

from rubric_core.dataclass_copies import replace_fields
from rubric_core.evaluation.targets.providers.anthropic import tokens_of
from rubric_core.families.promptfoo.targets.models.chats import NO_JSON, json_value
from rubric_core.families.promptfoo.targets.models.model_call import (
    ModelCall,
    ModelFamily,
    first_given,
    is_true,
    number_in,
    true_ones,
)
from rubric_core.families.promptfoo.targets.models.tools import anthropic_choice, anthropic_tools
from rubric_core.language.javascript_values import json_text
from rubric_core.ports import Answer, ProviderError

__all__ = ["ANTHROPIC_MESSAGES", "ANTHROPIC_RUBRIC"]

_HOME = "https://api.anthropic.com"
#: Models without a temperature; models that always think; and models that think by default.
_COLD = re.compile(
    r"(?:^|[^a-z0-9])claude-(?:(?:fable|mythos)-5(?![a-z0-9])|(?:opus|sonnet)-5(?![0-9])|opus-4-[78](?![0-9]))",
    re.IGNORECASE,
)
_ALWAYS = re.compile(r"(?:^|[^a-z0-9])claude-(?:fable|mythos)-5(?![a-z0-9])", re.IGNORECASE)
_USUALLY = re.compile(r"(?:^|[^a-z0-9])claude-opus-5(?![0-9])", re.IGNORECASE)
_LIMIT, _THINKING_LIMIT = 1024, 2048
_STRUCTURED = "structured-outputs-2025-11-13"
_FETCH = ("web_fetch_20250910", "web-fetch-2025-09-10")
_ROLES = ("user:", "assistant:")


def _parsed(prompt: str) -> tuple[list[Any] | None, list[Any], Any]:
    """The system prompt, the messages and the settings of thinking in a prompt."""
    value = json_value(prompt)
    if isinstance(value, list) and None not in value:
        value = [each for each in value if isinstance(each, dict)]
        system = next((each for each in value if each.get("role") == "system"), None)
        said = [
            {"role": each["role"], "content": _parts(each)}
            for each in value
            if each.get("role") and each["role"] != "system"
        ]
        thinking = next((each["thinking"] for each in value if each.get("thinking")), None)
        return (_parts(system) if system is not None else None), said, thinking
    return _in_lines(prompt)


def _parts(message: Mapping[str, Any]) -> list[Any]:
    content = message.get("content")
    if isinstance(content, list):
        return content
    return [{"type": "text", **({"text": content} if "content" in message else {})}]


def _in_lines(prompt: str) -> tuple[list[Any] | None, list[Any], Any]:
    """The same of a text, whose lines may begin with a role."""
    system, thinking = None, None
    turns: list[tuple[str, list[str]]] = []
    for line in filter(None, map(str.strip, prompt.split("\n"))):
        if line.startswith("system:"):
            system = [{"type": "text", "text": line.removeprefix("system:").strip()}]
        elif line.startswith("thinking:"):
            value = json_value(line.removeprefix("thinking:").strip())
            thinking = thinking if value is NO_JSON else value
        elif line.startswith(_ROLES):
            role, _, text = line.partition(":")
            turns.append((role, [text.strip()]))
        elif turns:
            turns[-1][1].append(line)
        else:
            turns.append(("user", [line]))
    said = [{"role": role, "content": [{"type": "text", "text": "\n".join(lines)}]} for role, lines in turns]
    if not said and system is None:
        said = [{"role": "user", "content": [{"type": "text", "text": prompt.strip()}]}]
    return system, said, thinking


def _thinking(call: ModelCall, asked: Any) -> Mapping[str, Any] | None:
    """The settings for thinking in a request, as far as the model supports them."""
    if not isinstance(asked, dict):
        return None
    if asked.get("type") == "enabled" and _COLD.search(call.model):
        return {"type": "adaptive", **true_ones(asked, ("display",))}
    capped = _USUALLY.search(call.model) and call.config.get("effort") in ("xhigh", "max")
    return None if asked.get("type") == "disabled" and (_ALWAYS.search(call.model) or capped) else asked


def _body(call: ModelCall) -> dict[str, Any]:
    config = call.config
    system, messages, asked = _parsed(call.prompt)
    thinking = _thinking(call, first_given(config.get("thinking"), asked))
    kind = thinking.get("type") if thinking is not None else None
    is_cold, always = bool(_COLD.search(call.model)), bool(_ALWAYS.search(call.model))
    thinks = always or kind in ("enabled", "adaptive")
    spends = thinks or (thinking is None and bool(_USUALLY.search(call.model)))
    body: dict[str, Any] = {"model": call.model, **({"system": system} if system else {})}
    limit = number_in(call.environment, "ANTHROPIC_MAX_TOKENS", _THINKING_LIMIT if spends else _LIMIT)
    body |= {"max_tokens": first_given(config.get("max_tokens"), limit), "messages": messages, "stream": False}
    body |= _sampling(call, thinks=thinks, is_cold=is_cold)
    body |= true_ones(config, ("cache_control", "service_tier"))
    body |= {"stop_sequences": config["stop_sequences"]} if config.get("stop_sequences") else {}
    body |= true_ones(config, ("metadata",))
    tools = anthropic_tools(config.get("tools"))
    body |= {"tools": tools} if tools else {}
    choice = anthropic_choice(config.get("tool_choice"))
    is_forced = isinstance(choice, dict) and choice.get("type") in ("any", "tool")
    body |= {"tool_choice": choice} if is_true(choice) and not (kind == "enabled" and is_forced) else {}
    body |= {"thinking": thinking} if thinking is not None else {}
    form = {"format": config["output_format"]} if is_true(config.get("output_format")) else {}
    effort = true_ones(config, ("effort",))
    body |= {"output_config": {**form, **effort}} if form or effort else {}
    further = config.get("extra_body")
    return {**body, **(further if isinstance(further, dict) else {})}


def _sampling(call: ModelCall, *, thinks: bool, is_cold: bool) -> dict[str, Any]:
    config, share = call.config, call.config.get("top_p")
    if isinstance(share, int | float) and thinks:
        share = max(0.95, min(1, share))
    found: dict[str, Any] = {}
    if share is None and not thinks and not is_cold:
        found["temperature"] = first_given(
            config.get("temperature"), number_in(call.environment, "ANTHROPIC_TEMPERATURE", 0)
        )
    if share is not None and not is_cold:
        found["top_p"] = share
    if config.get("top_k") is not None and not thinks and not is_cold:
        found["top_k"] = config["top_k"]
    return found


def _output(reply: Mapping[str, Any], call: ModelCall) -> Any:
    blocks = reply.get("content")
    if not isinstance(blocks, list):
        raise ProviderError(f"the server's reply is not a message: {str(dict(reply))[:200]}")
    parts = [each for each in blocks if isinstance(each, dict)]
    shown = first_given(call.config.get("showThinking"), True)
    if any(each.get("type") in ("tool_use", "thinking", "redacted_thinking") for each in parts):
        said = "\n\n".join(text for each in parts if (text := _block(each, shows_thinking=is_true(shown))))
    else:
        said = "\n\n".join(str(each.get("text") or "") for each in parts)
    wanted = call.config.get("output_format")
    value = json_value(said) if isinstance(wanted, dict) and wanted.get("type") == "json_schema" else NO_JSON
    return said if value is NO_JSON else value


def _block(block: Mapping[str, Any], *, shows_thinking: bool) -> str:
    kind = block.get("type")
    if kind == "text":
        return str(block.get("text") or "")
    if kind == "thinking":
        thought = str(block.get("thinking") or "")
        return f"Thinking: {thought}\nSignature: {block.get('signature')}" if shows_thinking and thought.strip() else ""
    if kind == "redacted_thinking":
        return f"Redacted Thinking: {block.get('data')}" if shows_thinking else ""
    return json_text(dict(block))


def _about(reply: Mapping[str, Any], took: float, model: str) -> Answer:
    reason = str(reply.get("stop_reason") or "")
    made = Answer(
        "",
        duration_ms=took,
        tokens=tokens_of(reply.get("usage")),
        tool_uses=(),
        llm_calls=1,
        model=str(reply.get("model") or model),
    )
    flagged = {"guardrails": {"flagged": True}} if reason == "refusal" and reply.get("stop_details") else {}
    return replace_fields(made, finish_reason=reason, reported={"guardrails": {}, **flagged})


def _url(call: ModelCall) -> str:
    base = call.config.get("apiBaseUrl") or call.environment.get("ANTHROPIC_BASE_URL") or _HOME
    return f"{str(base).rstrip('/')}/v1/messages"


def _headers(call: ModelCall) -> Mapping[str, str]:
    config, written = call.config, call.config.get("tools")
    beta = [each for each in config.get("beta") or () if isinstance(each, str)]
    for tool in anthropic_tools(written) or ():
        beta += [_FETCH[1]] if tool.get("type") == _FETCH[0] else []
        beta += [_STRUCTURED] if tool.get("strict") is True else []
    own = config.get("headers")
    told = own.get("anthropic-beta") if isinstance(own, dict) else None
    beta += [each.strip() for each in told.split(",") if each.strip()] if isinstance(told, str) else []
    beta += [_STRUCTURED] if is_true(config.get("output_format")) else []
    return {"anthropic-beta": ",".join(dict.fromkeys(beta))} if beta else {}


def _handed_in(reply: Mapping[str, Any], call: ModelCall) -> Any:
    """What a grader hands in by the tool that it has to call."""
    told = json_value(_output(reply, call))
    if not isinstance(told, dict) or "input" not in told:
        raise ProviderError("the model did not call the tool by which it grades")
    return told["input"]


ANTHROPIC_MESSAGES = ModelFamily(_body, _output, _about, _url, _headers, ("tools", "output_format"), frozenset({"mcp"}))
#: The one that grades rubrics where a configuration names no grader.
ANTHROPIC_RUBRIC = ANTHROPIC_MESSAGES._replace(output=_handed_in)
