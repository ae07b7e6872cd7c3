"""From scores to verdicts: bands, means, gates. Everything in which dialects differ comes from their properties."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rubric_core.evaluation.model.result import EvaluatorResult, Ungraded, Verdict
from rubric_core.language.properties import Properties

__all__ = ["Outcome", "at_least", "case_outcome", "ungraded_words", "verdict_of", "weighted_mean", "withheld_score"]

#: Sums of decimal fractions miss their bound by less than this.
_DUST = 1e-9


def at_least(score: float, bound: float) -> bool:
    """Whether `score` reaches `bound`; 0.7 + 0.1 reaches 0.8."""
    return score >= bound - _DUST


def verdict_of(score: float, properties: Properties, threshold: float) -> Verdict:
    """The verdict that a score of 0..1 gets: three bands or one threshold."""
    if at_least(score, threshold):
        return Verdict.PASSED
    if properties.verdicts == "three" and at_least(score, properties.borderline):
        return Verdict.BORDERLINE
    return Verdict.FAILED


def weighted_mean(pairs: Iterable[tuple[float, float]]) -> float:
    """Σ(score · weight) / Σ weight of (score, weight) pairs; 0 when the weights sum to nothing."""
    listed = list(pairs)
    total = math.fsum(weight for _, weight in listed)
    if total <= 0:
        return 0.0
    mean = math.fsum(score * weight for score, weight in listed) / total
    return min(1.0, max(0.0, mean))


class Outcome(NamedTuple):
    """The score and verdict of a case, and the reason if the score alone did not decide."""

    score: float | None
    verdict: Verdict
    reason: str = ""


def case_outcome(
    results: Sequence[EvaluatorResult], properties: Properties, threshold: float, *, allow_errors: bool = False
) -> Outcome:
    """The outcome of a case from the results of its evaluators.

    An evaluator without a score leaves the case without one: nothing is silently left out of the mean. A required
    evaluator below its minimum makes the score 0 if the dialect says so; a failed gate of a criterion makes the verdict
    `failed` and leaves the score unchanged. A case in which an evaluator did not grade
    never passes.

    With `allow_errors` the evaluators that graded decide, unless a gate was not checked.
    """
    outcome = _outcome(results, properties, threshold, allow_errors=allow_errors)
    return outcome if allow_errors else withheld_score(outcome, results)


def withheld_score(outcome: Outcome, results: Sequence[EvaluatorResult]) -> Outcome:
    """The outcome of a case, unscored if it would pass although an evaluator did not grade; its score stays."""
    ungraded = [each for result in results if not result.has_graded for each in result.ungraded()]
    if not ungraded or outcome.verdict in (Verdict.FAILED, Verdict.UNSCORED):
        return outcome
    return Outcome(outcome.score, Verdict.UNSCORED, ungraded_words(ungraded))


def ungraded_words(ungraded: Sequence[Ungraded]) -> str:
    """The first evaluator that did not grade, with its reason, and how many more there are; empty if all graded."""
    if not ungraded:
        return ""
    more = f" (and {len(ungraded) - 1} more)" if len(ungraded) > 1 else ""
    return f"{ungraded[0].name}: {ungraded[0].reason}{more}"


def _outcome(
    results: Sequence[EvaluatorResult], properties: Properties, threshold: float, *, allow_errors: bool
) -> Outcome:
    missing = [r for r in results if r.score is None and (r.gated if allow_errors else r.counts)]
    scored = [r for r in results if r.score is not None]
    if not missing and allow_errors and not any(r.weight > 0 for r in scored):
        missing = [r for r in results if r.score is None and r.counts]
    if missing:
        first = missing[0]
        others = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
        return Outcome(None, Verdict.UNSCORED, f"{first.name}: {first.reason}{others}")
    short = next((r for r in scored if r.required and _falls_short(r)), None)
    if short is not None and properties.required_zeroes_case:
        return Outcome(
            0.0,
            Verdict.FAILED,
            f"required evaluator {short.name} has {short.score:.2f} and needs {short.minimum:.2f}",
        )
    mean = weighted_mean((r.score or 0.0, r.weight) for r in scored)
    gated = next((r for r in scored if r.gate), None)
    if gated is not None:
        return Outcome(mean, Verdict.FAILED, f"criterion {gated.gate_label} of {gated.name} must be met and is not")
    return Outcome(mean, verdict_of(mean, properties, threshold))


def _falls_short(result: EvaluatorResult) -> bool:
    return result.score is not None and result.minimum is not None and not at_least(result.score, result.minimum)
