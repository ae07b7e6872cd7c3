"""Turns the score of an evaluator into its result: applies the minimum and `negate`, and gives the verdict."""

from typing import Any, NamedTuple

from rubric_core.dataclass_copies import replace_fields
from rubric_core.evaluation.model.context import EvaluationContext, EvaluatorConfig
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.exchanges import Exchange
from rubric_core.evaluation.model.result import CriterionResult, EvaluatorResult, Verdict
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.scoring.score import at_least, verdict_of
from rubric_core.language.evaluators import LlmRubric, Scripted, Similar
from rubric_core.language.properties import Properties
from rubric_core.loading.grading import default_name

__all__ = ["Effort", "scored_result", "unscored_result"]


#: In a tuple, because a union is made anew each time that it is written out.
_WITH_THRESHOLD = (LlmRubric, Scripted, Similar)


class Effort(NamedTuple):
    """The usage of an evaluation."""

    milliseconds: float
    exchanges: tuple[Exchange, ...]


def unscored_result(config: EvaluatorConfig, context: EvaluationContext) -> EvaluatorResult:
    """The result of an evaluator that has no score."""
    minimum = _minimum(_own_minimum(config), config, context)
    return EvaluatorResult(verdict=Verdict.UNSCORED, minimum=minimum, **_described(config))


def _described(config: EvaluatorConfig) -> dict[str, Any]:
    """The fields of a result that describe its evaluator."""
    weight = config.weight if isinstance(config.weight, int | float) else 1.0
    return {
        "name": default_name(config), "type": config.type_name or "", "weight": max(0.0, float(weight)),
        "required": config.required is True or _number(config.required) is not None, "negated": config.negate is True,
    }  # fmt: skip


def _minimum(own: float | None, config: EvaluatorConfig, context: EvaluationContext) -> float:
    """The score that an evaluator passes from: its own minimum, else that of required ones, or of the case."""
    if own is not None:
        return own
    return context.required_minimum if config.required is True else context.threshold


def _own_minimum(config: EvaluatorConfig) -> float | None:
    """The minimum score that an evaluator sets for itself: `min_score`, a number as `required`, or `threshold`."""
    passes = config.threshold if isinstance(config, _WITH_THRESHOLD) else None
    for found in (config.min_score, _number(config.required), passes):
        if found is not None:
            return float(found)
    return None


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, float | int) and not isinstance(value, bool) else None


def scored_result(
    config: EvaluatorConfig, context: EvaluationContext, score: EvaluationScore, properties: Properties, effort: Effort
) -> EvaluatorResult:
    """The result of an evaluator with a score. Raises Unscored where `negate` would turn a score that a crash lowered."""
    own = _own_minimum(config)
    minimum = _minimum(own, config, context)
    said = None if config.min_score is not None else score.verdict
    verdict = said or _verdict(score, minimum, properties, own_minimum=own is not None)
    result = EvaluatorResult(
        verdict=verdict, minimum=minimum, score=float(score.score), hits=tuple(score.hits), misses=tuple(score.misses), reasoning=score.reasoning or "", criteria=score.criteria,
        members=score.members, gate=score.gate, crashed=score.crashed, error=score.misses[0] if score.crashed and score.misses else "", judge=score.judge, evaluator_raw_request=score.evaluator_raw_request, details=score.details,
        raw_replies=score.raw_replies, unmet=score.unmet, duration_ms=effort.milliseconds, exchanges=effort.exchanges, **_described(config),
    )  # fmt: skip
    if not result.negated or score.crashed:
        return result
    ungraded = next(result.ungraded(), None)
    if ungraded is not None:  # the complement of a score that a crash lowered would reward the crash
        raise Unscored(
            f"`negate` needs the score of every member; {ungraded.name}: {ungraded.reason}", members=score.members
        )
    return _negated(result)


def _verdict(score: EvaluationScore, minimum: float | None, properties: Properties, *, own_minimum: bool) -> Verdict:
    if score.gate or score.crashed:
        return Verdict.FAILED
    if own_minimum and minimum is not None:
        return Verdict.PASSED if at_least(score.score, minimum) else Verdict.FAILED
    return verdict_of(score.score, properties, properties.threshold if minimum is None else minimum)


def _negated(result: EvaluatorResult) -> EvaluatorResult:
    """A negated check: 1 − score, the verdict swapped, hits and misses swapped; a failed gate is the wanted outcome."""
    criteria = tuple(_turned_criterion(c) for c in result.criteria)
    score = None if result.score is None else 1 - result.score
    return replace_fields(
        result,
        score=score,
        verdict=result.verdict.negated,
        hits=result.misses,
        misses=result.hits,
        criteria=criteria,
        gate="",
    )


def _turned_criterion(result: CriterionResult) -> CriterionResult:
    return replace_fields(result, verdict=result.verdict.negated, gate_failed=False)
