"""The evaluator of each type of promptfoo assertion, or the reason why a type is not supported."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from rubric_core.dataclass_copies import replace_fields
from rubric_core.evaluation.evaluators.llm_judge import JudgeResolver
from rubric_core.evaluation.evaluators.typed import TypedEvaluator, score_with_members
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.result import EvaluatorResult, Verdict
from rubric_core.evaluation.model.unscored import GraderError, Unscored
from rubric_core.families.promptfoo.code.transform import TransformPlace, output_text, transformed
from rubric_core.families.promptfoo.evaluators.grader import Grader
from rubric_core.families.promptfoo.evaluators.handler import AssertionParams, GradingResult, Handler
from rubric_core.families.promptfoo.evaluators.html_checks import HTML_CHECKS
from rubric_core.families.promptfoo.evaluators.json_checks import JSON_CHECKS
from rubric_core.families.promptfoo.evaluators.measures import MEASURES, PROVIDER_REPORTS
from rubric_core.families.promptfoo.evaluators.model_graded import MODEL_GRADED
from rubric_core.families.promptfoo.evaluators.openai_checks import MODERATION, SIMILARITIES
from rubric_core.families.promptfoo.evaluators.overlap import OVERLAPS
from rubric_core.families.promptfoo.evaluators.relevance import CONTEXT_GRADED, RELEVANCE
from rubric_core.families.promptfoo.evaluators.scripts import SCRIPTS, SERVICES, expected_by_script
from rubric_core.families.promptfoo.evaluators.sql_checks import SQL_CHECKS
from rubric_core.families.promptfoo.evaluators.text_checks import REFUSALS, TEXTS
from rubric_core.families.promptfoo.evaluators.tool_calls import TOOL_CHECKS, TOOL_SCHEMAS
from rubric_core.families.promptfoo.evaluators.xml_checks import XML_CHECKS
from rubric_core.families.promptfoo.language.assertion import COMPARING_TYPES, SET_TYPE, Assertion
from rubric_core.families.promptfoo.model.assertion import (
    PROMPTFOO_KIND,
    PromptfooAssertion,
    given_score_details,
    within_range,
)
from rubric_core.families.promptfoo.scoring import named_details, promptfoo_total
from rubric_core.lazy_compilation import replace
from rubric_core.loading.directory_search import URL
from rubric_core.ports import Answer

__all__ = ["RUN_TYPES", "promptfoo_evaluator"]

_HANDLERS: Mapping[str, Handler] = {
    **TEXTS, **JSON_CHECKS, **MEASURES, **SCRIPTS, **OVERLAPS, **REFUSALS, **TOOL_CHECKS, **HTML_CHECKS, **XML_CHECKS, **SERVICES,
    **SIMILARITIES, **PROVIDER_REPORTS, **TOOL_SCHEMAS, **MODERATION, **SQL_CHECKS,
}  # fmt: skip
#: Those that a model grades.
_GRADED = {**MODEL_GRADED, **CONTEXT_GRADED, **RELEVANCE}
#: The types that are run, without `not-`.
RUN_TYPES = frozenset({*_HANDLERS, *_GRADED, *COMPARING_TYPES, SET_TYPE})
#: Why a type is not run.
_REASONS: Mapping[str, str] = {
    "meteor": "promptfoo does not either, because it looks for the stemmer of the package natural in the wrong place; `rouge-n`, `bleu` and "
    "`gleu` are run"
}
_CODE = (".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".py", ".rb")


def promptfoo_evaluator(resolve: JudgeResolver = lambda _: None) -> TypedEvaluator[PromptfooAssertion]:
    """The evaluator of all assertions; `resolve` gives the grading model for a context."""

    def grade(config: PromptfooAssertion, context: EvaluationContext) -> EvaluationScore | Awaitable[EvaluationScore]:
        if config.trouble:
            raise GraderError(config.trouble, at=config)
        if config.type_name == SET_TYPE:
            return _grade_set(config, context)
        params = AssertionParams(config, context)
        if config.settings.get("transform"):
            return grade_transformed(params)
        graded = _GRADED.get(config.base_type)
        return _grade(params) if graded is None else grade_by_model(graded, params)

    async def grade_transformed(params: AssertionParams) -> EvaluationScore:
        params = await _transformed(params)
        graded = _GRADED.get(params.config.base_type)
        if graded is not None:
            return await grade_by_model(graded, params)
        score = _grade(params)
        return score if isinstance(score, EvaluationScore) else await score

    async def grade_by_model(
        graded: Callable[[Grader], Awaitable[EvaluationScore]], params: AssertionParams
    ) -> EvaluationScore:
        score = await graded(Grader(params, resolve))
        return score if params.config.weight else replace(score, verdict=Verdict.PASSED)

    return TypedEvaluator(PROMPTFOO_KIND, PromptfooAssertion, grade)


async def _transformed(params: AssertionParams) -> AssertionParams:
    """The parameters with the output that the assertion's own `transform` makes. Raises Unscored."""
    config, context = params
    code = config.settings.get("transform")
    if context.ports is None:
        raise Unscored("code runs only as part of a run", at=config)
    place = TransformPlace(
        context.ports, context.directory, context.time_limit, context.variables, {"label": context.prompt_inputs.question}, config,
        params.metadata,
    )  # fmt: skip
    made = await transformed(code, params.output, place)
    answer = replace_fields(context.answer or Answer(""), data=None if isinstance(made, str) else made)
    return AssertionParams(config, context.with_fields(candidate=output_text(made), answer=answer))


