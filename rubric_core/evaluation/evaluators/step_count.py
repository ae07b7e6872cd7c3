"""The number of steps of the agent is within its bounds."""

from collections.abc import Mapping

from rubric_core.evaluation.evaluators.typed import TypedEvaluator, is_inverse, value_of
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.scoring.tool_calls import steps_of, tool_pattern
from rubric_core.language.evaluators import StepCount

__all__ = ["STEP_COUNT"]


def _grade(config: StepCount, context: EvaluationContext) -> EvaluationScore:
    value = value_of(config, context)
    if not isinstance(value, Mapping) or (value.get("min") is None and value.get("max") is None):
        raise Unscored("`value` needs `min`, `max` or both", at=config)
    step = tool_pattern(value, config)
    count = sum(step.fits(each) for each in steps_of(context, config))
    kinds = f" of type {' or '.join(step.kinds)}" if step.kinds else ""
    said = f"{count} steps{kinds}{f' like {step.name}' if step.name else ''}"
    inverse = is_inverse(config)
    holds = step.count_holds(count) is not inverse
    return EvaluationScore.check(holds, said, f"{said}, {'not ' if inverse else ''}{step.words} wanted")


STEP_COUNT = TypedEvaluator("trajectory:step-count", StepCount, _grade)
