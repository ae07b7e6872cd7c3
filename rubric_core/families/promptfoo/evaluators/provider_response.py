"""What code that grades a row of promptfoo learns of its provider, and of the provider's reply."""

from collections.abc import Mapping
from typing import Any

from rubric_core.families.promptfoo.evaluators.handler import AssertionParams

__all__ = ["provider_response", "row_provider"]

#: The kinds of providers whose programs report the whole reply themselves.
_PROGRAMS = frozenset({"exec", "script"})


def row_provider(params: AssertionParams, *, is_javascript: bool) -> dict[str, Any]:
    """The provider of the row. Its id is a function, which only JavaScript has."""
    context = params.context
    told = dict(context.row_provider) or {"id": context.target.name, "label": context.target.name}
    identity = told.pop("id")
    return {"id": identity, **told} if is_javascript else told


def provider_response(params: AssertionParams) -> dict[str, Any]:
    """The reply of the provider, with its output before the assertion's own transform."""
    context, answer = params.context, params.context.answer
    if answer is None:
        return {"output": params.output}
    reported, output = dict(answer.reported or {}), answer.text if answer.data is None else answer.data
    found = {"output": output, **reported}
    if "cached" not in reported and context.target.kind not in _PROGRAMS:
        found |= _measured(params)
    found |= {"cached": True} if answer.cached_at else {}
    before = context.provider_output
    return {**found, "output": output, "providerTransformedOutput": output if before is None else before}


def _measured(params: AssertionParams) -> dict[str, Any]:
    """What was measured of a call, as promptfoo names it."""
    answer = params.context.answer
    assert answer is not None
    tokens, found = answer.tokens, dict[str, Any](cached=False)
    if answer.duration_ms is not None:
        found["latencyMs"] = round(answer.duration_ms)
    if answer.finish_reason:
        found["finishReason"] = answer.finish_reason
    if answer.cost_usd is not None:
        found["cost"] = answer.cost_usd
    if tokens is not None:
        cached: Mapping[str, int] = {"cached": tokens.cached} if tokens.cached else {}
        usage = {"total": tokens.total, "prompt": tokens.input, "completion": tokens.output}
        found["tokenUsage"] = {**usage, **cached, "numRequests": 1}
    return found
