"""Converts results to data that JSON can hold."""

import math
from collections.abc import Mapping
from dataclasses import is_dataclass
from enum import Enum
from typing import Any

from rubric_core.dataclass_copies import field_values

__all__ = ["jsonable"]

_SIMPLE = frozenset({str, int, bool, type(None)})


def jsonable(value: Any) -> Any:
    """`value` with its dataclasses as dicts, ready for JSON; None, empty texts and empty lists are left out of these."""
    kind = type(value)
    if kind in _SIMPLE:  # most values
        return value
    if kind is list or kind is tuple:
        return [jsonable(item) for item in value]
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        return _fields_written(value)
    if isinstance(value, Mapping):
        return {str(name): jsonable(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [jsonable(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # JSON has no word for it
    # The details of a custom evaluator may be anything.
    return value if value is None or isinstance(value, str | int | float) else str(value)


def _fields_written(value: Any) -> dict[str, Any]:
    """The fields of a dataclass that are not empty, ready for JSON."""
    made: dict[str, Any] = {}
    for name, item in field_values(value):
        kind = type(item)
        if kind in _SIMPLE:
            if item is not None and item != "":
                made[name] = item
        elif kind is not tuple or item:  # most lists of a result are empty
            written = jsonable(item)
            if written not in (None, "", []):
                made[name] = written
    return made
