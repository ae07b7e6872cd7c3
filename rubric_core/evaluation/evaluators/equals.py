"""The answer equals a text, ignoring surrounding white space."""

from rubric_core.evaluation.evaluators.typed import TypedEvaluator, js_trim, quoted_excerpt, text_of
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.language.evaluators import Equals

__all__ = ["EQUALS"]


def _grade(config: Equals, context: EvaluationContext) -> EvaluationScore:
    value = text_of(config)
    holds = js_trim(context.candidate) == js_trim(value)
    return EvaluationScore.check(holds, f"equals {quoted_excerpt(value)}", f"does not equal {quoted_excerpt(value)}")


EQUALS = TypedEvaluator("equals", Equals, _grade)