def _grade(params: AssertionParams) -> EvaluationScore | Awaitable[EvaluationScore]:
    """The score of an assertion that no model grades: at once, as most of them give it, or later."""
    config, context = params
    handler = _HANDLERS.get(config.base_type)
    if context.dialect is not None and context.dialect.type_of(config.type_name, Assertion) is None:
        raise GraderError(f"promptfoo has no assertion type {config.type_name}", at=config)
    if handler is None:
        reason = _REASONS.get(config.base_type, "")
        words = f"rubric does not run assertions of the type {config.type_name} of promptfoo"
        raise Unscored(f"{words}{reason and ': '}{reason}", at=config)
    if _has_function(params):
        return _grade_by_function(params, handler)
    result = handler(params)
    return _score(config, result) if isinstance(result, GradingResult) else _score_later(config, result)


async def _grade_by_function(params: AssertionParams, handler: Handler) -> EvaluationScore:
    """The score of an assertion whose value a function in a file computes."""
    config = params.config
    expected = await expected_by_script(params)
    if isinstance(expected, GradingResult):
        return _score(config, expected)
    result = handler(params._replace(config=_with_value(config, expected)))
    return _score(config, result if isinstance(result, GradingResult) else await result)


async def _score_later(config: PromptfooAssertion, result: Awaitable[GradingResult]) -> EvaluationScore:
    return _score(config, await result)


def _has_function(params: AssertionParams) -> bool:
    value = params.value
    return (
        params.config.base_type not in SCRIPTS
        and isinstance(value, str)
        and value.startswith(URL)
        and value.removeprefix(URL).partition(":")[0].endswith(_CODE)
    )


def _with_value(config: PromptfooAssertion, value: object) -> PromptfooAssertion:
    made = PromptfooAssertion(config.span, config.node)
    vars(made).update(vars(config))
    made.settings = {**config.settings, "value": value}
    return made


def _score(config: PromptfooAssertion, found: GradingResult) -> EvaluationScore:
    # With a weight of 0 an assertion passes whatever it finds.
    passed = found.passed or not config.weight
    details: dict[str, Any] = {**given_score_details(found.score)}
    details |= {"named_scores": dict(found.named)} if found.named else {}
    details |= {"named_score_weights": dict(found.named_weights)} if found.named and found.named_weights else {}
    return EvaluationScore(
        score=within_range(found.score), verdict=Verdict.PASSED if passed else Verdict.FAILED, expected_aspect_count=1,
        hits=("passed",) if found.passed else (), misses=() if found.passed else (found.reason,),
        details=details or None, members=tuple(_part(config, each) for each in found.parts),
    )  # fmt: skip


def _part(config: PromptfooAssertion, part: GradingResult) -> EvaluatorResult:
    """A part of the result of a script; its score counts in that of the whole alone."""
    return EvaluatorResult(
        name=part.reason or config.type_name, type=config.type_name, score=within_range(part.score),
        verdict=Verdict.PASSED if part.passed else Verdict.FAILED, misses=() if part.passed else (part.reason,),
        details=given_score_details(part.score) or None,
    )  # fmt: skip


async def _grade_set(config: PromptfooAssertion, context: EvaluationContext) -> EvaluationScore:
    """The assertions of a set as one: their weighted mean, and its own threshold."""
    grade = context.grade
    if grade is None:
        raise Unscored("an assert-set is graded only as part of a case", at=config)
    # Those that compare outputs are skipped in sets.
    members = [each for each in config.members if each.type_name not in COMPARING_TYPES]
    if not members:
        passed = config.threshold is None or config.threshold <= 0
        words = ("the set is empty",)
        if passed:
            return EvaluationScore(score=0.0, verdict=Verdict.PASSED, hits=words)
        return EvaluationScore(score=0.0, verdict=Verdict.FAILED, misses=words)
    results = tuple(await asyncio.gather(*(grade(member, context) for member in members)))
    missing = next((r for r in results if r.score is None), None)
    if missing is not None:
        raise Unscored(f"member {missing.name}: {missing.reason}", members=results)
    total = promptfoo_total(results, [float(each.weight) for each in members], config.threshold)
    found = _score(config, GradingResult(total.passed, total.score, total.reason))
    inner = score_with_members(results, found.score)
    # A set fails its case even with a weight of 0.
    verdict = Verdict.PASSED if total.passed else Verdict.FAILED
    misses = found.misses if not total.passed else ()
    named = named_details([(each.metric, float(each.weight)) for each in members], results)
    details = {**(found.details or {}), **named}
    return replace(inner, members=results, verdict=verdict, misses=misses, details=details or None)
