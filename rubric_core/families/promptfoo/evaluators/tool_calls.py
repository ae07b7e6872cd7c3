"""Assertions about the tools that an output calls, and about why it ended."""

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

__all__ = ["TOOL_CHECKS", "called_tools"]

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
