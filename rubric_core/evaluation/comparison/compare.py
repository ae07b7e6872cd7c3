"""Compares two runs: the difference of the scores, its interval, and the sample size needed."""

import math
from collections.abc import Container, Iterable, Iterator, Sequence
from enum import Enum
from statistics import fmean, variance
from typing import NamedTuple

from rubric_core.cached_properties import cached_property
from rubric_core.evaluation.comparison.bootstrap import Interval, mean_interval
from rubric_core.evaluation.comparison.exact_tests import at_least_as_many, sign_test
from rubric_core.evaluation.comparison.groups import Group, groups_of
from rubric_core.evaluation.comparison.pairs import CaseChange, CasePair, differ, pair_cases, repeat_scores
from rubric_core.evaluation.comparison.sample_size import Spread, spread_within
from rubric_core.evaluation.model.result import Verdict
from rubric_core.evaluation.results.records import RunCase, RunRecord

__all__ = ["FEWEST_CASES", "FEWEST_DIFFERING", "Comparison", "Conclusion", "Flips", "Totals"]

#: With fewer cases no interval is given: too often it would not hold the true difference.
FEWEST_CASES = 10
#: With fewer cases of another score no exact test could call a difference real, however one-sided it is: 2 / 2⁵ is above 5 %.
FEWEST_DIFFERING = 6
#: How often, at most, each of the two signs of a regression turns up without one.
_FALSE_ALARM = 0.025


class Conclusion(str, Enum):
    """The conclusion about the second run."""

    BETTER = "better"
    WORSE = "worse"
    #: A difference of this size comes about by chance.
    NOISE = "noise"
    TOO_FEW = "too_few_cases"
    #: Every case has the same score in both runs.
    SAME = "same"
    #: No case has a score in both runs.
    NOTHING = "nothing_to_compare"


class Flips(NamedTuple):
    """The number of passing cases in each run, and of those that pass in only one."""

    cases: int
    before: int
    after: int
    now_pass: int
    no_longer_pass: int

    @property
    def p_value(self) -> float:
        """The probability of as uneven a split by chance: McNemar's exact test, two-sided."""
        return sign_test(self.now_pass, self.no_longer_pass)

    @property
    def worse_p_value(self) -> float:
        """The one-sided p-value of at least this many cases that no longer pass."""
        return at_least_as_many(self.no_longer_pass, self.no_longer_pass + self.now_pass)


class Totals(NamedTuple):
    """A quantity of both runs, over the cases for which both report it."""

    cases: int
    before: float
    after: float

    @property
    def growth(self) -> float | None:
        """The relative growth: 0.5 for half as much again; None from zero."""
        return self.after / self.before - 1 if self.before else None


