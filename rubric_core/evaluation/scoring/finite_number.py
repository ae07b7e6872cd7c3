"""Finite numbers from replies of programs, servers and judges: Python's JSON accepts NaN, infinity and huge integers."""

import math

__all__ = ["finite_number"]


def finite_number(value: object) -> float | None:
    """A number that can be a score; None for anything else, including booleans and numbers beyond a float."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:  # a whole number of several hundred digits
        return None
    return number if math.isfinite(number) else None
