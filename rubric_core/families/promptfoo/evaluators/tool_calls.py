"""Assertions about the tools that an output calls, whether the calls fit their schemas, and why the output ended."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.families.promptfoo.evaluators.handler import (
    AssertionParams,
    GradingResult,
    Handler,
    js_text,
    pass_or_fail,
    row_error,
)
from rubric_core.families.promptfoo.evaluators.json_checks import misfits

__all__ = ["TOOL_CHECKS", "TOOL_SCHEMAS", "called_tools"]

#: What promptfoo calls the reasons for which models end.
_ENDS = {
    "end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length", "tool_use": "tool_calls", "function_call": "tool_calls",
    "refusal": "content_filter",
}  # fmt: skip


def called_tools(output: Any) -> set[str]:
    """The names of the tools that an output calls, in the shapes of OpenAI, Anthropic and Google, or as JSON text of these."""
    return set(_names(output))


def _names(output: Any) -> Iterator[str]:
    if isinstance(output, str):
        yield from _in_text(output)
    elif isinstance(output, dict):
        yield from _in_object(output)
    elif isinstance(output, list):
        for item in output:
            if isinstance(item, dict):
                yield from _names_in_block(item)


def _in_text(text: str) -> Iterator[str]:
    try:
        yield from _names(json.loads(text))
    except (ValueError, RecursionError):
        for line in map(str.strip, text.split("\n")):
            if line.startswith(("{", "[")):
                try:
                    yield from _names(json.loads(line))
                except (ValueError, RecursionError):
                    continue


def _in_object(output: Mapping[str, Any]) -> Iterator[str]:
    calls, google, live = output.get("tool_calls"), output.get("functionCall"), output.get("toolCall")
    if isinstance(calls, list):
        for call in calls:
            if isinstance(call, dict):
                yield from (_name(call.get("function")), _name(call))
    elif output.get("type") == "tool_use" and _name(output):
        yield _name(output)
    elif isinstance(google, dict):
        yield _name(google)
    elif isinstance(live, dict):
        inner = live.get("functionCalls")
        yield from (_name(each) for each in (inner if isinstance(inner, list) else ()))


def _names_in_block(block: Mapping[str, Any]) -> Iterator[str]:
    if block.get("type") == "tool_use" and _name(block):
        yield _name(block)
    elif isinstance(block.get("functionCall"), dict):
        yield _name(block["functionCall"])
    elif isinstance(block.get("function"), dict):
        yield _name(block["function"])
    else:
        yield _name(block)


def _name(value: Any) -> str:
    name = value.get("name") if isinstance(value, dict) else None
    return name if isinstance(name, str) else ""


def _f1(params: AssertionParams) -> GradingResult:
    value = params.value
    if isinstance(value, list):
        wanted = {js_text(each) for each in value}
    elif isinstance(value, str):
        wanted = {part.strip() for part in value.split(",")}
    else:
        raise row_error(params, "needs the names of tools as `value`")
    if not wanted:
        raise row_error(params, "needs the name of a tool as `value`")
    called = called_tools(params.output) - {""}
    shared = len(wanted & called)
    score = 2 * shared / (len(wanted) + len(called)) if shared else 0.0
    least = params.config.threshold if params.config.threshold is not None else 1.0
    words = f"called {', '.join(sorted(called)) or 'no tool'} for {', '.join(sorted(wanted))}: F1 {score:.3f}"
    return GradingResult((score >= least) != params.inverse, score, words)


def _finish_reason(params: AssertionParams) -> GradingResult:
    if not isinstance(params.value, str):
        raise row_error(params, "needs a text as `value`")
    answer = params.context.answer
    told = answer.finish_reason.strip().lower() if answer is not None else ""
    ended = _ENDS.get(told, told)
    if not ended:
        if answer is not None and answer.llm_calls and answer.reported is None:
            raise Unscored(
                f"rubric does not learn from {params.context.target.kind} why an answer ended", at=params.config
            )
        return GradingResult(params.inverse, float(params.inverse), "the provider does not tell why the answer ended")
    return pass_or_fail(params, ended.lower() == params.value.lower(), f"ended with {ended}", f"ended with {ended}")


TOOL_CHECKS: Mapping[str, Handler] = {"tool-call-f1": _f1, "finish-reason": _finish_reason}


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
