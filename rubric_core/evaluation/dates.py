"""Days written in many ways: whether two texts mean the same one."""

import re
from collections.abc import Sequence
from datetime import date

__all__ = ["day_of", "same_day"]

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ISO = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})")
_NUMBERS = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})(?!\d)")
_NAMED = re.compile(r"(?:(\d{1,2})[\s.\-]*)?\b([A-Za-z]{3,9})\b\.?[\s\-]*(?:(\d{1,2})(?:st|nd|rd|th)?,?\s+)?(\d{4})")


def same_day(expected: str, found: str, formats: Sequence[str]) -> bool:
    """Whether two texts name the same day; two that are no dates are compared as texts."""
    one, other = day_of(expected, formats), day_of(found, formats)
    return one == other if one is not None and other is not None else one is other and expected.strip() == found.strip()


def day_of(text: str, formats: Sequence[str] = ()) -> date | None:
    """The day that `text` names, None when it names none.

    03/04/2025 is decided by `formats` (DD/MM/YYYY before MM/DD/YYYY, whichever stands first), else by a number above 12,
    else as in the USA.
    """
    text = text.strip()
    iso = _ISO.match(text)
    if iso:
        return _date(int(iso[1]), int(iso[2]), int(iso[3]))
    numbers = _NUMBERS.match(text)
    if numbers:
        first, second, year = int(numbers[1]), int(numbers[2]), int(numbers[3])
        year += 2000 if year < 100 else 0
        if _day_first(first, second, formats):
            first, second = second, first
        return _date(year, first, second)
    named = _NAMED.search(text)
    month = named[2][:3].lower() if named else ""
    if named is None or month not in _MONTHS or not (named[1] or named[3]):
        return None
    return _date(int(named[4]), _MONTHS.index(month) + 1, int(named[1] or named[3]))


def _day_first(first: int, second: int, formats: Sequence[str]) -> bool:
    if first > 12 or second > 12:
        return first > 12
    orders = (
        f.upper().find("DD") < f.upper().find("MM")
        for f in formats
        if "DD" in f.upper() and "MM" in f.upper() and not f.upper().startswith("Y")
    )
    return next(orders, False)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
