"""Several evaluators whose scores an aggregator combines."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from rubric_core.evaluation.evaluators.code import CodeEvaluator
from rubric_core.evaluation.evaluators.typed import TypedEvaluator, score_with_members
from rubric_core.evaluation.judging.templates import WholePrompt, prompt_in
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.jsonable import jsonable
from rubric_core.evaluation.model.result import EvaluatorResult, Verdict
from rubric_core.evaluation.model.unscored import Unscored, unscored
from rubric_core.evaluation.scoring.json_path import json_text
from rubric_core.evaluation.scoring.score import at_least, weighted_mean
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.evaluators import Aggregator, Composite, LlmJudge
from rubric_core.lazy_compilation import replace
from rubric_core.loading.grading import gather_evaluators

__all__ = ["COMPOSITE"]

_PLACEHOLDER = "{{EVALUATOR_RESULTS_JSON}}"


async def _grade(config: Composite, context: EvaluationContext) -> EvaluationScore:
    grade, aggregator = context.grade, config.aggregator
    if grade is None or not isinstance(aggregator, Aggregator) or not aggregator.type:
        raise Unscored("a composite needs an aggregator with a type", at=config)
    members = gather_evaluators(config.assertions or (), context.dialect or DIALECTS[-1])
    if not members:
        raise Unscored("a composite needs at least one member", at=config)
    weights = aggregator.weights or {}
    graded = await asyncio.gather(*(grade(member, context) for member in members))
    # The aggregator weights the members, whatever weight they set themselves.
    results = tuple(replace(r, weight=float(weights.get(r.name, 1.0))) for r in graded)
    try:
        score = await _aggregated(aggregator, results, context)
    except Unscored as problem:
        problem.members = results
        raise
    return replace(score, members=results)


async def _aggregated(
    aggregator: Aggregator, results: Sequence[EvaluatorResult], context: EvaluationContext
) -> EvaluationScore:
    kind = (aggregator.type or "").replace("_", "-")
    if kind.startswith("code"):
        return await _by_program(aggregator, results, context)
    missing = next((r for r in results if r.score is None), None)
    if missing is not None:
        raise Unscored(f"member {missing.name}: {missing.reason}")
    if kind.startswith("llm"):
        return await _by_judge(aggregator, results, context)
    return _by_threshold(aggregator, results, context) if kind == "threshold" else _by_weight(results)


def _by_weight(results: Sequence[EvaluatorResult]) -> EvaluationScore:
    mean = weighted_mean((r.score or 0.0, r.weight) for r in results)
    gate = next((f"{r.name} / {r.gate}" for r in results if r.gate), "")
    return replace(score_with_members(results, mean), gate=gate, details={"aggregator": "weighted_average"})


def _by_threshold(
    aggregator: Aggregator, results: Sequence[EvaluatorResult], context: EvaluationContext
) -> EvaluationScore:
    if aggregator.threshold is None:
        raise Unscored("a threshold aggregator needs a `threshold`", at=aggregator)
    three = (context.dialect or DIALECTS[-1]).properties.verdicts == "three"
    good = {Verdict.PASSED, Verdict.BORDERLINE} if three else {Verdict.PASSED}
    share = sum(r.verdict in good for r in results) / len(results)
    verdict = Verdict.PASSED if at_least(share, aggregator.threshold) else Verdict.FAILED
    details = {"aggregator": "threshold", "threshold": aggregator.threshold}
    return replace(score_with_members(results, share), verdict=verdict, details=details)


def _member_payload(results: Sequence[EvaluatorResult], context: EvaluationContext) -> Mapping[str, Any]:
    """The results of the members by name, with the keys that the releases of the dialect pass to programs and judges."""
    style = (context.dialect or DIALECTS[-1]).properties.reply_style
    return {r.name: _member(r, style == "hits") for r in results}


def _member(result: EvaluatorResult, hits: bool) -> Mapping[str, Any]:
    """One member, without empty keys. A member without a score is passed as AgentV does it: 0 and `skip`."""
    request = "evaluatorRawRequest" if hits else "graderRawRequest"
    told: dict[str, Any] = {
        "score": 0.0 if result.score is None else result.score,
        "verdict": "skip" if result.verdict is Verdict.UNSCORED else result.verdict.word,
        **(_hits(result) if hits else {"assertions": _assertions(result)}),
        "expectedAspectCount": max(1, len(result.hits) + len(result.misses)),
        request: jsonable(result.evaluator_raw_request),
        "scores": [{"name": m.name, "type": m.type, "weight": m.weight, **_member(m, hits)} for m in result.members] or None,
        "details": jsonable(result.details),
    }  # fmt: skip
    return {name: value for name, value in told.items() if value is not None}


def _hits(result: EvaluatorResult) -> Mapping[str, Any]:
    return {"hits": list(result.hits), "misses": list(result.misses), "reasoning": result.reasoning or None}


def _assertions(result: EvaluatorResult) -> list[Mapping[str, Any]]:
    misses = result.misses or ((result.reason,) if result.reason else ())
    checked = [(text, True) for text in result.hits] + [(text, False) for text in misses]
    return [{"text": text, "passed": passed} for text, passed in checked]


async def _by_program(
    aggregator: Aggregator, results: Sequence[EvaluatorResult], context: EvaluationContext
) -> EvaluationScore:
    if not aggregator.path:
        raise Unscored("a code aggregator needs a `path`", at=aggregator)
    # AgentV runs it beside the suite, whatever its `cwd` is.
    program = CodeEvaluator(script=aggregator.path, payload={"results": _member_payload(results, context)})
    score = await program.evaluate(context)
    return replace(score, details={**(score.details or {}), "aggregator": "a program"})


async def _by_judge(
    aggregator: Aggregator, results: Sequence[EvaluatorResult], context: EvaluationContext
) -> EvaluationScore:
    told = json_text(_member_payload(results, context), indent=2)
    prompt = aggregator.prompt
    if prompt is not None and context.ports is not None:
        prompt, _ = await prompt_in(prompt, context, context.ports, aggregator)
    prompt = prompt or f"Put these results of other evaluators together into one score.\n\n{_PLACEHOLDER}"
    whole = WholePrompt(prompt.replace(_PLACEHOLDER, told))
    config = LlmJudge(aggregator.span, None, type="llm_judge", name="aggregator", prompt=whole)
    config.type_name = "llm_judge"
    assert context.grade is not None
    judged = await context.grade(config, context)
    context.exchanges.add(*judged.exchanges)
    if judged.score is None:
        raise unscored(judged)
    return EvaluationScore(
        score=judged.score, hits=judged.hits, misses=judged.misses, expected_aspect_count=len(results), reasoning=judged.reasoning,
        judge=judged.judge, evaluator_raw_request=judged.evaluator_raw_request, raw_replies=judged.raw_replies,
        details={"aggregator": "a judge"},
    )  # fmt: skip


COMPOSITE = TypedEvaluator("composite", Composite, _grade)
