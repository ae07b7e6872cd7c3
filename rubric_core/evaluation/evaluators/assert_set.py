"""Several evaluators that count as one."""

import asyncio

from rubric_core.evaluation.evaluators.typed import TypedEvaluator, score_with_members
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.result import Verdict
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.scoring.score import at_least, weighted_mean
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.evaluators import AssertSet
from rubric_core.lazy_compilation import replace
from rubric_core.loading.grading import gather_evaluators
from rubric_core.syntax.plain_data import plain

__all__ = ["ASSERT_SET"]


async def _grade(config: AssertSet, context: EvaluationContext) -> EvaluationScore:
    grade = context.grade
    members = gather_evaluators(config.assertions or (), context.dialect or DIALECTS[-1])
    if grade is None or not members:
        raise Unscored("an assert-set needs at least one member", at=config)
    settings = {name: plain(value, context.anchors) for name, value in (config.config or {}).items()}
    inner = replace(context, inherited={**context.inherited, **settings})
    results = tuple(await asyncio.gather(*(grade(member, inner) for member in members)))
    missing = next((r for r in results if r.score is None and r.counts), None)
    if missing is not None:
        raise Unscored(f"member {missing.name}: {missing.reason}", members=results)
    scored = [r for r in results if r.score is not None]
    mean = weighted_mean((r.score or 0.0, r.weight) for r in scored)
    if config.threshold is not None:
        passed = at_least(mean, config.threshold)
    else:
        passed = all(r.verdict is Verdict.PASSED for r in scored if r.weight > 0)
    gate = next((f"{r.name} / {r.gate}" for r in scored if r.gate), "")
    verdict = Verdict.PASSED if passed and not gate else Verdict.FAILED
    return replace(
        score_with_members(scored, mean),
        members=results,
        gate=gate,
        verdict=verdict,
        details={"aggregator": "weighted_average"},
    )


ASSERT_SET = TypedEvaluator("assert-set", AssertSet, _grade)
