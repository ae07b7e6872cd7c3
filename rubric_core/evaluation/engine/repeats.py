"""A case run several times: how the runs become one result, and how certain that result is."""

import math
from collections.abc import Awaitable, Callable, Sequence
from statistics import NormalDist, fmean, stdev
from typing import Any, Literal

from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.model.exchanges import add_usage
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.scoring.merged_parts import merged_evaluators
from rubric_core.evaluation.scoring.score import at_least, ungraded_words, verdict_of
from rubric_core.language.model import Execution, Repeat, RunSettings, Trials
from rubric_core.language.properties import Properties
from rubric_core.lazy_compilation import dataclass, replace
from rubric_core.syntax.plain_data import plain

__all__ = ["Repeats", "budget_of", "pass_at", "pass_hat", "repeats_of", "run_repeats", "share_interval"]

Strategy = Literal["pass_at_k", "pass_all", "mean", "confidence_interval"]
_Z = NormalDist().inv_cdf(0.975)
# Student's t for 95 % with 1, 2, … degrees of freedom, then the normal distribution. Scores depend on it: the values are AgentV's.
_T = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11, 2.101, 2.093, 2.086,
    2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045,
)  # fmt: skip
_T_BEYOND = 1.96


@dataclass(frozen=True, slots=True)
class Repeats:
    """How often a case runs, and how its result is chosen or combined."""

    count: int = 1
    strategy: Strategy = "pass_at_k"
    #: Whether to stop at the first pass when the best run counts.
    early_exit: bool = False
    #: Budget for all runs of the case together, in US dollars.
    cost_limit_usd: float | None = None
    #: Whether a run may pass although an evaluator did not grade.
    allow_errors: bool = False


def budget_of(case: Runnable) -> float | None:
    """The budget of a case with all its repeats, in US dollars: `budget_usd` under its `run` or `execution`."""
    own = next((s for s in (case.case.run, case.case.execution) if isinstance(s, RunSettings | Execution)), None)
    return None if own is None or own.budget_usd is None else float(own.budget_usd)


def repeats_of(case: Runnable) -> Repeats:
    """The repeats set by command line, case or suite, within the budget of the case; one run by default."""
    found, budget, allowed = _configured_repeats(case), budget_of(case), case.options.allow_grader_errors
    if budget is None and not allowed:
        return found
    limits = [limit for limit in (found.cost_limit_usd, budget) if limit is not None]
    return replace(found, cost_limit_usd=min(limits, default=None), allow_errors=allowed)


def _configured_repeats(case: Runnable) -> Repeats:
    if case.options.repeat is not None:
        return Repeats(case.options.repeat, "mean")
    for shape in (case.case, case.suite):
        execution = shape.execution
        trials = execution.trials if isinstance(execution, Execution) else None
        if isinstance(trials, Trials) and trials.count:
            return Repeats(trials.count, _strategy(trials.strategy), True, trials.cost_limit_usd)
    run = case.case.run
    own, default = case.case.options, case.defaults.options if case.defaults is not None else None
    options = case.suite.evaluate_options
    for written in (
        run.repeat if isinstance(run, RunSettings) else None,
        own.get("repeat") if own else None,
        default.get("repeat") if default else None,
        options.repeat if options is not None else None,
        case.suite.repeat,
    ):
        if isinstance(written, Repeat):
            return Repeats(
                written.count or 1, _strategy(written.strategy), written.early_exit is True, written.cost_limit_usd
            )
        if written is not None:
            return _repeats_of_value(plain(written, case.anchors))
    return Repeats()


def _repeats_of_value(value: Any) -> Repeats:
    """`repeat: 3`, or `repeat: {count, strategy, early_exit, cost_limit_usd}`."""
    if not isinstance(value, dict):
        return Repeats(int(value) if isinstance(value, int | float) else 1, "mean")
    count, limit = value.get("count"), value.get("cost_limit_usd")
    early = value.get("early_exit") is True
    return Repeats(count if isinstance(count, int) else 1, _strategy(value.get("strategy")), early, limit)


