"""The answer contains all of several texts."""

from rubric_core.evaluation.evaluators.typed import TypedEvaluator, quoted_excerpt, texts_of
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.language.evaluators import ContainsAll

__all__ = ["CONTAINS_ALL"]


def _grade(config: ContainsAll, context: EvaluationContext) -> EvaluationScore:
    values = texts_of(config)
    answer = context.candidate
    missing = [value for value in values if value not in answer]
    listed = ", ".join(quoted_excerpt(value) for value in missing or values)
    return EvaluationScore.check(not missing, f"contains {listed}", f"does not contain {listed}")


CONTAINS_ALL = TypedEvaluator("contains-all", ContainsAll, _grade)
