"""The answer contains at least one of several texts, ignoring case."""

from rubric_core.evaluation.evaluators.typed import TypedEvaluator, quoted_excerpt, texts_of
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.language.evaluators import IContainsAny

__all__ = ["ICONTAINS_ANY"]


def _grade(config: IContainsAny, context: EvaluationContext) -> EvaluationScore:
    values = texts_of(config)
    answer = context.candidate.lower()
    found = [value for value in values if value.lower() in answer]
    listed = ", ".join(quoted_excerpt(value) for value in found or values)
    return EvaluationScore.check(bool(found), f"contains {listed}", f"contains none of {listed}")


ICONTAINS_ANY = TypedEvaluator("icontains-any", IContainsAny, _grade)