def _strategy(name: object) -> Strategy:
    known: dict[object, Strategy] = {
        "mean": "mean",
        "confidence_interval": "confidence_interval",
        "pass_all": "pass_all",
    }
    return known.get(name, "pass_at_k")


async def run_repeats(
    repeats: Repeats, once: Callable[[int], Awaitable[CaseResult]], properties: Properties
) -> CaseResult:
    """The combined result of several runs. Raises Unscored when no run has a score and the strategy needs one."""
    runs: list[CaseResult] = []
    for number in range(1, repeats.count + 1):
        runs.append(await _run(once, number, runs))
        spent = sum(run.cost_usd or 0.0 for run in runs)
        if repeats.cost_limit_usd is not None and spent >= repeats.cost_limit_usd:
            break
        if repeats.early_exit and repeats.strategy == "pass_at_k" and _is_enough(runs[-1], properties):
            break
    usage = add_usage(each for run in runs for each in run.usage)
    return replace(_together(repeats, runs, properties), usage=usage, runs=tuple(runs))


def _is_enough(run: CaseResult, properties: Properties) -> bool:
    """Whether no better run is looked for: one that passes, by a lower threshold of its own too only from the score of the dialect on."""
    return run.verdict is Verdict.PASSED and run.score is not None and at_least(run.score, properties.threshold)


async def _run(once: Callable[[int], Awaitable[CaseResult]], number: int, before: Sequence[CaseResult]) -> CaseResult:
    try:
        return await once(number)
    except Unscored as problem:
        if not before:
            raise  # the first run shows the problem; the others would repeat it
        return replace(
            before[0], verdict=Verdict.UNSCORED, score=None, reason=problem.reason, evaluators=(), answer="",
            exchanges=problem.exchanges, usage=problem.usage,
        )  # fmt: skip


def _together(repeats: Repeats, runs: Sequence[CaseResult], properties: Properties) -> CaseResult:
    scores = [run.score for run in runs if run.score is not None]
    passed = sum(run.verdict is Verdict.PASSED for run in runs)
    best = max(runs, key=_rank)
    details = {**(best.details or {}), "trials": _summary(repeats, runs, scores, passed)}
    cost = sum(run.cost_usd or 0.0 for run in runs) if any(run.cost_usd is not None for run in runs) else None
    combined = _combined(repeats, runs, scores, properties)
    return replace(combined, details=details, cost_usd=cost)


def _combined(
    repeats: Repeats, runs: Sequence[CaseResult], scores: Sequence[float], properties: Properties
) -> CaseResult:
    """One result with the evaluators of all runs."""
    best = max(runs, key=_rank)
    if repeats.strategy == "pass_at_k" and best.verdict is Verdict.PASSED:
        return _merged(runs, best, chosen=True)
    missing = next((run for run in runs if run.score is None), None)
    if missing is not None:
        reason = f"run {runs.index(missing) + 1} of {len(runs)}: {missing.reason}"
        return replace(_merged(runs, missing), verdict=Verdict.UNSCORED, score=None, reason=reason)
    result = _counted(repeats, runs, scores, properties)
    broken = next((run for run in runs if run.ungraded), None)
    if broken is None:
        return result
    of_all = _merged(runs, broken)
    result = replace(
        result, evaluators=of_all.evaluators, answer=of_all.answer, exchanges=of_all.exchanges, shown=of_all.shown
    )
    if repeats.allow_errors or result.verdict is Verdict.FAILED:
        return result
    reason = f"run {runs.index(broken) + 1} of {len(runs)}: {ungraded_words(broken.ungraded)}"
    return replace(result, verdict=Verdict.UNSCORED, reason=reason)


