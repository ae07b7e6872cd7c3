"""Plain scalars by the YAML 1.2 core schema: `yes`, `on` and `No` are strings, `2.0` is a float, `0o17` is 15."""

from functools import lru_cache

from rubric_core.lazy_compilation import pattern

__all__ = ["ScalarValue", "resolve"]

ScalarValue = str | int | float | bool | None

_WORDS: dict[str, ScalarValue] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
    ".inf": float("inf"), ".Inf": float("inf"), ".INF": float("inf"),
    "+.inf": float("inf"), "+.Inf": float("inf"), "+.INF": float("inf"),
    "-.inf": float("-inf"), "-.Inf": float("-inf"), "-.INF": float("-inf"),
    ".nan": float("nan"), ".NaN": float("nan"), ".NAN": float("nan"),
}  # fmt: skip
_INT = pattern(r"[-+]?[0-9]+\Z")
_FLOAT = pattern(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_BASED = pattern(r"0(?:o[0-7]+|x[0-9a-fA-F]+)\Z")
# Longer runs of digits are not meant as numbers, and Python refuses to convert them.
_MOST_DIGITS = 400
#: Numbers up to this length recur from case to case; longer ones would fill up the cache.
_LONGEST_KEPT = 16


def resolve(text: str) -> ScalarValue:
    """The value of the plain scalar `text`."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "0123456789+-." or len(text) > _MOST_DIGITS:
        return text
    return _kept_number(text) if len(text) <= _LONGEST_KEPT else _number(text)


def _number(text: str) -> ScalarValue:
    """The number that a text is, or the text itself."""
    if _INT.match(text):
        return int(text)
    if _FLOAT.match(text):
        return float(text)
    if _BASED.match(text):
        return int(text[2:], 8 if text[1] == "o" else 16)
    return text


_kept_number = lru_cache(maxsize=1024)(_number)
