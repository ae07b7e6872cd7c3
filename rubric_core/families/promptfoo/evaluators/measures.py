"""Assertions about measurements of a run, such as cost and latency."""

from collections.abc import Mapping

from rubric_core.evaluation.scoring.finite_number import finite_number
from rubric_core.families.promptfoo.evaluators.handler import (
    AssertionParams,
    GradingResult,
    Handler,
    pass_or_fail,
    row_error,
)

__all__ = ["MEASURES"]


def _most(params: AssertionParams) -> float:
    most = params.config.threshold
    if most is None:
        raise row_error(params, "needs a `threshold`")
    return most


def _latency(params: AssertionParams) -> GradingResult:
    most, answer = _most(params), params.context.answer
    if answer is None or answer.duration_ms is None or answer.cached_at:
        raise row_error(params, "has nothing to measure: the answer is one of an earlier run")
    # What a provider tells itself counts before what was measured.
    told = finite_number((answer.reported or {}).get("latencyMs"))
    took = answer.duration_ms if told is None else told
    return pass_or_fail(
        params,
        took <= most,
        f"took {took:.0f} ms, more than {most:g} ms",
        f"took {took:.0f} ms, no more than {most:g} ms",
    )


def _cost(params: AssertionParams) -> GradingResult:
    most, answer = _most(params), params.context.answer
    if answer is None or answer.cost_usd is None:
        raise row_error(params, "has nothing to measure: the provider does not tell what the answer cost")
    cost = answer.cost_usd
    return pass_or_fail(
        params, cost <= most, f"cost ${cost:g}, more than ${most:g}", f"cost ${cost:g}, no more than ${most:g}"
    )


MEASURES: Mapping[str, Handler] = {"latency": _latency, "cost": _cost}