def _counted(
    repeats: Repeats, runs: Sequence[CaseResult], scores: Sequence[float], properties: Properties
) -> CaseResult:
    """The combined score of runs that all have a score, by the strategy alone."""
    best, worst = max(runs, key=_rank), min(runs, key=_rank)
    if repeats.strategy in ("pass_at_k", "pass_all"):
        return _merged(runs, best if repeats.strategy == "pass_at_k" else worst, chosen=True)
    score = fmean(scores) if repeats.strategy == "mean" else _interval(scores)[0]
    verdict = verdict_of(score, properties, best.threshold)
    gated = next((run for run in runs if _gated(run, properties)), None)
    if gated is not None:  # a gate must be met: other runs cannot compensate for it
        verdict = Verdict.FAILED
    shown = gated or worst
    reason = shown.reason if verdict is not Verdict.PASSED else ""
    return replace(_merged(runs, shown), verdict=verdict, score=score, reason=reason)


def _merged(runs: Sequence[CaseResult], shown: CaseResult, *, chosen: bool = False) -> CaseResult:
    """One run, with the evaluators of all of them; see `merged_evaluators`."""
    labels = [f"run {number}" for number in range(1, len(runs) + 1)]
    number = next(n for n, run in enumerate(runs) if run is shown)
    evaluators = merged_evaluators(runs, labels, number, chosen=chosen)
    return replace(shown, evaluators=evaluators, shown=labels[number] if len(runs) > 1 else "")


def _gated(run: CaseResult, properties: Properties) -> bool:
    """Whether a run failed only because of a gate."""
    score = run.score or 0.0
    return run.verdict is Verdict.FAILED and verdict_of(score, properties, run.threshold) is not Verdict.FAILED


def _rank(run: CaseResult) -> tuple[bool, float]:
    return run.verdict is Verdict.PASSED, -1.0 if run.score is None else run.score


def _summary(repeats: Repeats, runs: Sequence[CaseResult], scores: Sequence[float], passed: int) -> dict[str, Any]:
    low, high = share_interval(passed, len(runs))
    summary: dict[str, Any] = {
        "strategy": repeats.strategy,
        "count": len(runs),
        "passed": passed,
        "flaky": 0 < passed < len(runs),
        "pass_rate_interval": [round(low, 4), round(high, 4)],
        "pass_at_k": pass_at(passed, len(runs), len(runs)),
        "pass_hat_k": pass_hat(passed, len(runs), len(runs)),
        "runs": [{"verdict": r.verdict.value, "score": r.score, "reason": r.reason or None} for r in runs],
    }
    if scores:
        summary["mean"] = fmean(scores)
        summary["mean_interval"] = [round(bound, 4) for bound in _interval(scores)] if len(scores) > 1 else None
    return summary


def share_interval(passed: int, count: int) -> tuple[float, float]:
    """The 95 % Wilson interval of the pass rate, which is sound for few runs, too."""
    if count == 0:
        return 0.0, 1.0
    share, square = passed / count, _Z * _Z
    middle = (share + square / (2 * count)) / (1 + square / count)
    half = _Z / (1 + square / count) * math.sqrt(share * (1 - share) / count + square / (4 * count * count))
    return max(0.0, middle - half), min(1.0, middle + half)


def _interval(scores: Sequence[float]) -> tuple[float, float]:
    """The 95 % interval of the mean, within 0..1; for a single run, which has no spread, it is the score alone."""
    mean, count = fmean(scores), len(scores)
    t = _T[count - 2] if count - 2 < len(_T) else _T_BEYOND
    half = t * stdev(scores) / math.sqrt(count) if count > 1 else 0.0
    return max(0.0, mean - half), min(1.0, mean + half)


def pass_at(passed: int, count: int, k: int) -> float:
    """The chance that at least one of `k` runs passes, when `passed` of `count` did (unbiased)."""
    return 1.0 if count - passed < k else 1.0 - math.comb(count - passed, k) / math.comb(count, k)


def pass_hat(passed: int, count: int, k: int) -> float:
    """The chance that all of `k` runs pass, when `passed` of `count` did (unbiased)."""
    return math.comb(passed, k) / math.comb(count, k) if count >= k else 0.0
