"""Sets of characters as stretches of code points, in order and apart from one another."""

from bisect import bisect_right
from collections.abc import Iterable
from typing import TypeAlias

__all__ = ["ALL", "Ranges", "common", "has", "inverse", "normal", "of", "united", "without"]

Ranges: TypeAlias = tuple[tuple[int, int], ...]
_LAST = 0x10FFFF
ALL: Ranges = ((0, _LAST),)


def normal(pairs: Iterable[tuple[int, int]]) -> Ranges:
    """Stretches in any order, put in order and joined where they touch."""
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
    """What is in one of them."""
    return normal(pair for each in sets for pair in each)


def inverse(ranges: Ranges) -> Ranges:
    """What is not in it."""
    found, at = [], 0
    for low, high in ranges:
        if low > at:
            found.append((at, low - 1))
        at = high + 1
    return (*found, (at, _LAST)) if at <= _LAST else tuple(found)


def common(one: Ranges, other: Ranges) -> Ranges:
    """What is in both."""
    return inverse(united(inverse(one), inverse(other)))


def without(one: Ranges, other: Ranges) -> Ranges:
    """What is in the first and not in the second."""
    return common(one, inverse(other))


def has(ranges: Ranges, code: int) -> bool:
    """Whether a character is in it."""
    at = bisect_right(ranges, (code, _LAST)) - 1
    return at >= 0 and ranges[at][1] >= code
