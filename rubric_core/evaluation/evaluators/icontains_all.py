"""The answer contains all of several texts, ignoring case."""

from rubric_core.evaluation.evaluators.typed import TypedEvaluator, quoted_excerpt, texts_of
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.language.evaluators import IContainsAll

__all__ = ["ICONTAINS_ALL"]


def _grade(config: IContainsAll, context: EvaluationContext) -> EvaluationScore:
    values = texts_of(config)
    answer = context.candidate.lower()
    missing = [value for value in values if value.lower() not in answer]
    listed = ", ".join(quoted_excerpt(value) for value in missing or values)
    return EvaluationScore.check(not missing, f"contains {listed}", f"does not contain {listed}")


ICONTAINS_ALL = TypedEvaluator("icontains-all", IContainsAll, _grade)
