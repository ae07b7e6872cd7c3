"""The answer ends with a text."""

from rubric_core.evaluation.evaluators.typed import TypedEvaluator, js_trim, quoted_excerpt, text_of
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.language.evaluators import EndsWith

__all__ = ["ENDS_WITH"]


def _grade(config: EndsWith, context: EvaluationContext) -> EvaluationScore:
    value = text_of(config)
    holds = js_trim(context.candidate).endswith(js_trim(value))
    return EvaluationScore.check(
        holds, f"ends with {quoted_excerpt(value)}", f"does not end with {quoted_excerpt(value)}"
    )


ENDS_WITH = TypedEvaluator("ends-with", EndsWith, _grade)