class Comparison:
    """Two runs, paired case by case.

    Args:
        before: The earlier run.
        after: The later run, which is examined.
        cases_before: The cases of the earlier run.
        cases_after: The cases of the later run.
    """

    def __init__(
        self, before: RunRecord, after: RunRecord, cases_before: Iterable[RunCase], cases_after: Iterable[RunCase]
    ) -> None:
        self.before, self.after = before, after
        every = pair_cases(cases_before, cases_after)
        #: The cases of both runs, without those of the first one that the second did not select.
        ran = {pair.name for pair in every if pair.after is not None}
        self.pairs: tuple[CasePair, ...] = tuple(pair for pair in every if not self._is_left_out(pair, ran))
        #: How many these are: it was a run of some cases, of other suites, or with fewer targets.
        self.left_out: int = len(every) - len(self.pairs)
        self._by_change: dict[CaseChange, list[CasePair]] = {change: [] for change in CaseChange}
        for pair in self.pairs:
            self._by_change[pair.change].append(pair)
        #: Those that count: the same test, with a score in both runs.
        self.compared: tuple[CasePair, ...] = tuple(pair for pair in self.pairs if pair.compared)
        #: The differences of their scores.
        self.differences: tuple[float, ...] = tuple(pair.difference or 0.0 for pair in self.compared)

    def _is_left_out(self, pair: CasePair, ran: Container[str]) -> bool:
        """Whether it is only in the first run because the second did not select it. `ran` are the second's names."""
        other_targets = pair.name in ran and pair.target not in self.after.targets
        partial = self.after.partial or pair.case.suite not in self.after.suites
        return pair.after is None and (partial or other_targets)

    def with_change(self, change: CaseChange) -> Sequence[CasePair]:
        """The cases with that change."""
        return self._by_change[change]

    @property
    def means(self) -> tuple[float, float] | None:
        """The mean scores of 0..1 of the compared cases; None without any."""
        if not self.compared:
            return None
        before, after = zip(*(pair.scores for pair in self.compared), strict=True)
        return fmean(before), fmean(after)

    @property
    def difference(self) -> float | None:
        """The difference of the mean scores; None without cases."""
        return fmean(self.differences) if self.differences else None

    @cached_property
    def differing(self) -> int:
        """The number of cases with different scores."""
        return sum(differ(each, 0.0) for each in self.differences)

    @cached_property
    def interval(self) -> Interval | None:
        """The 95 % interval of the difference; None with too few cases."""
        enough = len(self.differences) >= FEWEST_CASES and self.differing >= FEWEST_DIFFERING
        return mean_interval(self.differences) if enough else None

    @property
    def conclusion(self) -> Conclusion:
        """The conclusion from the scores."""
        if not self.compared:
            return Conclusion.NOTHING
        if self.interval is None:
            return Conclusion.TOO_FEW if self.differing else Conclusion.SAME
        return {1: Conclusion.BETTER, -1: Conclusion.WORSE}.get(self.interval.direction, Conclusion.NOISE)

    @property
    def flips(self) -> Flips:
        """The flipped verdicts."""
        passed = [[_passes(case) for case in both] for both in self._both(self.compared)]
        came, went = self.with_change(CaseChange.NOW_PASSES), self.with_change(CaseChange.NO_LONGER_PASSES)
        return Flips(
            len(passed), sum(before for before, _ in passed), sum(after for _, after in passed), len(came), len(went)
        )

    @property
    def regressed(self) -> bool:
        """Whether the second run is worse beyond noise: by its scores, or by the cases that no longer pass.

        Of comparisons of things that are alike, the exact test calls at most 2.5 % worse, the interval about 2.5 % (up
        to 4 % in simulations), both together fewer than 5 % of every kind that was simulated.
        """
        return self.conclusion is Conclusion.WORSE or self.flips.worse_p_value <= _FALSE_ALARM

    @cached_property
    def spread(self) -> Spread | None:
        """The variance of the cases, for planning; None for fewer than two."""
        if len(self.differences) < 2:
            return None
        both = list(self._both(self.compared))
        earlier, later = (spread_within([repeat_scores(each[run]) for each in both]) for run in (0, 1))
        within = (earlier, later) if earlier and later else None
        return Spread(len(self.differences), fmean(self.differences), variance(self.differences), within)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """By evaluator, criterion, tag, target and suite."""
        return groups_of(self.compared)

    @property
    def cost_usd(self) -> Totals | None:
        """US dollars; None if no case reports them in both runs."""
        return _totals((before.cost_usd, after.cost_usd) for before, after in self._both(self.pairs))

    @property
    def duration_ms(self) -> Totals | None:
        """The milliseconds that the cases took, all together."""
        both = self._both(self.pairs)
        return _totals((before.summary.duration_ms, after.summary.duration_ms) for before, after in both)

    @staticmethod
    def _both(pairs: Iterable[CasePair]) -> Iterator[tuple[RunCase, RunCase]]:
        return ((pair.before, pair.after) for pair in pairs if pair.before is not None and pair.after is not None)


def _passes(case: RunCase) -> bool:
    return case.summary.verdict is Verdict.PASSED


def _totals(quantities: Iterable[tuple[float | None, float | None]]) -> Totals | None:
    known = [(before, after) for before, after in quantities if before is not None and after is not None]
    if not known:
        return None
    return Totals(len(known), math.fsum(before for before, _ in known), math.fsum(after for _, after in known))
