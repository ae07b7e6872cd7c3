"""Whether the calls of tools in an output fit the tools of the provider. `not-` changes nothing."""

import json
from collections.abc import Mapping
from typing import Any

from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.families.promptfoo.evaluators.handler import AssertionParams, GradingResult, Handler
from rubric_core.families.promptfoo.evaluators.json_checks import misfits

__all__ = ["TOOL_SCHEMAS"]

_FAILED, _SUCCEEDED = "MCP Tool Error", "MCP Tool Result"
#: The kinds of providers that promptfoo knows no check of function calls for; of JavaScript classes each may have its own.
_WITHOUT_CHECK = ("echo", "exec", "http", "webhook", "script")


def _failed(reason: str) -> GradingResult:
    return GradingResult(False, 0.0, reason)


async def _tools_call(params: AssertionParams) -> GradingResult:
    """`is-valid-openai-tools-call`: a list of calls, whose arguments fit the parameters of `config.tools`."""
    text, calls = params.text, params.output
    if _FAILED in text or _SUCCEEDED in text:
        return _failed("a tool of an MCP server failed") if _FAILED in text else GradingResult(True, 1.0)
    if isinstance(calls, dict) and "tool_calls" in calls:
        calls = calls["tool_calls"]
    if not isinstance(calls, list) or not calls or not all(_is_call(each) for each in calls):
        return _failed("it is no list of tool calls, each with `function: {name, arguments}`")
    tools = _configured_tools(params)
    if not tools:
        return _failed("the provider has no `config.tools`")
    listed = [
        each["function"] for each in tools
        if isinstance(each, Mapping) and each.get("type") == "function" and isinstance(each.get("function"), Mapping)
    ]  # fmt: skip
    for each in calls:
        reason = await _misfit(params, each["function"], listed)
        if reason:
            return _failed(reason)
    return GradingResult(True, 1.0)


def _is_call(value: Any) -> bool:
    function = value.get("function") if isinstance(value, dict) else None
    return isinstance(function, dict) and all(isinstance(function.get(name), str) for name in ("name", "arguments"))


def _configured_tools(params: AssertionParams) -> list[Any]:
    """The tools of the provider. Raises Unscored for those in files, and for templates."""
    target = params.context.target
    config = target.settings.get("config") if target is not None else None
    tools = config.get("tools") if isinstance(config, Mapping) else None
    if not tools:
        return []
    if (
        not isinstance(tools, list | tuple)
        or "{{" in json.dumps(tools, default=str)
        or "file://" in json.dumps(tools, default=str)
    ):
        raise Unscored(
            "rubric checks calls of promptfoo only by tools that stand in the configuration", at=params.config
        )
    return list(tools)


async def _misfit(params: AssertionParams, call: Mapping[str, str], functions: list[Mapping[str, Any]]) -> str:
    """Why a call fits none of the functions; empty if it does."""
    name = call["name"]
    schema = next((each.get("parameters") for each in functions if each.get("name") == name), None)
    if not isinstance(schema, Mapping):
        return f"there is no tool {name} with parameters"
    try:
        arguments = json.loads(call["arguments"])
    except (ValueError, RecursionError):
        return f"the arguments of {name} are no JSON"
    (error,) = await misfits(params, schema, [arguments])
    return f"the call of {name}: {error}" if error else ""


async def _function_call(params: AssertionParams) -> GradingResult:
    """`is-valid-function-call`: checked by the provider, which most cannot."""
    target, provider = params.context.target, params.context.provider
    settings = target.settings if target is not None else {}
    if provider is not None and provider.kind == "openai" and settings.get("api_format") != "responses":
        return await _openai_function_call(params, settings.get("config", {}).get("functions"))
    code = str(target.settings.get("code") or "") if target is not None else ""
    if provider is None or provider.kind not in _WITHOUT_CHECK or not (provider.kind != "script" or ".py" in code):
        raise Unscored("rubric does not check function calls as this provider of promptfoo would", at=params.config)
    return _failed("promptfoo checks no function calls of this provider")


async def _openai_function_call(params: AssertionParams, functions: Any) -> GradingResult:
    """Whether an output calls one of the functions as a chat with OpenAI names them."""
    call = params.output
    call = call["function_call"] if isinstance(call, dict) and "function_call" in call else call
    if not _is_call({"function": call}):
        return _failed("it is no call of a function, `{name, arguments}`")
    known = [each for each in functions if isinstance(each, Mapping)] if isinstance(functions, list) else []
    reason = await _misfit(params, call, known)
    return _failed(reason) if reason else GradingResult(True, 1.0)


TOOL_SCHEMAS: Mapping[str, Handler] = {
    "is-valid-openai-tools-call": _tools_call, "is-valid-function-call": _function_call, "is-valid-openai-function-call": _function_call,
}  # fmt: skip
