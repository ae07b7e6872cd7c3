"""The answer stayed within its cost limit."""

from rubric_core.evaluation.evaluators.typed import TypedEvaluator, required_setting
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.language.evaluators import Cost

__all__ = ["COST"]


def _grade(config: Cost, context: EvaluationContext) -> EvaluationScore:
    limit = required_setting(config.budget, config, "budget")
    spent = context.answer.cost_usd if context.answer else None
    if spent is None:
        return EvaluationScore.check(False, "", "the target does not report its cost")
    return EvaluationScore.check(spent <= limit, f"cost ${spent:g}", f"cost ${spent:g}, the limit is ${limit:g}")


COST = TypedEvaluator("cost", Cost, _grade)
