"""The responses API of OpenAI and Azure as promptfoo uses it."""

from collections.abc import Mapping
from typing import Any

from rubric_core.dataclass_copies import replace_fields
from rubric_core.evaluation.targets.providers.api import answer_from_reply
from rubric_core.families.promptfoo.targets.models.chats import NO_JSON, json_value
from rubric_core.families.promptfoo.targets.models.model_call import (
    ModelCall,
    ModelFamily,
    first_given,
    is_true,
    kept,
    number_in,
    true_ones,
)
from rubric_core.families.promptfoo.targets.models.openai_chat import thinks
from rubric_core.families.promptfoo.targets.models.openai_vendors import azure_thinks
from rubric_core.language.javascript_values import json_text
from rubric_core.ports import Answer, ProviderError

__all__ = ["RESPONSES"]

_LIMIT = 1024
_REFUSED = frozenset({"mcp", "functionToolCallbacks", "background", "webhook_url"})
_FILLED = ("tools", "response_format", "reasoning_effort", "reasoning")
_TOLD = ("max_tool_calls", "previous_response_id", "truncation", "metadata")
#: The text that promptfoo writes for a call without arguments.
_NO_ARGUMENTS = "Function called but no arguments were extracted. Consider using the correct Responses API tool format."


def _body(call: ModelCall) -> dict[str, Any]:
    config, is_azure = call.config, call.vendor.startswith("azure")
    reasons = azure_thinks(call.model, config) if is_azure else thinks(call.model) or call.model == "codex-mini-latest"
    value = json_value(call.prompt)
    body: dict[str, Any] = {"model": call.model, "input": value if isinstance(value, list) else call.prompt}
    usual = None if is_true(config.get("omitDefaults")) else _LIMIT
    limit = (
        first_given(
            number_in(call.environment, "OPENAI_MAX_COMPLETION_TOKENS"),
            number_in(call.environment, "OPENAI_MAX_TOKENS"),
        )
        if reasons
        else number_in(call.environment, "OPENAI_MAX_TOKENS", usual)
    )
    most = first_given(config.get("max_output_tokens"), limit)
    body |= {} if most is None else {"max_output_tokens": most}
    reasoning = config.get("reasoning") if isinstance(config.get("reasoning"), dict) and not is_azure else None
    effort = first_given((reasoning or {}).get("effort"), config.get("reasoning_effort")) if reasons else None
    body |= {"reasoning": {"effort": effort}} if is_true(effort) else {}
    cold = None if is_true(config.get("omitDefaults")) else 0
    warmth = first_given(config.get("temperature"), number_in(call.environment, "OPENAI_TEMPERATURE", cold))
    if not reasons and warmth is not None:
        body["temperature"] = warmth
    body |= true_ones(config, ("instructions",))
    if "top_p" in config and (is_azure or not is_true(effort) or effort == "none"):
        body["top_p"] = config["top_p"]
    body |= _tools(config, is_azure=is_azure)
    body |= true_ones(config, _TOLD[:1])
    body |= {} if is_azure else kept(config, ("include",))
    body |= true_ones(config, _TOLD[1:2])
    body["text"] = _text(call, verbose=reasons if is_azure else "gpt-5" in call.model)
    body |= true_ones(config, _TOLD[2:])
    body |= {name: is_true(config[name]) for name in ("parallel_tool_calls", "store") if name in config}
    if not is_azure:
        body |= true_ones(config, ("user",))
        body |= kept(config, ("prompt_cache_key", "prompt_cache_options", "prompt_cache_retention"))
    further = config.get("passthrough")
    body |= further if isinstance(further, dict) else {}
    if reasoning and reasons:
        body["reasoning"] = {**body.get("reasoning", {}), **reasoning}
    if not is_azure:
        body.pop("max_tokens", None)
    return body


def _tools(config: Mapping[str, Any], *, is_azure: bool) -> dict[str, Any]:
    tools, choice = config.get("tools"), config.get("tool_choice")
    if isinstance(tools, list) and not is_azure:
        tools = [_flat(each) for each in tools]
    function = choice.get("function") if isinstance(choice, dict) and choice.get("type") == "function" else None
    if isinstance(function, dict) and function.get("name") and not is_azure:
        choice = {"type": "function", "name": function["name"]}
    return {name: value for name, value in (("tools", tools), ("tool_choice", choice)) if is_true(value)}


def _flat(tool: Any) -> Any:
    """A tool in the form of this API, for one in the form of chats."""
    if not isinstance(tool, dict) or tool.get("type") != "function" or not isinstance(tool.get("function"), dict):
        return tool
    return {**{name: value for name, value in tool.items() if name != "function"}, **tool["function"]}


