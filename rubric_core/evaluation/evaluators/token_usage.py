"""The answer stayed within its token limits."""

from rubric_core.evaluation.evaluators.typed import TypedEvaluator
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.language.evaluators import TokenUsage

__all__ = ["TOKEN_USAGE"]


def _grade(config: TokenUsage, context: EvaluationContext) -> EvaluationScore:
    tokens = context.answer.tokens if context.answer else None
    limits = (
        ("in all", config.max_total, tokens.total if tokens else None),
        ("in", config.max_input, tokens.input if tokens else None),
        ("out", config.max_output, tokens.output if tokens else None),
    )
    checked = [(what, limit, used) for what, limit, used in limits if limit is not None]
    if not checked:
        raise Unscored("token-usage needs a limit: max_total, max_input or max_output", at=config)
    if tokens is None:
        return EvaluationScore.check(False, "", "the target does not report its token usage")
    hits = tuple(f"{used} tokens {what}" for what, limit, used in checked if used is not None and used <= limit)
    misses = tuple(
        f"{used} tokens {what}, the limit is {limit:g}"
        for what, limit, used in checked
        if used is not None and used > limit
    )
    return EvaluationScore(score=0.0 if misses else 1.0, hits=hits, misses=misses, expected_aspect_count=len(checked))


TOKEN_USAGE = TypedEvaluator("token-usage", TokenUsage, _grade)
