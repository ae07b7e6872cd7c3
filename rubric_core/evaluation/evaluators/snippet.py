"""Grades the answer with code in the suite, or in a file beside it: the part shared by all languages."""

from rubric_core.evaluation.code.external_scores import external_score
from rubric_core.evaluation.code.interpreters import Language
from rubric_core.evaluation.code.payload import script_context
from rubric_core.evaluation.code.scripts import run_code
from rubric_core.evaluation.evaluators.typed import TypedEvaluator, required_setting
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.language.evaluators import Scripted

__all__ = ["snippet"]


def snippet(language: Language, shape: type[Scripted]) -> TypedEvaluator[Scripted]:
    """The evaluator that runs code in a language; it is configured by `shape`, and its kind is the language."""

    async def grade(config: Scripted, context: EvaluationContext) -> EvaluationScore:
        told = {"output": context.candidate, "context": script_context(context, camel=language == "javascript")}
        reply = await run_code(required_setting(config.value, config, "value"), language, told, context, config)
        return external_score(reply, config.threshold, config)

    return TypedEvaluator(language, shape, grade)
