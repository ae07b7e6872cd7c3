"""The tool calls of the target: their order, number and arguments."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from rubric_core.evaluation.evaluators.typed import TypedEvaluator
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.scoring.trajectory import ExpectedStep, Tally, compare_trajectory
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.evaluators import ExpectedCall, ToolTrajectory
from rubric_core.ports import ToolUse
from rubric_core.syntax.plain_data import plain

__all__ = ["TOOL_TRAJECTORY"]


def _grade(config: ToolTrajectory, context: EvaluationContext) -> EvaluationScore:
    uses = context.answer.tool_uses if context.answer else None
    if uses is None:
        return EvaluationScore.check(False, "", "the target does not report its tool calls")
    if config.mode == "any_order":
        return _any_order(config, uses)
    if config.mode is None or config.expected is None:
        raise Unscored("tool-trajectory needs a `mode`, and `expected` calls", at=config)
    default = (
        config.args_match if config.has("args_match") else (context.dialect or DIALECTS[-1]).properties.trajectory_args
    )
    steps = [_step(call, default, context) for call in config.expected if isinstance(call, ExpectedCall) and call.tool]
    return compare_trajectory(config.mode, steps, uses)


def _any_order(config: ToolTrajectory, uses: Sequence[ToolUse]) -> EvaluationScore:
    if not config.minimums:
        raise Unscored("mode any_order needs `minimums`", at=config)
    counts = Counter(use.tool for use in uses)
    tally = Tally()
    for tool, least in config.minimums.items():
        said = f"{tool} was called {counts[tool]} times"
        tally.count(counts[tool] >= least, said, f"{said}, at least {least:g} are wanted")
    return tally.score()


def _step(call: ExpectedCall, default: Any, context: EvaluationContext) -> ExpectedStep:
    how = call.args_match if call.has("args_match") else default
    args = plain(call.args, context.anchors) if isinstance(call.args, dict) else None
    return ExpectedStep(call.tool or "", args, plain(how, context.anchors), call.max_duration_ms)


TOOL_TRAJECTORY = TypedEvaluator("tool-trajectory", ToolTrajectory, _grade)
