"""Keys of data in snake case, and in the camel case of JavaScript."""

import re
from collections.abc import Mapping
from typing import Any

__all__ = ["camel_case", "in_camel_case", "in_snake_case"]

_CAPITAL = re.compile(r"[A-Z]")
_LOWER = re.compile(r"_([a-z0-9])")
#: What has the names of tools, or of the author's data, as keys.
_FOREIGN = frozenset(("tool_calls", "tool_durations", "metadata", "input", "output", "content", "expected_output"))


def in_snake_case(value: Any) -> Any:
    """Data with all of its keys in snake case, those of settings and tool names among them, as releases hand it over."""
    if isinstance(value, list | tuple):
        return [in_snake_case(item) for item in value]
    if isinstance(value, Mapping):
        return {_snake_case(str(name)): in_snake_case(item) for name, item in value.items()}
    return value


def _snake_case(name: str) -> str:
    return name if name[:1].isupper() else _CAPITAL.sub(lambda m: f"_{m[0].lower()}", name)


def in_camel_case(value: Any) -> Any:
    """Data with its keys in camel case, except those of foreign data."""
    if isinstance(value, list):
        return [in_camel_case(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        camel_case(name): item if name in _FOREIGN and isinstance(item, dict) else in_camel_case(item)
        for name, item in value.items()
    }


def camel_case(name: str) -> str:
    """A key in camel case."""
    return _LOWER.sub(lambda m: m[1].upper(), name)
