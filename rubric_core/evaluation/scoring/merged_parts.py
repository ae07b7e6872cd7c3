"""The evaluators of several rows or runs of a case as one list: mean scores, and in how many of them each passed."""

from collections.abc import Sequence
from statistics import fmean
from typing import TypeVar

from rubric_core.evaluation.model.result import CaseResult, CriterionResult, EvaluatorResult, Tally, Verdict
from rubric_core.lazy_compilation import replace

__all__ = ["RANKS", "merged_evaluators"]

#: The verdicts, the worst first.
RANKS = (Verdict.UNSCORED, Verdict.FAILED, Verdict.BORDERLINE, Verdict.PASSED)
_Part = TypeVar("_Part", EvaluatorResult, CriterionResult)


def merged_evaluators(
    rows: Sequence[CaseResult], labels: Sequence[str], shown: int, *, chosen: bool = False
) -> tuple[EvaluatorResult, ...]:
    """The evaluators of a case that has several rows or runs, each with its `Tally`.

    Each has the mean of its scores, and the verdict and the texts of its worst row. Rows without evaluators, to which
    there was no answer, do not count in them.

    Args:
        rows: The results, at least one.
        labels: What distinguishes each of them.
        shown: The number of the row, from 0, whose answer the case has.
        chosen: Whether the score of the case is that of this row instead of the mean; then those of its evaluators are, too.
    """
    graded = [(label, row.evaluators) for label, row in zip(labels, rows, strict=True) if row.evaluators]
    own = rows[shown].evaluators
    if len(rows) < 2 or not graded or (chosen and not own):
        return own
    place = labels[shown] if chosen else None
    return _merged_lists(graded, own or graded[0][1], place)


def _merged_lists(
    lists: Sequence[tuple[str, tuple[_Part, ...]]], own: tuple[_Part, ...], chosen: str | None
) -> tuple[_Part, ...]:
    """The parts by their numbers; only those of `own` where the rows have others."""
    kinds = [_kinds(parts) for _, parts in lists]
    if any(each != kinds[0] for each in kinds):
        return own
    return tuple(_merged([(label, parts[n]) for label, parts in lists], chosen) for n in range(len(kinds[0])))


def _kinds(parts: Sequence[EvaluatorResult | CriterionResult]) -> list[str]:
    return [each.type if isinstance(each, EvaluatorResult) else "criterion" for each in parts]


def _merged(parts: Sequence[tuple[str, _Part]], chosen: str | None) -> _Part:
    """One part of several rows."""
    label, kept = next((each for each in parts if each[0] == chosen), None) or min(
        parts, key=lambda each: _rank(each[1])
    )
    every = [part for _, part in parts]
    tally = Tally(passed=sum(map(_has_passed, every)), count=len(every), shown=label)
    score = kept.score if chosen is not None else _mean(every)
    if isinstance(kept, CriterionResult):
        raws = {each.raw for each in every if isinstance(each, CriterionResult)}
        raw = kept.raw if chosen is not None or len(raws) == 1 else None
        return replace(kept, score=score, raw=raw, tally=tally)
    members = [(each, part.members) for each, part in parts if isinstance(part, EvaluatorResult)]
    criteria = [(each, part.criteria) for each, part in parts if isinstance(part, EvaluatorResult)]
    return replace(
        kept, score=score, tally=tally,
        members=_merged_lists(members, kept.members, chosen), criteria=_merged_lists(criteria, kept.criteria, chosen),
    )  # fmt: skip


def _mean(parts: Sequence[EvaluatorResult | CriterionResult]) -> float | None:
    scores = [each.score for each in parts if each.score is not None]
    return fmean(scores) if len(scores) == len(parts) else None


def _has_passed(part: EvaluatorResult | CriterionResult) -> bool:
    return part.verdict is Verdict.PASSED and not _has_crashed(part)


def _has_crashed(part: EvaluatorResult | CriterionResult) -> bool:
    return isinstance(part, EvaluatorResult) and bool(part.failure)


def _rank(part: EvaluatorResult | CriterionResult) -> tuple[bool, int, float]:
    """The worst has the lowest: one that crashed, then by verdict and score."""
    return not _has_crashed(part), RANKS.index(part.verdict), 1.0 if part.score is None else part.score
