"""The agent called a tool, with a call count within its bounds."""

from collections.abc import Sequence

from rubric_core.evaluation.evaluators.typed import TypedEvaluator, is_inverse, value_of
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.scoring.tool_calls import ToolPattern, ToolStep, steps_of, wanted_tool
from rubric_core.language.evaluators import ToolUsed

__all__ = ["TOOL_USED"]


def _grade(config: ToolUsed, context: EvaluationContext) -> EvaluationScore:
    inverse, value = is_inverse(config), value_of(config, context)
    tools = [wanted_tool(item, config) for item in (value if isinstance(value, list) else [value])]
    if not tools:
        raise Unscored("`value` needs the name of a tool", at=config)
    steps = steps_of(context, config)
    hits: list[str] = []
    misses: list[str] = []
    for tool in tools:
        count = sum(step.kind == "tool" and tool.fits(step) for step in steps)
        said = f"{tool.name} was called {count} times"
        holds = tool.count_holds(count) is not inverse
        wish = f", {'not ' if inverse else ''}{tool.words} wanted{_among_commands(tool, steps)}"
        (hits if holds else misses).append(said if holds else said + wish)
    return EvaluationScore(
        score=0.0 if misses else 1.0, hits=tuple(hits), misses=tuple(misses), expected_aspect_count=len(hits) + len(misses)
    )  # fmt: skip


def _among_commands(tool: ToolPattern, steps: Sequence[ToolStep]) -> str:
    """A note about a shell, whose calls AgentV treats as commands and not as tools."""
    called = any(step.kind == "command" and ToolPattern(tool.name).fits(step) for step in steps)
    return (
        "; it ran commands, which do not count as tools here: count them by `trajectory:step-count`" if called else ""
    )


TOOL_USED = TypedEvaluator("trajectory:tool-used", ToolUsed, _grade)
