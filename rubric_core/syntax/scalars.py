"""Plain scalars by the YAML 1.2 core schema: `yes`, `on` and `No` are strings, `2.0` is a float, `0o17` is 15."""

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from rubric_core.lazy_compilation import pattern

__all__ = ["CORE", "YAML_1_1", "ScalarValue", "resolve", "resolve_1_1", "resolve_tagged"]

ScalarValue = str | int | float | bool | None

_WORDS: dict[str, ScalarValue] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
    ".inf": float("inf"), ".Inf": float("inf"), ".INF": float("inf"),
    "+.inf": float("inf"), "+.Inf": float("inf"), "+.INF": float("inf"),
    "-.inf": float("-inf"), "-.Inf": float("-inf"), "-.INF": float("-inf"),
    ".nan": float("nan"), ".NaN": float("nan"), ".NAN": float("nan"),
}  # fmt: skip
#: What the tags of YAML's own types begin with: `!!int` is `tag:yaml.org,2002:int`.
CORE = "tag:yaml.org,2002:"
#: Before the name of the type, or nothing, in the tag of a scalar of a text that begins with `%YAML 1.1`.
YAML_1_1 = f"{CORE}1.1/"
#: The types of the core schema besides strings.
_TYPES: Mapping[str, type] = MappingProxyType({
    f"{CORE}{name}": kind for name, kind in (("bool", bool), ("int", int), ("float", float), ("null", type(None)))
})  # fmt: skip
_INT = pattern(r"[-+]?[0-9]+\Z")
_FLOAT = pattern(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_BASED = pattern(r"0(?:o[0-7]+|x[0-9a-fA-F]+)\Z")
_WORDS_1_1: Mapping[str, bool] = MappingProxyType(
    {"y": True, "yes": True, "on": True, "n": False, "no": False, "off": False}
)
_BASED_1_1 = pattern(r"[-+]?0(?:b[01_]+|x[0-9a-fA-F_]+|[0-7_]+)\Z")
_DIGITS = pattern(r"[-+]?[0-9.]")
_SIXTIES = pattern(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?\Z")
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


def resolve_tagged(tag: str, text: str) -> ScalarValue:
    """The value of a scalar with a tag, in quotes or not: what is not of its type, and any other tag, is a string.

    This is how the `yaml` package reads it: `!!float 2` is a string as well, for want of a point or an exponent.
    """
    is_old = tag.startswith(YAML_1_1)
    name = tag[len(YAML_1_1) :] if is_old else tag
    if is_old and not name:
        return resolve_1_1(text)
    wanted = _TYPES.get(f"{CORE}{name}" if is_old else name)
    if wanted is None:
        return text
    value = resolve_1_1(text) if is_old else resolve(text)
    return value if type(value) is wanted else text


def resolve_1_1(text: str) -> ScalarValue:
    """The value of the plain scalar `text` in YAML 1.1: `yes` is true, `010` is 8, `1:30` is 90. Times stay strings."""
    if text.lower() in _WORDS_1_1 and text in (text.lower(), text.upper(), text.capitalize()):
        return _WORDS_1_1[text.lower()]
    if not text or text[0] not in "0123456789+-." or len(text) > _MOST_DIGITS:
        return resolve(text)
    sign, digits = (-1 if text[0] == "-" else 1), text.lstrip("+-").replace("_", "")
    if _BASED_1_1.match(text):
        return sign * int(digits[1:].lstrip("bx") or "0", {"b": 2, "x": 16}.get(digits[1:2], 8))
    if _SIXTIES.match(text):
        total: float = 0
        for part in digits.split(":"):
            total = total * 60 + (float(part) if "." in part else int(part))
        return sign * total
    plain = text.replace("_", "") if _DIGITS.match(text) else text
    return text if _BASED.match(plain) else resolve(plain)


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
