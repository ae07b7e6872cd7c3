"""Limits on a run: calls, tokens, cost, time. The score is the share of the limits that hold."""

from rubric_core.evaluation.evaluators.typed import TypedEvaluator
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.language.evaluators import ExecutionMetrics
from rubric_core.ports import Answer

__all__ = ["EXECUTION_METRICS"]

#: Exploration tools, by the names that agents use.
_EXPLORING = frozenset({"read", "grep", "glob", "search", "list", "Read", "Grep", "Glob", "WebSearch", "WebFetch"})


def _grade(config: ExecutionMetrics, context: EvaluationContext) -> EvaluationScore:
    answer = context.answer or Answer("")
    tokens, uses = answer.tokens, answer.tool_uses
    measured = (
        ("tool calls", config.max_tool_calls, None if uses is None else len(uses)),
        ("model calls", config.max_llm_calls, answer.llm_calls),
        ("tokens", config.max_tokens, tokens.input + tokens.output if tokens else None),
        ("US dollars", config.max_cost_usd, answer.cost_usd),
        ("ms", config.max_duration_ms, answer.duration_ms),
    )
    hits: list[str] = []
    misses: list[str] = []
    for what, limit, used in measured:
        if limit is not None:
            holds = used is not None and used <= limit
            said = f"{what}: unknown" if used is None else f"{used:g} {what}"
            (hits if holds else misses).append(said if holds else f"{said}, the limit is {limit:g}")
    _explored(config, answer, hits, misses)
    if not hits and not misses:
        raise Unscored("execution-metrics needs at least one limit", at=config)
    checked = len(hits) + len(misses)
    return EvaluationScore(
        score=len(hits) / checked, hits=tuple(hits), misses=tuple(misses), expected_aspect_count=checked
    )


def _explored(config: ExecutionMetrics, answer: Answer, hits: list[str], misses: list[str]) -> None:
    """Whether the share of exploration calls is close to the wanted one."""
    wanted = config.target_exploration_ratio
    if wanted is None:
        return
    uses = answer.tool_uses
    if not uses:
        misses.append("exploration: no recorded tool calls")
        return
    share = sum(use.tool in _EXPLORING for use in uses) / len(uses)
    holds = abs(share - wanted) <= (config.exploration_tolerance or 0.0) + 1e-9
    (hits if holds else misses).append(f"exploration {share:.2f}, wanted {wanted:g} ± {config.exploration_tolerance:g}")


EXECUTION_METRICS = TypedEvaluator("execution-metrics", ExecutionMetrics, _grade)