def _text(call: ModelCall, *, verbose: bool) -> dict[str, Any]:
    wanted = call.config.get("response_format")
    wanted = wanted if isinstance(wanted, dict) else {}
    made: dict[str, Any] = {"format": {"type": "text"}}
    if wanted.get("type") == "json_object":
        made = {"format": {"type": "json_object"}}
    elif wanted.get("type") == "json_schema":
        inner = wanted.get("json_schema")
        inner = inner if isinstance(inner, dict) else {}
        name = inner.get("name") or wanted.get("name") or "response_schema"
        schema = wanted.get("schema") or inner.get("schema")
        made = {"format": {"type": "json_schema", "name": name, "schema": schema, "strict": True}}
    return {**made, **(true_ones(call.config, ("verbosity",)) if verbose else {})}


def _output(reply: Mapping[str, Any], call: ModelCall) -> Any:
    if not isinstance(reply.get("output"), list) or not reply["output"]:
        raise ProviderError(f"the server's reply is not a response: {str(dict(reply))[:200]}")
    said, refusal = "", None
    for item in reply["output"]:
        refused, text = _item(item) if isinstance(item, dict) else (False, "")
        if refused:
            refusal = text
        elif text:
            said = f"{said}\n{text}" if said else text
    if refusal is not None:
        return refusal
    wanted = call.config.get("response_format")
    value = json_value(said) if isinstance(wanted, dict) and wanted.get("type") == "json_schema" else NO_JSON
    return said if value is NO_JSON else value


def _item(item: Mapping[str, Any]) -> tuple[bool, str]:
    """Whether an item of the output is a refusal, and its text for the output."""
    kind = item.get("type")
    if kind == "message":
        return _message(item) if item.get("role") == "assistant" else (False, "")
    if kind == "function_call":
        return False, _called(item)
    if kind == "tool_result":
        return False, _compact(item)
    if kind == "reasoning" and item.get("summary"):
        return False, "Reasoning: " + "\n".join(str(each.get("text")) for each in item["summary"])
    if kind == "web_search_call":
        return False, _searched(item)
    if kind == "code_interpreter_call":
        return False, f"Code Interpreter: {item.get('code') or 'Running code...'}"
    if kind == "mcp_call":
        error = item.get("error")
        told = f"Error ({item.get('name')}): {error}" if error else f"Result ({item.get('name')}): {item.get('output')}"
        return False, f"MCP Tool {told}"
    if kind == "mcp_list_tools":
        tools = json_text(item.get("tools"), indent=2)
        return False, f"MCP Tools from {item.get('server_label')}: {tools}"
    if kind == "mcp_approval_request":
        wanted = f"{item.get('server_label')}.{item.get('name')}: {item.get('arguments')}"
        return False, f"MCP Approval Required for {wanted}"
    return False, ""


def _searched(item: Mapping[str, Any]) -> str:
    action = item.get("action")
    if not isinstance(action, dict):
        return f"Web Search Call (status: {item.get('status') or 'unknown'})"
    query, kind = action.get("query"), action.get("type")
    known = {
        "search": f'Web Search: "{query}"',
        "open_page": f"Opening page: {action.get('url')}",
        "find_in_page": f'Finding in page: "{query}"',
    }
    return known.get(str(kind), f"Web action: {kind}")


def _called(item: Mapping[str, Any]) -> str:
    if item.get("arguments") == "{}" and item.get("status") == "completed":
        return _compact(
            {
                "type": "function_call",
                "name": item.get("name"),
                "status": "no_arguments_provided",
                "note": _NO_ARGUMENTS,
            }
        )
    return _compact(item)


def _message(item: Mapping[str, Any]) -> tuple[bool, str]:
    said, refusal = "", item.get("refusal") if not item.get("content") else None
    for part in item.get("content") or ():
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "output_text":
            said += str(part.get("text"))
        elif kind in ("tool_use", "function_call"):
            said = _compact(part)
        elif kind == "refusal":
            refusal = part.get("refusal")
    return refusal is not None, said if refusal is None else str(refusal)


def _compact(value: Mapping[str, Any]) -> str:
    return json_text(dict(value))


def _about(reply: Mapping[str, Any], took: float, model: str) -> Answer:
    made = answer_from_reply("", reply, took, model, "input_tokens", "output_tokens")
    return replace_fields(made, reported={"guardrails": {}})


RESPONSES = ModelFamily(_body, _output, _about, filled=_FILLED, refused=_REFUSED)
