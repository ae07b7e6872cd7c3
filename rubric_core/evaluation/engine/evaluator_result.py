"""From the score that an evaluator gives to its result: minimum, verdict, `negate`."""

from typing import NamedTuple

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


class Effort(NamedTuple):
    """The usage of an evaluation."""

    milliseconds: float
    exchanges: tuple[Exchange, ...]


def unscored_result(config: EvaluatorConfig, context: EvaluationContext) -> EvaluatorResult:
    """The result of an evaluator that has no score yet."""
    own = _own_minimum(config)
    weight = config.weight if isinstance(config.weight, int | float) else 1.0
    return EvaluatorResult(
        name=default_name(config), type=config.type_name or "", verdict=Verdict.UNSCORED, weight=max(0.0, float(weight)),
        minimum=context.threshold if own is None else own, required=config.required is True or _number(config.required) is not None,
        negated=config.negate is True,
    )  # fmt: skip


def _own_minimum(config: EvaluatorConfig) -> float | None:
    """The minimum score that an evaluator sets for itself: `min_score`, a number as `required`, or `threshold`."""
    passes = config.threshold if isinstance(config, LlmRubric | Scripted | Similar) else None
    found = next((m for m in (config.min_score, _number(config.required), passes) if m is not None), None)
    return None if found is None else float(found)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, float | int) and not isinstance(value, bool) else None


def scored_result(
    base: EvaluatorResult, score: EvaluationScore, properties: Properties, config: EvaluatorConfig, effort: Effort
) -> EvaluatorResult:
    """The result `base` with a score. Raises Unscored where `negate` would turn a score that a crash lowered."""
    said = None if config.min_score is not None else score.verdict
    verdict = said or _verdict(score, base, properties, own_minimum=_own_minimum(config) is not None)
    result = replace_fields(
        base, verdict=verdict, score=float(score.score), hits=tuple(score.hits), misses=tuple(score.misses), reasoning=score.reasoning or "", criteria=score.criteria,
        members=score.members, gate=score.gate, crashed=score.crashed, error=score.misses[0] if score.crashed and score.misses else "", judge=score.judge, evaluator_raw_request=score.evaluator_raw_request, details=score.details,
        raw_replies=score.raw_replies, duration_ms=effort.milliseconds, exchanges=effort.exchanges,
    )  # fmt: skip
    if not base.negated or score.crashed:
        return result
    ungraded = next(result.ungraded(), None)
    if ungraded is not None:  # the complement of a score that a crash lowered would reward the crash
        raise Unscored(
            f"`negate` needs the score of every member; {ungraded.name}: {ungraded.reason}", members=score.members
        )
    return _turned(result)


def _verdict(score: EvaluationScore, base: EvaluatorResult, properties: Properties, *, own_minimum: bool) -> Verdict:
    if score.gate or score.crashed:
        return Verdict.FAILED
    if own_minimum and base.minimum is not None:
        return Verdict.PASSED if at_least(score.score, base.minimum) else Verdict.FAILED
    return verdict_of(score.score, properties, properties.threshold if base.minimum is None else base.minimum)


def _turned(result: EvaluatorResult) -> EvaluatorResult:
    """A negated check: 1 − score, the verdict swapped, hits and misses swapped; a failed gate is the wanted outcome."""
    criteria = tuple(_turned_criterion(c) for c in result.criteria)
    score = None if result.score is None else 1 - result.score
    return replace_fields(
        result,
        score=score,
        verdict=result.verdict.turned,
        hits=result.misses,
        misses=result.hits,
        criteria=criteria,
        gate="",
    )


def _turned_criterion(result: CriterionResult) -> CriterionResult:
    return replace_fields(result, verdict=result.verdict.turned, gate_failed=False)
