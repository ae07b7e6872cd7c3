"""The answer came within its time limit."""

from rubric_core.evaluation.evaluators.typed import TypedEvaluator, required_setting
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.language.evaluators import Latency

__all__ = ["LATENCY"]


def _grade(config: Latency, context: EvaluationContext) -> EvaluationScore:
    limit = required_setting(config.threshold, config, "threshold")
    took = context.answer.duration_ms if context.answer else None
    if took is None:
        return EvaluationScore.check(False, "", "the target does not report its duration")
    return EvaluationScore.check(took <= limit, f"took {took:.0f} ms", f"took {took:.0f} ms, the limit is {limit:g}")


LATENCY = TypedEvaluator("latency", Latency, _grade)
