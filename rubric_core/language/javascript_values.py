"""Values as JavaScript has them: as text, as JSON and as numbers."""

import json
import math
from decimal import Decimal
from json.encoder import encode_basestring
from typing import Any, NoReturn

from rubric_core.syntax.plain_data import without_point

__all__ = [
    "json_text",
    "may_be_json",
    "number_of",
    "read_json",
    "scalar_text",
    "value_text",
]

#: Digits before the point, and zeros after it, beyond which JavaScript writes numbers with an exponent.
_LONGEST_WHOLE, _MOST_ZEROS = 21, 6
#: Larger whole numbers are not exact in JavaScript.
_LARGEST_EXACT = 2**53
#: The first characters of JSON.
_BEGINNINGS = frozenset('{["-0123456789tfn \t\n\r')
#: Whole numbers with fewer digits are exact.
_EXACT_DIGITS = 16


def scalar_text(value: str | float | bool | None) -> str:
    """A text, a number, a truth value or null as text, as by JavaScript's `String`."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return _number_text(value)
    return str(value)


def _number_text(value: float) -> str:
    if isinstance(value, int) and abs(value) <= _LARGEST_EXACT:
        return str(value)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf if value > 0 else -math.inf
    if not math.isfinite(number):
        return "NaN" if math.isnan(number) else f"{'-' if number < 0 else ''}Infinity"
    # Both languages write the fewest digits that identify a number, and differ in the position of the point.
    sign, digits, exponent = Decimal(repr(number)).normalize().as_tuple()
    shown, point = "".join(map(str, digits)), len(digits) + int(exponent)
    if shown == "0":
        return "0"
    if len(shown) <= point <= _LONGEST_WHOLE:
        text = shown + "0" * (point - len(shown))
    elif 0 < point <= _LONGEST_WHOLE:
        text = f"{shown[:point]}.{shown[point:]}"
    elif -_MOST_ZEROS < point <= 0:
        text = f"0.{'0' * -point}{shown}"
    else:
        text = f"{shown[0]}{'.' if len(shown) > 1 else ''}{shown[1:]}e{point - 1:+d}"
    return f"{'-' if sign else ''}{text}"


def value_text(value: Any) -> str:
    """Any value as text, as by JavaScript's `String`: a list with commas; a mapping without its content."""
    if isinstance(value, list):
        return ",".join("" if each is None else value_text(each) for each in value)
    return "[object Object]" if isinstance(value, dict) else scalar_text(value)


def may_be_json(text: str) -> bool:
    """Whether a text begins like JSON. Most prompts do not, and `read_json` takes long to say what is wrong with them."""
    return text[:1] in _BEGINNINGS


def read_json(text: str, *, allow_nan: bool = False) -> Any:
    """The value of a JSON text, as by JavaScript's `JSON.parse`: 3.0 is 3. Raises ValueError or RecursionError.

    `allow_nan` accepts NaN and infinity, as Python writes them.
    """
    constant = None if allow_nan else _refuse
    return json.loads(text, parse_float=_number, parse_int=_integer, parse_constant=constant)


def _number(digits: str) -> float:
    return without_point(float(digits))


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"JSON has no {constant}")


def _integer(digits: str) -> float:
    return int(digits) if len(digits) < _EXACT_DIGITS else _number(digits)


def json_text(value: Any, indent: int = 0) -> str:
    """A value as JSON, as by JavaScript's `JSON.stringify`: compact, or over several lines. Raises RecursionError."""
    parts: list[str] = []
    _add_json(value, parts, indent, "\n" if indent else "")
    return "".join(parts)


def _add_json(value: Any, parts: list[str], indent: int, start: str) -> None:
    if isinstance(value, str):
        parts.append(encode_basestring(value))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        text = _number_text(value)
        parts.append(text if text[-1].isdigit() else "null")  # no JSON has infinity
    elif isinstance(value, list | tuple | dict):
        named = value if isinstance(value, dict) else None
        inner = between = f"{start}{' ' * indent}"
        parts.append("[" if named is None else "{")
        for name, item in enumerate(value) if named is None else named.items():
            parts.append(between)
            if named is not None:
                parts.append(f"{encode_basestring(str(name))}:{' ' if indent else ''}")
            _add_json(item, parts, indent, inner)
            between = f",{inner}"
        parts += start if value else "", "]" if named is None else "}"
    else:
        parts.append(json.dumps(value, ensure_ascii=False, default=str))


def number_of(value: Any) -> float:
    """A value as a number, as in JavaScript's comparisons; NaN if it is not a number."""
    if value is None or value == "":
        return 0.0
    try:
        return float(value) if isinstance(value, str | int | float) else math.nan
    except (ValueError, OverflowError):
        return math.nan
