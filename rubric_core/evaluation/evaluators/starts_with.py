"""The answer begins with a text."""

from rubric_core.evaluation.evaluators.typed import TypedEvaluator, js_trim, quoted_excerpt, text_of
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.language.evaluators import StartsWith

__all__ = ["STARTS_WITH"]


def _grade(config: StartsWith, context: EvaluationContext) -> EvaluationScore:
    value = text_of(config)
    holds = js_trim(context.candidate).startswith(js_trim(value))
    return EvaluationScore.check(
        holds, f"starts with {quoted_excerpt(value)}", f"does not start with {quoted_excerpt(value)}"
    )


STARTS_WITH = TypedEvaluator("starts-with", StartsWith, _grade)
