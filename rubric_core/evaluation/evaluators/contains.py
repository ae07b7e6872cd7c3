"""The answer contains a text."""

from rubric_core.evaluation.evaluators.typed import TypedEvaluator, quoted_excerpt, text_of
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.language.evaluators import Contains

__all__ = ["CONTAINS"]


def _grade(config: Contains, context: EvaluationContext) -> EvaluationScore:
    value = text_of(config)
    holds = value in context.candidate
    return EvaluationScore.check(
        holds, f"contains {quoted_excerpt(value)}", f"does not contain {quoted_excerpt(value)}"
    )


CONTAINS = TypedEvaluator("contains", Contains, _grade)
