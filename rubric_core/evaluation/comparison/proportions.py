"""The interval of a pass rate."""

import math
from statistics import NormalDist

from rubric_core.evaluation.comparison.bootstrap import Interval

__all__ = ["wilson_interval"]

_Z = NormalDist().inv_cdf(0.975)


def wilson_interval(passes: int, count: int) -> Interval:
    """The 95 % interval of a rate (Wilson 1927): within 0..1, and of use for few runs. Raises ValueError without any."""
    if count < 1 or not 0 <= passes <= count:
        raise ValueError("a rate needs at least one run, and no more passes than runs")
    rate, weight = passes / count, _Z**2 / count
    middle = (rate + weight / 2) / (1 + weight)
    half = _Z * math.sqrt(rate * (1 - rate) / count + weight / (4 * count)) / (1 + weight)
    return Interval(max(0.0, middle - half), min(1.0, middle + half))
