"""Scores and comparisons as promptfoo computes them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import add
from typing import Any, NamedTuple

from rubric_core.evaluation.model.result import EvaluatorResult, Verdict
from rubric_core.evaluation.scoring.score import Outcome, ungraded_words
from rubric_core.families.promptfoo.language.assertion import COMPARING_TYPES, SET_TYPE
from rubric_core.families.promptfoo.model.assertion import given_score

__all__ = [
    "PromptfooTotal",
    "Ranking",
    "added",
    "named_details",
    "named_scores",
    "named_weights",
    "promptfoo_outcome",
    "promptfoo_total",
    "ranked_by_score",
]


class PromptfooTotal(NamedTuple):
    """The combined score of assertions, which may lie outside of 0..1, and whether they pass together."""

    score: float
    passed: bool
    #: Why they do not pass; empty if they do.
    reason: str = ""


def promptfoo_total(
    results: Sequence[EvaluatorResult], weights: Sequence[float], threshold: float | None
) -> PromptfooTotal:
    """The weighted mean of the scores; with a threshold it alone decides, else every assertion has to pass.

    Args:
        results: What the assertions gave; each has a score.
        weights: Their weights, which may be negative.
        threshold: The score that is enough, if there is one.
    """
    weight = added(weights)
    total = added((given_score(r) or 0.0) * w for r, w in zip(results, weights, strict=True))
    score = total / weight if weight > 0 else 0.0
    if threshold is not None:
        passed = score >= threshold
        return PromptfooTotal(
            score, passed, "" if passed else f"the score {score:.2f} is below the threshold {threshold:g}"
        )
    failed = [r for r in results if r.verdict is not Verdict.PASSED]
    return PromptfooTotal(score, not failed, _failed_words(failed))


def added(numbers: Iterable[float]) -> float:
    """A sum as JavaScript computes it, one number after another: the last digit decides whether a threshold is reached."""
    return reduce(add, numbers, 0.0)


def promptfoo_outcome(
    results: Sequence[EvaluatorResult], weights: Sequence[float], threshold: float | None, *, allow_errors: bool = False,
    is_compared: bool = False,
) -> Outcome:  # fmt: skip
    """The score of a case, which may lie outside of 0..1, and its verdict. An assertion without a score leaves the case unscored, as an error does in promptfoo.

    With `allow_errors` the assertions that graded decide. `is_compared`: the case has assertions that compare outputs,
    which do not count in its score: without others it is 0.
    """
    if not results and not is_compared:
        return Outcome(1.0, Verdict.PASSED, "the case has no assertions, so it passes")
    ungraded = [each for result in results if not result.has_graded for each in result.ungraded()]
    scored = [(r, w) for r, w in zip(results, weights, strict=True) if r.score is not None]
    if ungraded and not (allow_errors and scored):
        return Outcome(None, Verdict.UNSCORED, ungraded_words(ungraded))
    total = promptfoo_total([r for r, _ in scored], [w for _, w in scored], threshold)
    verdict = Verdict.PASSED if total.passed else Verdict.FAILED
    # Otherwise the score, the threshold and the failed assertions explain the verdict.
    unlikely = not total.passed and threshold is None and total.score >= 1
    return Outcome(total.score, verdict, total.reason if unlikely else "")


def named_scores(assertions: Sequence[tuple[str, float]], results: Sequence[EvaluatorResult]) -> dict[str, float]:
    """The named scores of a row: weighted means of the assertions with a metric, and those of scripts and sets.

    Args:
        assertions: The metric and the weight of each assertion; the metric is empty for none.
        results: Their results.
    """
    return {name: total / weight if weight > 0 else 0.0 for name, (total, weight) in _sums(assertions, results).items()}


def named_weights(assertions: Sequence[tuple[str, float]], results: Sequence[EvaluatorResult]) -> dict[str, float]:
    """The sum of the weights of each named score of a row; see `named_scores`."""
    return {name: weight for name, (_, weight) in _sums(assertions, results).items()}


def _sums(
    assertions: Sequence[tuple[str, float]], results: Sequence[EvaluatorResult]
) -> dict[str, tuple[float, float]]:
    """The weighted sums of named scores, each with the sum of its weights."""
    found: dict[str, tuple[float, float]] = {}
    for (metric, weight), result in zip(assertions, results, strict=True):
        if result.score is None or not (metric or result.details):
            continue
        pairs = [(metric, given_score(result) or 0.0, weight)] if metric else []
        pairs += [(name, score, inner * weight) for name, score, inner in _inner(result) if name != metric]
        for name, score, share in pairs:
            total, weights = found.get(name, (0.0, 0.0))
            found[name] = total + score * share, weights + share
    return found


def _inner(result: EvaluatorResult) -> Iterator[tuple[str, float, float]]:
    """The scores that an assertion names itself, each with its weight."""
    details = result.details or {}
    weights = details.get("named_score_weights") or {}
    for name, score in (details.get("named_scores") or {}).items():
        yield name, score, weights.get(name, 1.0)


def named_details(
    assertions: Sequence[tuple[str, float]], results: Sequence[EvaluatorResult]
) -> dict[str, dict[str, float]]:
    """The named scores of a set, with their weights, as details of its result; empty without any."""
    sums = _sums(assertions, results)
    if not sums:
        return {}
    return {
        "named_scores": named_scores(assertions, results),
        "named_score_weights": named_weights(assertions, results),
    }


def _failed_words(failed: Sequence[EvaluatorResult]) -> str:
    if not failed:
        return ""
    first = failed[0]
    miss = first.misses[0] if first.misses else "failed"
    more = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
    return f"{first.name}: {miss}{more}"


class Ranking(NamedTuple):
    """The outputs in comparison."""

    #: The index of the best output; None when none is good enough.
    best: int | None
    #: Why each output is the best one, or is not.
    reasons: tuple[str, ...]


def ranked_by_score(rows: Sequence[Sequence[EvaluatorResult]], value: object) -> Ranking:
    """The output with the highest mean, or sum, of its assertions' scores; the first of equal ones.

    Args:
        rows: The results of each output's assertions, each with a score.
        value: The `value` of the assertion: `{method, weights, threshold}`, or anything else.

    Raises ValueError if there is nothing to compare, or a weight or threshold is not a number.
    """
    settings: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
    weights, least = settings.get("weights", {}), settings.get("threshold")
    if not isinstance(weights, Mapping) or not all(_is_number(each) for each in weights.values()):
        raise ValueError("`weights` must be a mapping of types of assertions to numbers")
    if least is not None and not _is_number(least):
        raise ValueError("`threshold` must be a number")
    scores = [_aggregate(row, weights, is_sum=settings.get("method") == "sum") for row in rows]
    highest = max(scores)
    best = scores.index(highest)
    if least is not None and highest < least:
        below = f"the highest score {highest:.2f} is below the threshold {least:g}"
        return Ranking(None, tuple(below if each == highest else _rank_words(each, highest) for each in scores))
    reasons = tuple(
        f"it has the highest score, {highest:.2f}" if number == best else _rank_words(each, highest)
        for number, each in enumerate(scores)
    )
    return Ranking(best, reasons)


def _rank_words(score: float, highest: float) -> str:
    return f"another output has a higher score: {score:.2f} of {highest:.2f}" if score < highest else "an earlier output has the same score"  # fmt: skip


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _aggregate(results: Sequence[EvaluatorResult], weights: Mapping[str, Any], *, is_sum: bool) -> float:
    """The weighted mean or sum of the scores. Raises ValueError without any."""
    counted = [(given_score(each) or 0.0, float(weights.get(each.type, 1.0))) for each in _members(results)]
    if not counted:
        raise ValueError("`max-score` compares the scores of the other assertions, and there are none")
    total = added(score * weight for score, weight in counted)
    whole = added(weight for _, weight in counted)
    return total if is_sum else total / whole if whole > 0 else 0.0


def _members(results: Sequence[EvaluatorResult]) -> Iterator[EvaluatorResult]:
    """The assertions whose scores count: those of sets, too, but not the sets."""
    for each in results:
        yield from (inner for inner in each.flat() if inner.type != SET_TYPE and inner.type not in COMPARING_TYPES)
