"""Summarizes over all cases an evaluator or criterion of the suite, in one mark."""

import heapq
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rubric_core.evaluation.model.result import CriterionResult, Verdict
from rubric_core.evaluation.reporting.inline_marks import ERROR, RUNNING, SIGNS, STALE, Mark, shortened
from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import dataclass, field, replace

__all__ = ["WORST_FIRST", "CaseMark", "Summary"]

WORST_FIRST = (Verdict.FAILED, Verdict.UNSCORED, Verdict.BORDERLINE, Verdict.PASSED)
_ALL_OR_NOTHING = (0.0, 1.0)


class CaseMark(NamedTuple):
    """A case's mark for a shared evaluator; None while the case runs and has not reached it."""

    case: str
    mark: Mark | None = None
    #: Whether the case has changed since.
    stale: bool = False

    @property
    def counts(self) -> bool:
        """Whether it is a result that holds."""
        return self.mark is not None and not self.stale

    @property
    def rank(self) -> tuple[int, int, float, str]:
        """Sorts the worst first, and everything outdated last; equal results by the ids of their cases, whichever came first."""
        if self.mark is None:
            return (2, 0, 0.0, self.case)
        score = self.mark.result.score if self.mark.result is not None else None
        return (int(self.stale), WORST_FIRST.index(self.mark.verdict), 0.0 if score is None else score, self.case)


@dataclass(slots=True)
class Summary:
    """The marks of the cases, with their counts: a case that comes or goes changes these and nothing else."""

    of: Shape | None = None
    #: By case, in the order in which they came.
    marks: dict[str, CaseMark] = field(default_factory=dict)
    _verdicts: Counter[Verdict] = field(default_factory=Counter)
    #: In how many cases the evaluator could not run or crashed.
    errors: int = 0
    _stale: int = 0
    _running: int = 0
    #: How many of them have a number of 0..10, and their sum; the same of scores of 0..1.
    _raws: int = 0
    _raw: int = 0
    _scores: int = 0
    _score: float = 0.0
    #: How many scores are neither 0 nor 1.
    _between: int = 0

    def put(self, each: CaseMark) -> None:
        """Replace the state of a case by its latest result."""
        self.drop(each.case)
        self.marks[each.case] = each
        self._count(each, 1)

    def drop(self, case: str) -> None:
        """Forget a case; unknown cases are ignored."""
        known = self.marks.pop(case, None)
        if known is not None:
            self._count(known, -1)

    def _count(self, each: CaseMark, by: int) -> None:
        if each.mark is None:
            self._running += by
            return
        if each.stale:
            self._stale += by
            return
        self._verdicts[each.mark.verdict] += by
        self.errors += by * each.mark.error
        result = each.mark.result
        if isinstance(result, CriterionResult) and result.raw is not None:
            self._raws += by
            self._raw += by * result.raw
        if result is not None and result.score is not None:
            self._scores += by
            self._score += by * result.score
            self._between += by * (result.score not in _ALL_OR_NOTHING)

    @property
    def verdict(self) -> Verdict | None:
        """The worst of the up-to-date verdicts; None without any."""
        return next((verdict for verdict in WORST_FIRST if self._verdicts[verdict] > 0), None)

    @property
    def amount(self) -> int:
        """The number of up-to-date results."""
        return self._verdicts.total()

    def count(self, verdict: Verdict) -> int:
        """How many of these have a verdict."""
        return self._verdicts[verdict]

    @property
    def average(self) -> str:
        """`6.5/10 on average`, or a score of 0..1; empty where all have everything or nothing, or there is one alone."""
        if self.amount < 2:
            return ""
        if self._raws:
            return f"{self._raw / self._raws:.1f}/10 on average"
        return f"{self._score / self._scores:.2f} on average" if self._between > 0 else ""

    @property
    def words(self) -> str:
        """`✘ 3/4 cases  6.5/10 on average`; the text of the mark itself if only one case has one."""
        verdict = self.verdict
        waiting = f"{RUNNING} {self._running} running" if self._running else ""
        if verdict is None:
            return waiting or f"{STALE} stale in {self._stale} {'case' if self._stale == 1 else 'cases'}"
        alone = next((each.mark for each in self.marks.values() if each.mark is not None), None)
        if len(self.marks) == 1 and alone is not None:
            return alone.text
        stale = f"{STALE} {self._stale} stale" if self._stale else ""
        sign = ERROR if self.errors else SIGNS[verdict]
        parts = (f"{sign} {self.count(Verdict.PASSED)}/{self.amount} cases", self.average, stale, waiting)
        return shortened("  ".join(part for part in parts if part))

    @property
    def mark(self) -> Mark | None:
        """One mark in place of all that are up to date; the only one unchanged; None if none is."""
        verdict = self.verdict
        first = next((each.mark for each in self.marks.values() if each.counts), None)
        if verdict is None or first is None or len(self.marks) == 1:
            return first
        broken = next(self.broken, None)
        why = broken.mark.note if broken is not None and broken.mark is not None else ""
        return replace(first, verdict=verdict, text=self.words, note=why, band=None, error=bool(why))

    def worst(self, most: int) -> Sequence[CaseMark]:
        """At most `most` marks of cases, the worst first; stale results come last."""
        return heapq.nsmallest(most, self.marks.values(), key=lambda each: each.rank)

    @property
    def broken(self) -> Iterator[CaseMark]:
        """The results that hold of cases in which the evaluator could not run or crashed, by the ids of the cases."""
        found = (e for e in self.marks.values() if e.counts and e.mark is not None and e.mark.error)
        return iter(sorted(found, key=lambda each: each.case))

    def with_verdict(self, verdict: Verdict) -> Iterator[CaseMark]:
        """The current results with that verdict."""
        return (e for e in self.marks.values() if e.counts and e.mark is not None and e.mark.verdict is verdict)
