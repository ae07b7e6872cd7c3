"""Numbers in what programs, servers and judges reply: JSON as Python reads it has NaN, infinity and whole numbers of any length."""

import math

__all__ = ["finite_number"]


def finite_number(value: object) -> float | None:
    """A number that can be a score; None for anything else, truth values and numbers beyond what a float holds included."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:  # a whole number of several hundred digits
        return None
    return number if math.isfinite(number) else None
