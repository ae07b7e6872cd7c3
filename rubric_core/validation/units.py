"""Numbers as people write them: with a unit, a currency, a percent sign, separators, as a fraction, in words."""

import re
from typing import Literal

from rubric_core.lazy_compilation import pattern

__all__ = ["NUMBERS", "intended_number", "intended_share"]

#: Numbers that are written as words.
NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
#: Words such as about, at least and at most before the number.
_NUMBER = pattern(
    r"(?:[~≈<>≤≥=]+|about|at least|at most|max\.?|min\.?)?\s*(?:\$\s*)?"
    r"([-+]?\d+(?:[,_ ]\d{3})+(?:\.\d+)?|[-+]?\d+(?:[.,]\d+)?|[-+]?[.,]\d+)\s*(%|[a-zA-Z]*)\Z"
)
_FRACTION = pattern(r"(\d+(?:\.\d+)?)\s*/\s*(\d+)\Z")
_SEPARATED = pattern(r"[-+]?\d{1,3}(?:[,_ ]\d{3})+(?:\.\d+)?\Z")
_MILLISECONDS = {"ms": 1, "msec": 1, "millis": 1, "milliseconds": 1, "s": 1_000, "sec": 1_000, "secs": 1_000, "second": 1_000, "seconds": 1_000, "m": 60_000, "min": 60_000, "mins": 60_000, "minute": 60_000, "minutes": 60_000, "h": 3_600_000}  # fmt: skip
#: Other currencies, whose value is unknown.
_FACTORS = {
    "": 1,
    "k": 1_000,
    "usd": 1,
    "dollars": 1,
    "dollar": 1,
    "x": 1,
    "tokens": 1,
    "token": 1,
    "times": 1,
    "points": 1,
}


def intended_number(text: str, unit: Literal["", "s", "ms"], *, share: bool) -> str | None:
    """The number in `text`, in plain notation; None without one.

    Args:
        text: The text.
        unit: The unit of the key, if it is a duration.
        share: Whether the number is a share of 1.
    """
    words = text.strip()
    if words.lower() in NUMBERS:
        words = str(NUMBERS.index(words.lower()))
    if (fraction := _FRACTION.match(words)) and share and float(fraction[2]):
        return intended_share(float(fraction[1]) / float(fraction[2]))
    found = _NUMBER.match(words)
    if found is None:
        return None
    digits = re.sub(r"[,_ ]", "", found[1]) if _SEPARATED.match(found[1]) else found[1].replace(",", ".")
    value, factor = float(digits), _factor(found[2].lower(), unit)
    if factor is None:
        return None
    if share:
        return intended_share(value * factor)
    return digits.lstrip("+") if factor == 1 and digits[-1].isdigit() else f"{value * factor:.10g}"


def _factor(written: str, unit: Literal["", "s", "ms"]) -> float | None:
    """The factor from the written unit to the unit of the key; None if they do not match."""
    if written == "%":
        return 0.01
    if unit and written in _MILLISECONDS:
        return _MILLISECONDS[written] / _MILLISECONDS[unit]
    return _FACTORS.get(written)


def intended_share(value: float) -> str | None:
    """A share of 1 that was written on a scale of 10 or 100, or with a stray sign; None if it is neither."""
    size = abs(value)
    for scale in (1, 10, 100):
        if 0 < size <= scale:
            return f"{round(size / scale, 10):g}"
    return None
