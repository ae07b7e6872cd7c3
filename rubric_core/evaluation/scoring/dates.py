"""Days written in many ways: whether two texts mean the same one."""

import re
from collections.abc import Sequence
from datetime import date

__all__ = ["day_of", "same_day"]

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ISO = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})")
_MONTH = re.compile(r"(\d{4})(?:-(\d{2}))?$")
_NUMBERS = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})(?!\d)")
_NAMED = re.compile(
    r"(?:(\d{1,2})(?:st|nd|rd|th)?[\s.\-]*)?\b([A-Za-z]{3,9})\b\.?[\s\-]*(?:(\d{1,2})(?:st|nd|rd|th)?,?\s+)?(\d{4})"
)


def same_day(expected: str, found: str, formats: Sequence[str]) -> bool:
    """Whether two texts name the same day; a text that names none is like no other."""
    one = day_of(expected, formats)
    return one is not None and one == day_of(found, formats)


def day_of(text: str, formats: Sequence[str] = ()) -> date | None:
    """The day in `text`, None without one.

    03/04/2025 is read by `formats` if all of them agree which number is the day, else by a number above 12, else by the
    first of `formats` that decides, else as in the USA. A month or a year means its first day.
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
    alone = _MONTH.match(text)
    if alone:
        return _date(int(alone[1]), int(alone[2] or 1), 1)
    named = _NAMED.search(text)
    month = named[2][:3].lower() if named else ""
    if named is None or month not in _MONTHS or not (named[1] or named[3] or named[0] == text):
        return None
    return _date(int(named[4]), _MONTHS.index(month) + 1, int(named[1] or named[3] or 1))


def _day_first(first: int, second: int, formats: Sequence[str]) -> bool:
    written = [f.upper() for f in formats]
    orders = [f.find("DD") < f.find("MM") for f in written if "DD" in f and "MM" in f and not f.startswith("Y")]
    if len(set(orders)) != 1 and (first > 12 or second > 12):
        return first > 12
    return orders[0] if orders else False


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
