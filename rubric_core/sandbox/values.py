"""The values and operators of Nunjucks, which are JavaScript's. `worker` loads this module by its path."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from jinja2 import TemplateRuntimeError, Undefined

__all__ = ["OPERATORS", "computed", "is_nothing", "is_truthy", "number", "number_text", "shown"]

#: Digits before the point, and zeros after it, beyond which JavaScript writes numbers with an exponent.
_LONGEST_WHOLE, _MOST_ZEROS = 21, 6
_LARGEST_EXACT = 2**53


def shown(value: Any) -> str:
    """A value as text in JavaScript: lists with commas, mappings without their content."""
    if value is None or isinstance(value, Undefined):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number_text(value)
    if isinstance(value, list | tuple | range):
        return ",".join(map(shown, value))
    return "[object Object]" if isinstance(value, dict) else str(value)


def number_text(value: float) -> str:
    if isinstance(value, int) and abs(value) <= _LARGEST_EXACT:
        return str(value)
    value = float(value)
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else f"{'-' if value < 0 else ''}Infinity"
    # Both languages write the fewest digits that identify a number, but place the point differently.
    mantissa, _, written = f"{value!r}".lower().partition("e")
    whole, _, part = mantissa.lstrip("-").partition(".")
    digits = (whole + part).lstrip("0")
    point = len(whole) + int(written or 0) - (len(whole + part) - len(digits))
    digits = digits.rstrip("0") or "0"
    if digits == "0":
        return "0"
    sign = "-" if value < 0 else ""
    if len(digits) <= point <= _LONGEST_WHOLE:
        return sign + digits + "0" * (point - len(digits))
    if 0 < point <= _LONGEST_WHOLE:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -_MOST_ZEROS < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    return f"{sign}{digits[0]}{'.' if len(digits) > 1 else ''}{digits[1:]}e{point - 1:+d}"


def number(value: Any) -> float:
    """A value converted to a number as in JavaScript; NaN if impossible."""
    if isinstance(value, Undefined):
        return math.nan
    if value is None or value in ("", []):
        return 0
    if isinstance(value, bool | int | float):
        return value
    if isinstance(value, list) and len(value) == 1:
        return number(value[0])
    try:
        return float(value) if isinstance(value, str) else math.nan
    except ValueError:
        return math.nan


def is_nothing(value: Any) -> bool:
    return value is None or value is False or isinstance(value, Undefined)


def is_truthy(value: Any) -> bool:
    """Whether a value is true in JavaScript: lists and mappings always are."""
    return isinstance(value, list | tuple | dict | range) or bool(value and value == value)  # noqa: PLR0124  # no NaN


# Operators


def _added_text(value: Any) -> str:
    """A value as an operand of string concatenation."""
    return "undefined" if isinstance(value, Undefined) else "null" if value is None else shown(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str | list | tuple | dict | range)


def computed(operator: str, left: Any, right: Any) -> Any:
    """The result of an arithmetic operator in JavaScript."""
    if operator == "+" and (_is_text(left) or _is_text(right)):
        return _added_text(left) + _added_text(right)
    one, other = number(left), number(right)
    if operator in ("/", "//", "%") and other == 0:
        return math.nan if operator == "%" or one == 0 or one != one else math.copysign(math.inf, one)  # noqa: PLR0124
    try:
        return _OPERATIONS[operator](one, other)
    except OverflowError:
        return math.inf
    except ValueError:  # infinite or NaN
        return math.nan


_OPERATIONS: Mapping[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b,
    "//": lambda a, b: math.floor(a / b), "%": math.fmod,
    "**": lambda a, b: math.nan if b != b else math.pow(a, b),  # noqa: PLR0124,
}  # fmt: skip


def _is_same(left: Any, right: Any) -> bool:
    """`===` of JavaScript."""
    if isinstance(left, Undefined) or isinstance(right, Undefined):
        return isinstance(left, Undefined) and isinstance(right, Undefined)
    if isinstance(left, bool) or isinstance(right, bool) or left is None or right is None:
        return left is right
    if isinstance(left, list | dict) or isinstance(right, list | dict):
        return left is right
    return bool(left == right)


def _is_equal(left: Any, right: Any) -> bool:
    """`==` of JavaScript, which converts texts to numbers."""
    nothing = [value is None or isinstance(value, Undefined) for value in (left, right)]
    if any(nothing):
        return all(nothing)
    if isinstance(left, str) and isinstance(right, str):
        return left == right
    if isinstance(left, list | dict) and isinstance(right, list | dict):
        return left is right
    if isinstance(left, list | dict):
        return _is_equal(shown(left), right)
    if isinstance(right, list | dict):
        return _is_equal(left, shown(right))
    return number(left) == number(right)


def _is_less(left: Any, right: Any, *, or_equal: bool = False) -> bool:
    texts = [shown(value) if isinstance(value, list | tuple | dict) else value for value in (left, right)]
    if not all(isinstance(each, str) for each in texts):
        one, other = map(number, texts)
        return one < other or (or_equal and one == other)
    return bool(texts[0] < texts[1] or (or_equal and texts[0] == texts[1]))


def _items(value: Any) -> Any:
    """The items of a loop with one name: those of a list, and none of a mapping."""
    return value if isinstance(value, str | list | tuple | range) else ()


def _pairs(value: Any, count: int) -> Any:
    """The items of a loop with several names: the keys of a mapping with their values, or unpacked items."""
    if isinstance(value, dict):
        return list(value.items())
    if isinstance(value, str):
        return list(enumerate(value))
    parts = ([*each[:count]] if isinstance(each, str | list | tuple) else [] for each in _items(value))
    return [each + [None] * (count - len(each)) for each in parts]


def _searched(value: Any) -> Any:
    """The container that `in` searches."""
    if not isinstance(value, str | list | tuple | dict | range):
        raise TemplateRuntimeError("`in` takes a text, a list or a mapping")
    return value


#: The names in templates of JavaScript's operators, see `nunjucks.javascript_tree`.
OPERATORS: Mapping[str, Callable[..., Any]] = {
    "_same": _is_same, "_eq": _is_equal, "_lt": _is_less, "_lteq": lambda a, b: _is_less(a, b, or_equal=True),
    "_gt": lambda a, b: _is_less(b, a), "_gteq": lambda a, b: _is_less(b, a, or_equal=True), "_truthy": is_truthy,
    "_items": _items, "_pairs": _pairs, "_added": _added_text, "_searched": _searched,
}  # fmt: skip
