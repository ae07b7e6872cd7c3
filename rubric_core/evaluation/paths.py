"""Values inside of JSON, by paths such as `lines[0].amount`."""

import re
from typing import Any

__all__ = ["MISSING", "at_path"]

#: Stands for a value that is not there; `null` is one that is.
MISSING: Any = type("Missing", (), {"__repr__": lambda _: "MISSING"})()
_PART = re.compile(r"[^.\[\]]+|\[\d+\]")


def at_path(value: Any, path: str) -> Any:
    """The value at `path`, or MISSING."""
    for part in _PART.findall(path):
        if part.startswith("[") or (isinstance(value, list) and part.isdigit()):
            position = int(part.strip("[]"))
            if not isinstance(value, list) or position >= len(value):
                return MISSING
            value = value[position]
        elif isinstance(value, dict) and part in value:
            value = value[part]
        else:
            return MISSING
    return value
