"""Runs the evaluators of a case in sequence and combines their scores."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple

from rubric_core.dataclass_copies import replace_fields
from rubric_core.evaluation.code.scripts import transform_answer
from rubric_core.evaluation.engine.custom_evaluators import UserEvaluator, custom_evaluator, no_evaluator_of
from rubric_core.evaluation.engine.evaluator_result import Effort, scored_result, unscored_result
from rubric_core.evaluation.engine.registry import EVALUATORS, evaluator_for, kind_of
from rubric_core.evaluation.evaluators.code import CodeEvaluator
from rubric_core.evaluation.evaluators.defaults import SCALARS, default_evaluators
from rubric_core.evaluation.evaluators.llm_judge import LlmJudgeEvaluator
from rubric_core.evaluation.evaluators.typed import TypedEvaluator
from rubric_core.evaluation.judging.templates import custom_prompt
from rubric_core.evaluation.model.arguments import instance
from rubric_core.evaluation.model.coerce import config_of
from rubric_core.evaluation.model.context import EvaluationContext, EvaluatorConfig
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.evaluator import Evaluator, require_evaluators
from rubric_core.evaluation.model.exchanges import ExchangeLog
from rubric_core.evaluation.model.result import EvaluatorResult, Verdict
from rubric_core.evaluation.model.unscored import GraderError, Unscored
from rubric_core.evaluation.scoring.score import case_outcome
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.evaluators import CodeEvaluator as CodeShape
from rubric_core.language.evaluators import Custom, Proxy
from rubric_core.language.evaluators import Evaluator as Shaped
from rubric_core.language.model import Suite
from rubric_core.language.properties import Properties
from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import replace
from rubric_core.loading.grading import evaluators_of, scalar_kind
from rubric_core.syntax.plain_data import plain
from rubric_core.text import Span

__all__ = ["CaseScore", "EvaluatorHooks", "evaluator_results", "run_evaluators_for_case"]


_log = logging.getLogger(__name__)
_JUDGE = "llm_judge"
#: Evaluators that never block; they run without a thread.
_OWN = (TypedEvaluator, LlmJudgeEvaluator, CodeEvaluator)


class EvaluatorHooks(NamedTuple):
    """Called around each evaluator: with its configuration before, and with its result after."""

    before: Callable[[EvaluatorConfig, int], None] = lambda _config, _position: None
    after: Callable[[EvaluatorResult], None] = lambda _result: None


class CaseScore(NamedTuple):
    """The combined score of the evaluators of a case (None if one has no score), and the result of each.

    `score` has the verdict that a run gives the case, and the gate that failed, if one did.
    """

    score: EvaluationScore | None
    results: tuple[EvaluatorResult, ...]

    @property
    def verdict(self) -> Verdict:
        """The verdict of the case."""
        return (self.score.verdict if self.score is not None else None) or Verdict.UNSCORED


async def run_evaluators_for_case(
    context: EvaluationContext,
    registry: Mapping[str, Evaluator],
    configs: Sequence[EvaluatorConfig | Mapping[str, Any]] = (),
    hooks: EvaluatorHooks | None = None,
    blame: Callable[[Shape], str] = lambda _: "",
) -> CaseScore:
    """Grade the answer in `context` with every evaluator in turn.

    Args:
        context: The answer and its context; its `evaluator` is set for each evaluator.
        registry: See `build_evaluator_registry`.
        configs: The evaluators, or mappings with their keys; without any those of `context.eval_case`, else the one kind that it
            names, else the judge.
        hooks: Called before and after each evaluator.
        blame: Gives the line of a part of the suite, for the reason of a missing score.

    Raises TypeError for an entry of the registry that is no evaluator, InvalidSuiteError for a mapping with errors.
    """
    instance("context", context, EvaluationContext, "an EvaluationContext")
    require_evaluators(registry)
    if context.ports is None:
        from rubric_core.adapters import system_ports  # noqa: PLC0415  # only a caller without ports needs the system's

        async with system_ports() as ports:
            return await run_evaluators_for_case(replace(context, ports=ports), registry, configs, hooks, blame)
    given = [config_of(each, context.dialect) for each in configs] or _configured(context, registry)
    graded = await _each_graded(context, registry, given, hooks or EvaluatorHooks(), blame)
    results = tuple(result for result, _ in graded)
    return CaseScore(_together(results, [score for _, score in graded if score is not None], context), results)


async def evaluator_results(
    context: EvaluationContext,
    registry: Mapping[str, Evaluator],
    configs: Sequence[EvaluatorConfig],
    hooks: EvaluatorHooks,
    blame: Callable[[Shape], str],
) -> tuple[EvaluatorResult, ...]:
    """The result of each evaluator, not combined; see `run_evaluators_for_case`."""
    configs = configs or _configured(context, registry)
    return tuple(result for result, _ in await _each_graded(context, registry, configs, hooks, blame))


async def _each_graded(
    context: EvaluationContext,
    registry: Mapping[str, Evaluator],
    configs: Sequence[EvaluatorConfig],
    hooks: EvaluatorHooks,
    blame: Callable[[Shape], str],
) -> "list[tuple[EvaluatorResult, EvaluationScore | None]]":
    if context.transform is not None:
        context = await transform_answer(context.transform, context, context.eval_case)
    grader = _Grader(registry, blame)
    graded = []
    for position, config in enumerate(configs, start=1):
        hooks.before(config, position)
        graded.append(await grader.graded(config, context))
        hooks.after(graded[-1][0])
    return graded


def _configured(context: EvaluationContext, registry: Mapping[str, Evaluator]) -> list[EvaluatorConfig]:
    """The evaluators that a case lists, or the one named by its `evaluator` (`grader` in the first releases)."""
    case = context.eval_case
    dialect = context.dialect or DIALECTS[-1]
    listed = evaluators_of(Suite(Span(0, 0)), case, dialect)
    if listed:
        return listed
    kind = scalar_kind(case) or _JUDGE
    registered = {name for name, each in registry.items() if not isinstance(each, TypedEvaluator)}
    if kind not in registered | SCALARS.keys() | {case.evaluator}:
        _log.warning("evaluator: no evaluator is registered as `%s`, so the judge grades", kind)
    return default_evaluators(case, kind, dialect, registered)


def _together(
    results: Sequence[EvaluatorResult], scores: Sequence[EvaluationScore], context: EvaluationContext
) -> EvaluationScore | None:
    """The weighted mean of all scores, with the verdict that a run gives; with the default weight of 1, this is the plain average."""
    score, verdict, _ = case_outcome(results, _properties(context), context.threshold)
    if score is None:
        return None
    scored = [r for r in results if r.score is not None]
    single = results[0] if len(results) == 1 else None
    aspects = [aspect for each in scores for aspect in each.raw_aspects or ()]
    return EvaluationScore(
        score=score,
        verdict=verdict,
        gate=next((r.gate for r in scored if r.gate), ""),
        hits=tuple(hit for r in scored for hit in r.hits),
        misses=tuple(miss for r in scored for miss in r.misses),
        expected_aspect_count=sum(each.expected_aspect_count for each in scores),
        raw_aspects=tuple(aspects) or None,
        reasoning="\n".join(r.reasoning for r in scored if r.reasoning) or None,
        evaluator_raw_request=single.evaluator_raw_request if single else None,
        criteria=single.criteria if single else (),
        judge=single.judge if single else "",
    )


class _Grader:
    def __init__(self, registry: Mapping[str, Evaluator], blame: Callable[[Shape], str]) -> None:
        self._registry = registry
        self._blame = blame

    async def grade(self, config: EvaluatorConfig, context: EvaluationContext) -> EvaluatorResult:
        """The result of one evaluator. Nothing but cancellation propagates."""
        return (await self.graded(config, context))[0]

    async def graded(
        self, config: EvaluatorConfig, context: EvaluationContext
    ) -> tuple[EvaluatorResult, EvaluationScore | None]:
        """The result of one evaluator, and its score. Nothing but cancellation propagates."""
        began = asyncio.get_running_loop().time()
        log = ExchangeLog()
        try:
            inner = context.with_fields(evaluator=config, grade=self.grade, exchanges=log, own_prompt=None)
            if config.has("transform"):
                inner = await transform_answer(plain(config.transform, context.anchors), inner, config)
            own = await custom_prompt(inner)
            if own is not None:
                inner = inner.with_fields(own_prompt=own, system_prompt=own.text)
            score = self._evaluator(config, inner).evaluate(inner)
            done = score if isinstance(score, EvaluationScore) or not isinstance(score, Awaitable) else await score
            _must_be_a_score(done, config)
            took = (asyncio.get_running_loop().time() - began) * 1000
            return scored_result(config, context, done, _properties(context), Effort(took, log.exchanges)), done
        except Unscored as problem:
            where = self._blame(problem.at) if problem.at is not None else ""
            error = problem.reason if isinstance(problem, GraderError) else ""
            result = unscored_result(config, context)
            result = replace(result, reason=f"{problem.reason}{where}", error=error, criteria=problem.criteria)
            result = replace(
                result, evaluator_raw_request=problem.request, raw_replies=problem.replies, members=problem.members
            )
        except (Exception, SystemExit) as error:  # noqa: BLE001  # an evaluator may be anybody's code; a crash is not a score
            reason = f"the evaluator crashed: {type(error).__name__}: {error}"
            result = replace(unscored_result(config, context), reason=reason, error=reason)
        took = (asyncio.get_running_loop().time() - began) * 1000
        return replace_fields(result, duration_ms=took, exchanges=log.exchanges), None

    def _evaluator(self, config: EvaluatorConfig, context: EvaluationContext) -> Evaluator:
        kind = kind_of(config)
        if isinstance(config, CodeShape) and kind not in self._registry:
            if not config.command:
                raise Unscored("a code evaluator needs a command", at=config if config.node is not None else None)
            return CodeEvaluator(script=config.command, cwd=config.cwd, max_calls=_calls(config))
        if kind in self._registry:
            found = evaluator_for(self._registry, kind)
            return found if type(found) in _OWN else UserEvaluator(found)
        own = custom_evaluator(kind, context)
        if own is not None:
            return own
        if isinstance(config, Custom) or type(config) is Shaped:
            raise GraderError(no_evaluator_of(kind), at=config)
        if any(each.kind == kind for each in EVALUATORS) or kind == _JUDGE:
            raise GraderError(
                f"the registry has no {kind}; `build_evaluator_registry` gives one with every kind", at=config
            )
        raise GraderError(f"{config.type_name or 'this evaluator'} is not supported by rubric", at=config)


def _must_be_a_score(found: object, config: EvaluatorConfig) -> None:
    """Raises TypeError when a custom evaluator returns something other than a score."""
    if not isinstance(found, EvaluationScore):
        raise TypeError(f"evaluate() of {config.type_name} gave {found!r:.60}, not an EvaluationScore")


def _calls(config: CodeShape) -> int | None:
    """How often the program of an evaluator may call targets; None if it may not."""
    if config.target is True:
        return Proxy(config.span).max_calls
    return config.target.max_calls if isinstance(config.target, Proxy) else None


def _properties(context: EvaluationContext) -> Properties:
    return (context.dialect or DIALECTS[-1]).properties
