"""The answer contains a text, ignoring case."""

from rubric_core.evaluation.evaluators.typed import TypedEvaluator, quoted_excerpt, text_of
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.language.evaluators import IContains

__all__ = ["ICONTAINS"]


def _grade(config: IContains, context: EvaluationContext) -> EvaluationScore:
    value = text_of(config)
    holds = value.lower() in context.candidate.lower()
    return EvaluationScore.check(
        holds, f"contains {quoted_excerpt(value)}", f"does not contain {quoted_excerpt(value)}"
    )


ICONTAINS = TypedEvaluator("icontains", IContains, _grade)
