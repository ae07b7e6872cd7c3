"""`max-score` of promptfoo: the output with the highest score."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rubric_core.evaluation.model.result import EvaluatorResult
from rubric_core.families.promptfoo.language.assertion import COMPARING_TYPES, SET_TYPE
from rubric_core.families.promptfoo.model.assertion import given_score
from rubric_core.families.promptfoo.scoring.totals import added

__all__ = ["Ranking", "ranked_by_score"]


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
        return Ranking(None, tuple(below if each == highest else _words(each, highest) for each in scores))
    reasons = tuple(
        f"it has the highest score, {highest:.2f}" if number == best else _words(each, highest)
        for number, each in enumerate(scores)
    )
    return Ranking(best, reasons)


def _words(score: float, highest: float) -> str:
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
