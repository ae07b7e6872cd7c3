"""The tool calls of the expected messages were made, call by call."""

from rubric_core.evaluation.evaluators.typed import TypedEvaluator
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.scoring.trajectory import ExpectedStep, compare_trajectory
from rubric_core.language.evaluators import ExpectedMessages

__all__ = ["EXPECTED_MESSAGES"]


def _grade(config: ExpectedMessages, context: EvaluationContext) -> EvaluationScore:
    uses = context.answer.tool_uses if context.answer else None
    if uses is None:
        return EvaluationScore.check(False, "", "the target does not report its tool calls")
    messages = [m for m in context.prompt_inputs.expected if isinstance(m, dict) and m.get("role") == "assistant"]
    calls = [c for m in messages for c in m.get("tool_calls") or () if isinstance(c, dict) and c.get("tool")]
    if not calls:
        raise Unscored("the expected messages of the case have no tool calls to compare with", at=config)
    steps = [ExpectedStep(str(c["tool"]), c["input"] if isinstance(c.get("input"), dict) else None) for c in calls]
    return compare_trajectory("exact", steps, uses)


EXPECTED_MESSAGES = TypedEvaluator("expected_messages", ExpectedMessages, _grade)
