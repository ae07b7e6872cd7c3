"""Python in the suite, or in a file beside it, grades the answer."""

from rubric_core.evaluation.context import EvaluationContext, EvaluationScore
from rubric_core.evaluation.evaluators.typed import TypedEvaluator, demanded
from rubric_core.evaluation.opinions import opinion
from rubric_core.evaluation.scripts import run_code, told_to_scripts
from rubric_core.language.evaluators import Python

__all__ = ["PYTHON"]


async def _grade(config: Python, context: EvaluationContext) -> EvaluationScore:
    told = {"output": context.candidate, "context": told_to_scripts(context)}
    reply = await run_code(demanded(config.value, config, "value"), "python", told, context, config)
    return opinion(reply, config.threshold, config)


PYTHON = TypedEvaluator("python", Python, _grade)
