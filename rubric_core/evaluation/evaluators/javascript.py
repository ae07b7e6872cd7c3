"""JavaScript in the suite, or in a file beside it, grades the answer."""

from rubric_core.evaluation.context import EvaluationContext, EvaluationScore
from rubric_core.evaluation.evaluators.typed import TypedEvaluator, demanded
from rubric_core.evaluation.opinions import opinion
from rubric_core.evaluation.scripts import run_code, told_to_scripts
from rubric_core.language.evaluators import Javascript

__all__ = ["JAVASCRIPT"]


async def _grade(config: Javascript, context: EvaluationContext) -> EvaluationScore:
    told = {"output": context.candidate, "context": told_to_scripts(context)}
    reply = await run_code(demanded(config.value, config, "value"), "javascript", told, context, config)
    return opinion(reply, config.threshold, config)


JAVASCRIPT = TypedEvaluator("javascript", Javascript, _grade)
