"""Sets of characters as ordered, disjoint ranges of code points."""

from bisect import bisect_right
from collections.abc import Iterable
from typing import TypeAlias

__all__ = ["ALL", "Ranges", "common", "has", "inverse", "normal", "of", "united", "without"]

Ranges: TypeAlias = tuple[tuple[int, int], ...]
_LAST = 0x10FFFF
ALL: Ranges = ((0, _LAST),)


def normal(pairs: Iterable[tuple[int, int]]) -> Ranges:
    """Ranges in any order, sorted and joined."""
    found: list[tuple[int, int]] = []
    for low, high in sorted(pairs):
        if found and low <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(high, found[-1][1]))
        else:
            found.append((low, high))
    return tuple(found)


def of(text: str) -> Ranges:
    """The characters of a text."""
    return normal((ord(c), ord(c)) for c in text)


def united(*sets: Ranges) -> Ranges:
    """The union."""
    return normal(pair for each in sets for pair in each)


def inverse(ranges: Ranges) -> Ranges:
    """The complement."""
    found, at = [], 0
    for low, high in ranges:
        if low > at:
            found.append((at, low - 1))
        at = high + 1
    return (*found, (at, _LAST)) if at <= _LAST else tuple(found)


def common(one: Ranges, other: Ranges) -> Ranges:
    """The intersection."""
    return inverse(united(inverse(one), inverse(other)))


def without(one: Ranges, other: Ranges) -> Ranges:
    """The difference."""
    return common(one, inverse(other))


def has(ranges: Ranges, code: int) -> bool:
    """Whether a character is in it."""
    at = bisect_right(ranges, (code, _LAST)) - 1
    return at >= 0 and ranges[at][1] >= code
