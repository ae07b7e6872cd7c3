"""The agent called tools in the expected order."""

from collections.abc import Mapping, Sequence

from rubric_core.evaluation.evaluators.typed import TypedEvaluator, is_inverse, value_of
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.scoring.tool_calls import ToolPattern, ToolStep, tools_of, wanted_tool
from rubric_core.language.evaluators import ToolSequence

__all__ = ["TOOL_SEQUENCE"]


def _grade(config: ToolSequence, context: EvaluationContext) -> EvaluationScore:
    value = value_of(config, context)
    mode = value.get("mode", config.modes[0]) if isinstance(value, Mapping) else config.modes[0]
    listed = value.get("steps") if isinstance(value, Mapping) else value
    if mode not in config.modes:
        raise Unscored(f"`mode` is {' or '.join(config.modes)}, found {mode!r}", at=config)
    if not isinstance(listed, list) or not listed:
        raise Unscored("`value` needs `steps`, the calls in their order", at=config)
    steps = [wanted_tool(item, config) for item in listed]
    uses = tools_of(context, config)
    problem = _exactly(steps, uses) if mode == "exact" else _in_order(steps, uses)
    called = "called: " + (", ".join(use.names[0] for use in uses) or "nothing")
    miss = f"the calls are in this order; {called}" if is_inverse(config) else f"{problem}; {called}"
    return EvaluationScore.check((not problem) is not is_inverse(config), called, miss)


def _in_order(steps: Sequence[ToolPattern], uses: Sequence[ToolStep]) -> str:
    start = 0
    for step in steps:
        at = next((i for i in range(start, len(uses)) if step.fits(uses[i])), None)
        if at is None:
            return f"{step.name} was not called in order"
        start = at + 1
    return ""


def _exactly(steps: Sequence[ToolPattern], uses: Sequence[ToolStep]) -> str:
    for position, (step, use) in enumerate(zip(steps, uses, strict=False), start=1):
        if not step.fits(use):
            return f"call {position} is {use.names[0]}, expected is {step.name}"
    return "" if len(steps) == len(uses) else f"{len(uses)} calls, expected are {len(steps)}"


TOOL_SEQUENCE = TypedEvaluator("trajectory:tool-sequence", ToolSequence, _grade)
