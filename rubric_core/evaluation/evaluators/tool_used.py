"""The agent called a tool, often enough and not too often."""

from rubric_core.evaluation.context import EvaluationContext, EvaluationScore
from rubric_core.evaluation.evaluators.typed import TypedEvaluator, is_inverse, recorded, value_of
from rubric_core.evaluation.steps import wanted_all
from rubric_core.language.evaluators import ToolUsed

__all__ = ["TOOL_USED"]


def _grade(config: ToolUsed, context: EvaluationContext) -> EvaluationScore:
    inverse = is_inverse(config)
    uses = recorded(context, config)
    hits: list[str] = []
    misses: list[str] = []
    for step in wanted_all(value_of(config, context), config):
        count = sum(step.fits(use) for use in uses)
        said = f"{step.name} was called {count} times"
        holds = step.count_holds(count) is not inverse
        (hits if holds else misses).append(said if holds else f"{said}, {'not ' if inverse else ''}{step.words} wanted")
    return EvaluationScore(
        score=0.0 if misses else 1.0, hits=tuple(hits), misses=tuple(misses), expected_aspect_count=len(hits) + len(misses)
    )  # fmt: skip


TOOL_USED = TypedEvaluator("trajectory:tool-used", ToolUsed, _grade)
