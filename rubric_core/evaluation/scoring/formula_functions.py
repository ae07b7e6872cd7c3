"""mathjs functions over numbers, with its results."""

import math
import statistics
from collections.abc import Callable, Mapping
from decimal import ROUND_HALF_UP, Decimal

__all__ = ["CONSTANTS", "FUNCTIONS", "is_nearly_equal", "modulo", "power"]

#: The relative and absolute tolerances within which mathjs considers numbers equal.
_RELATIVE, _ABSOLUTE = 1e-12, 1e-15
#: The decimals to which a number is rounded first, so that a rounding error does not change its whole part.
_DECIMALS = 12
_MOST_DECIMALS = 15
#: From here on every number is whole.
_LARGEST_FRACTION = 2.0**53

CONSTANTS: Mapping[str, float] = {
    "pi": math.pi, "PI": math.pi, "tau": math.tau, "e": math.e, "E": math.e, "true": True, "false": False, "Infinity": math.inf, "NaN": math.nan,
}  # fmt: skip


def is_nearly_equal(one: float, other: float) -> bool:
    """Whether two numbers differ by no more than a rounding error."""
    if one == other:
        return True
    if not (math.isfinite(one) and math.isfinite(other)):
        return False
    return abs(one - other) <= max(_RELATIVE * max(abs(one), abs(other)), _ABSOLUTE)


def power(base: float, exponent: float) -> float:
    """Raises ValueError if the result is a complex number in mathjs."""
    if base < 0 and math.isfinite(exponent) and not float(exponent).is_integer():
        raise ValueError("a power of a negative number is not a number")
    if base == 0 and exponent < 0:
        return math.inf
    if abs(base) == 1 and math.isinf(exponent):
        return math.nan  # where Python says 1
    try:
        return math.pow(base, exponent)
    except OverflowError:
        is_negative = base < 0 and exponent % 2 == 1
        return -math.inf if is_negative else math.inf


def modulo(left: float, right: float) -> float:
    """The rest of a division, which has the sign of `right`."""
    if right == 0:
        return float(left)
    quotient = left / right
    return left - right * (math.floor(quotient) if math.isfinite(quotient) else quotient)


def _decimally_rounded(value: float, decimals: int) -> float:
    """Rounded half away from zero by its shortest decimal digits."""
    if not math.isfinite(value) or abs(value) >= _LARGEST_FRACTION:
        return value
    return float(Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))


def _without_error(value: float) -> float:
    near = _decimally_rounded(value, _DECIMALS)
    return near if is_nearly_equal(value, near) else value


def _round(value: float, decimals: float = 0) -> float:
    if not 0 <= decimals <= _MOST_DECIMALS or decimals != int(decimals):
        raise ValueError(f"the second value of `round` must be a whole number from 0 to {_MOST_DECIMALS}")
    return _decimally_rounded(_without_error(value), int(decimals))


def _whole(rounding: Callable[[float], int], value: float) -> float:
    if not math.isfinite(value):
        return value
    nearest = _decimally_rounded(value, 0)
    return nearest if is_nearly_equal(value, nearest) else float(rounding(value))


def _logarithm(value: float, base: float | None = None) -> float:
    if value < 0 or (base is not None and base < 0):
        raise ValueError("a logarithm of a negative number is not a number")
    if value == 0:
        return -math.inf
    if base == 0:
        return 0.0  # something, divided by the infinite logarithm of 0
    return math.log(value) if base is None else math.log(value) / math.log(base)


def _root(value: float) -> float:
    if value < 0:
        raise ValueError("math domain error: a root of a negative number is not a number")
    return math.sqrt(value)


def _exponential(value: float) -> float:
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf


def _sign(value: float) -> float:
    return float((value > 0) - (value < 0))


FUNCTIONS: Mapping[str, Callable[..., float]] = {
    "abs": abs, "cbrt": lambda value: math.copysign(abs(value) ** (1 / 3), value), "ceil": lambda value: _whole(math.ceil, value),
    "cube": lambda value: power(value, 3), "exp": _exponential, "fix": lambda value: _whole(math.trunc, value),
    "floor": lambda value: _whole(math.floor, value), "hypot": math.hypot, "log": _logarithm,
    "log10": lambda value: math.log10(value) if value > 0 else _logarithm(value),
    "log2": lambda value: math.log2(value) if value > 0 else _logarithm(value), "max": lambda *values: max(values),
    "mean": lambda *values: sum(values) / len(values), "median": lambda *values: float(statistics.median(values)),
    "min": lambda *values: min(values), "mod": modulo, "pow": power, "prod": lambda *values: math.prod(values), "round": _round,
    "sign": _sign, "sqrt": _root, "square": lambda value: power(value, 2), "sum": lambda *values: sum(values),
}  # fmt: skip
