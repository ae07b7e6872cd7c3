"""The interval of a mean difference, by resampling the cases. Pure Python, the same on every platform.

The percentile bootstrap (Efron & Tibshirani 1993, chapter 13), with the percentiles moved outwards so that few cases
give an interval as wide as Student's (Hesterberg 2015). docs/statistics.md explains why, and gives the coverage.
"""

import math
import random
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

__all__ = ["MOST_RESAMPLED", "RESAMPLES", "SEED", "Interval", "mean_interval", "student_quantile"]

#: How often the cases are drawn. The bounds then vary by 1.4 % of the width from seed to seed.
RESAMPLES = 10_000
SEED = 19790101
#: With more cases the mean is normally distributed, and to draw them would take many seconds.
MOST_RESAMPLED = 2_000
#: Differences are counted in millionths: sums of whole numbers are exact in any order and in every version of Python.
_UNITS = 1_000_000
_UPPER = 0.975


class Interval(NamedTuple):
    """A 95 % interval, in the unit of the measured value."""

    low: float
    high: float

    @property
    def negated(self) -> "Interval":
        """The interval of the reversed difference."""
        return Interval(0.0 - self.high, 0.0 - self.low)

    @property
    def direction(self) -> int:
        """1 where all of it is above 0, -1 where all of it is below, else 0."""
        return (self.low > 0) - (self.high < 0)


def mean_interval(differences: Sequence[float], resamples: int = RESAMPLES, seed: int = SEED) -> Interval:
    """The 95 % interval of the population mean of `differences`, in any order. Raises ValueError for fewer than two."""
    if len(differences) < 2:
        raise ValueError("an interval needs two differences at least")
    if len(differences) > MOST_RESAMPLED:
        return _normal(differences)
    ordered = sorted(round(each * _UNITS) for each in differences)
    opposite = sorted(-each for each in ordered)
    # The same draws for a difference and its opposite: B against A mirrors A against B.
    found = _percentiles(max(ordered, opposite), resamples, seed)
    return found if ordered >= opposite else found.negated


def _normal(differences: Sequence[float]) -> Interval:
    """Student's interval, which resampling many cases would come to as well."""
    count = len(differences)
    mean = math.fsum(differences) / count
    spread = math.fsum((each - mean) ** 2 for each in differences) / (count - 1)
    half = student_quantile(count - 1) * math.sqrt(spread / count)
    return Interval(mean - half, mean + half)


def _percentiles(ordered: Sequence[int], resamples: int, seed: int) -> Interval:
    count = len(ordered)
    draw = random.Random(seed)  # noqa: S311  # no secret
    sums = sorted(sum(draw.choices(ordered, k=count)) for _ in range(resamples))
    place = int(_tail(count) * resamples)
    return Interval(sums[place] / count / _UNITS, sums[-1 - place] / count / _UNITS)


def _tail(count: int) -> float:
    """The share of resamples that lie beyond each bound: 2.5 %, less for few cases."""
    return NormalDist().cdf(-math.sqrt(count / (count - 1)) * student_quantile(count - 1))


def student_quantile(freedom: int, share: float = _UPPER) -> float:
    """The quantile of Student's t, by the expansion around the normal one (Abramowitz & Stegun 26.7.5); exact for 1 and 2."""
    if freedom == 1:
        return math.tan(math.pi * (share - 0.5))
    if freedom == 2:
        return (2 * share - 1) * math.sqrt(2 / (4 * share * (1 - share)))
    z = NormalDist().inv_cdf(share)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + math.fsum(term / freedom**power for power, term in enumerate(terms, 1))
