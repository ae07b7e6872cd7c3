"""JSON in texts, as agentv reads and writes it, and the values inside of it by paths such as `lines[0].amount`."""

import json
import re
from collections.abc import Mapping
from typing import Any

__all__ = ["MISSING", "at_path", "json_in", "json_text", "value_fits"]

#: Represents a missing value; `null` is not missing.
MISSING: Any = type("Missing", (), {"__repr__": lambda _: "MISSING"})()
_PART = re.compile(r"[^.\[\]]+|\[\d+\]")
_FENCE = re.compile(r"```(?:json\n?)?")


def json_in(text: str) -> Any:
    """The JSON in a text: an object with whatever around it, a code fence or prose; else the whole text. Raises ValueError.

    As agentv reads answers and expected answers: from the first `{` to the last `}`.
    """
    bare = _FENCE.sub("", text)
    start, end = bare.find("{"), bare.rfind("}")
    try:
        return json.loads(bare[start : end + 1] if 0 <= start < end else bare, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None


def json_text(value: Any, indent: int | None = None) -> str:
    """Plain data as JSON: compact, or over several lines with an `indent`; whole numbers have no point, as in JavaScript."""
    separators = (",", ":") if indent is None else None
    return json.dumps(_numbered(value), ensure_ascii=False, indent=indent, separators=separators, default=str)


def _numbered(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _numbered(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_numbered(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def at_path(value: Any, path: str) -> Any:
    """The value at `path`, or MISSING; `length` is that of a list."""
    for part in _PART.findall(path):
        if part.startswith("[") or (isinstance(value, list) and part.isdigit()):
            position = int(part.strip("[]"))
            if not isinstance(value, list) or position >= len(value):
                return MISSING
            value = value[position]
        elif isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and part == "length":
            value = len(value)
        else:
            return MISSING
    return value


def value_fits(expected: Any, found: Any, *, exact: bool) -> bool:
    """Whether a value equals the expected one; unless `exact`, extra keys of mappings are ignored. `true` is not 1."""
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        same = not exact or expected.keys() == found.keys()
        return same and all(n in found and value_fits(value, found[n], exact=exact) for n, value in expected.items())
    if isinstance(expected, list) and isinstance(found, list):
        pairs = zip(expected, found, strict=False)
        return len(expected) == len(found) and all(value_fits(e, f, exact=exact) for e, f in pairs)
    return bool(expected == found) and isinstance(expected, bool) == isinstance(found, bool)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
