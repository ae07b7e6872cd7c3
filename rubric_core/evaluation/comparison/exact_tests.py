"""Exact tests of counts: the probability of as uneven a split by chance."""

from collections.abc import Sequence

__all__ = ["at_least_as_many", "holm", "sign_test"]


def at_least_as_many(part: int, count: int) -> float:
    """The probability of `part` heads or more in `count` throws of a fair coin."""
    if part <= count - part:
        return 1 - at_least_as_many(count - part + 1, count)
    ways, total = 1, 0
    for heads in range(count - part + 1):  # as many ways to have few heads as to have few tails
        total += ways
        ways = ways * (count - heads) // (heads + 1)
    return float(total / 2**count)


def sign_test(better: int, worse: int) -> float:
    """The two-sided p-value of `better` against `worse`; of flips, McNemar's test (1947) in its exact form."""
    return min(1.0, 2 * at_least_as_many(max(better, worse), better + worse))


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values adjusted for their number (Holm 1979), in the same order."""
    adjusted = [1.0] * len(p_values)
    highest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, p_values[place] * (len(p_values) - rank)))
        adjusted[place] = highest
    return adjusted
