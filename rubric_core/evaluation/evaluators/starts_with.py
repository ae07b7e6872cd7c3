"""The answer begins with a text."""

from rubric_core.evaluation.evaluators.typed import TypedEvaluator, quoted, text_of, trimmed
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.language.evaluators import StartsWith

__all__ = ["STARTS_WITH"]


def _grade(config: StartsWith, context: EvaluationContext) -> EvaluationScore:
    value = text_of(config)
    holds = trimmed(context.candidate).startswith(trimmed(value))
    return EvaluationScore.check(holds, f"starts with {quoted(value)}", f"does not start with {quoted(value)}")


STARTS_WITH = TypedEvaluator("starts-with", StartsWith, _grade)
