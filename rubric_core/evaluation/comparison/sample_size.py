"""Sample size: how many cases or repeats would detect a difference, from the variance of the compared cases.

The usual plan for paired data (Miller 2024, section 5): a difference of 2.8 times its standard error is detected in
four of five comparisons. Repeats only reduce the variance within cases.
"""

import math
from collections.abc import Sequence
from statistics import NormalDist, fmean, variance

from rubric_core.lazy_compilation import dataclass

__all__ = ["POWER", "RunSpread", "Spread", "spread_within"]

#: The statistical power.
POWER = 0.8
#: Standard errors from 0, of a difference that a 95 % interval leaves out with that power.
_STANDARD_ERRORS = NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(POWER)
#: More than that is no plan.
_MOST = 100_000


@dataclass(frozen=True, slots=True)
class RunSpread:
    """The variance between repeats of one case in a run, and the number of runs."""

    variance: float
    repeats: float

    @property
    def of_mean(self) -> float:
        """The variance of a case's mean due to its repeats."""
        return self.variance / self.repeats


def spread_within(repeats: Sequence[Sequence[float]]) -> RunSpread | None:
    """The variance within cases with repeats; None if no case has two."""
    several = [scores for scores in repeats if len(scores) > 1]
    if not several:
        return None
    freedom = sum(len(scores) - 1 for scores in several)
    pooled = math.fsum(variance(scores) * (len(scores) - 1) for scores in several) / freedom
    # The harmonic mean: by it the variances of the means are right on average.
    return RunSpread(pooled, 1 / fmean(1 / len(scores) for scores in repeats if scores))


@dataclass(frozen=True, slots=True)
class Spread:
    """The variance of the differences, for planning the next comparison."""

    #: How many cases there are, and the mean and variance of their differences.
    cases: int
    mean: float
    variance: float
    #: Within the cases, of both runs; None where a run has no repeats.
    within: tuple[RunSpread, RunSpread] | None = None

    @property
    def detectable(self) -> float:
        """The smallest difference that as many cases find with the usual power."""
        return _STANDARD_ERRORS * math.sqrt(self.variance / self.cases)

    @property
    def cases_needed(self) -> int | None:
        """How many cases like these would detect a difference of this size; None if none would."""
        if not self.mean:
            return None
        needed = math.ceil(self.variance * (_STANDARD_ERRORS / self.mean) ** 2)
        return max(needed, self.cases) if needed <= _MOST else None

    @property
    def repeats_needed(self) -> int | None:
        """How many repeats of these cases in both runs would detect it; None if unknown, or if none would."""
        if self.within is None or not self.mean:
            return None
        one, other = self.within
        between = max(0.0, self.variance - one.of_mean - other.of_mean)
        room = self.cases * (self.mean / _STANDARD_ERRORS) ** 2 - between
        needed = math.ceil((one.variance + other.variance) / room) if room > 0 else _MOST
        return max(needed, 1) if needed < _MOST else None

    @property
    def share_within(self) -> float | None:
        """The share of the variance, 0..1, that comes from within the cases; None where unknown."""
        if self.within is None or not self.variance:
            return None
        return min(1.0, sum(each.of_mean for each in self.within) / self.variance)
