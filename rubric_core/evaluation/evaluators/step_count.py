"""The agent took enough steps, and not too many."""

from collections.abc import Mapping

from rubric_core.evaluation.context import EvaluationContext, EvaluationScore
from rubric_core.evaluation.evaluators.typed import TypedEvaluator, is_inverse, recorded, value_of
from rubric_core.evaluation.result import Unscored
from rubric_core.evaluation.steps import steps_of, wanted
from rubric_core.language.evaluators import StepCount

__all__ = ["STEP_COUNT"]


def _grade(config: StepCount, context: EvaluationContext) -> EvaluationScore:
    value = value_of(config, context)
    if not isinstance(value, Mapping) or ("min" not in value and "max" not in value):
        raise Unscored("`value` needs `min`, `max` or both", at=config)
    pattern = value.get("pattern", "*")
    step = wanted({"min": 0, **value, "name": pattern}, config)
    steps = steps_of(recorded(context, config), str(value.get("type", "")), config)
    count = sum(step.named(use.tool) for use in steps)
    kind = value.get("type", "tool")
    said = f"{count} steps of type {kind}" + (f" like {pattern}" if "pattern" in value else "")
    inverse = is_inverse(config)
    holds = step.count_holds(count) is not inverse
    return EvaluationScore.check(holds, said, f"{said}, {'not ' if inverse else ''}{step.words} wanted")


STEP_COUNT = TypedEvaluator("trajectory:step-count", StepCount, _grade)
