"""Checks of arguments. An invalid value is reported with the name of its field and the expected type."""

from collections.abc import Collection, Iterable
from math import isfinite
from numbers import Integral, Real

__all__ = ["fraction", "instance", "one_of", "positive", "text", "texts", "whole"]


def fraction(name: str, value: object) -> float:
    """A number of 0..1. Raises ValueError."""
    if type(value) is float and 0 <= value <= 1:  # as nearly always: other kinds of numbers take long to recognise
        return value
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise ValueError(f"{name} must be a number from 0 to 1, found {value!r:.60}")
    return float(value)


def positive(name: str, value: object, unit: str) -> float:
    """A number above 0. Raises ValueError."""
    if isinstance(value, bool) or not isinstance(value, Real) or not isfinite(value) or value <= 0:
        raise ValueError(f"{name} must be a number of {unit} above 0, found {value!r:.60}")
    return float(value)


def whole(name: str, value: object, least: int = 1) -> int:
    """A whole number from `least`. Raises ValueError."""
    if type(value) is int and value >= least:
        return value
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ValueError(f"{name} must be a whole number from {least}, found {value!r:.60}")
    return int(value)


def text(name: str, value: object) -> str:
    """A string. Raises TypeError."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a string, found {value!r:.60}")
    return value


def texts(name: str, value: object) -> tuple[str, ...]:
    """A list of strings; a single string is not accepted. Raises TypeError."""
    if type(value) is tuple:  # as nearly always
        items = value
    elif isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(f"{name} must be a list of strings, found {value!r:.60}")
    else:
        items = tuple(value)
    for item in items:
        if not isinstance(item, str):
            raise TypeError(f"{name} must be a list of strings, found {item!r:.60} in it")
    return items


def instance(name: str, value: object, kind: type, words: str) -> None:
    """Raises TypeError for anything but a `kind`, which `words` describe."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be {words}, found {value!r:.60}")


def one_of(name: str, value: object, words: Collection[str]) -> None:
    """Raises ValueError for anything but one of `words`."""
    if value not in words:
        raise ValueError(f"{name} must be one of {', '.join(words)}, found {value!r:.60}")
