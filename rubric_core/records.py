"""Copies of dataclasses with other values."""

from collections import deque
from collections.abc import Callable
from dataclasses import fields
from functools import lru_cache
from itertools import repeat
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

__all__ = ["changed", "field_values"]

T = TypeVar("T")
_set = object.__setattr__


class _Fields(NamedTuple):
    """The fields of a dataclass."""

    names: tuple[str, ...]
    #: Their values in an instance, in this order.
    values: Callable[[object], tuple[Any, ...]]


@lru_cache(maxsize=256)
def _fields_of(kind: Any) -> _Fields:
    names = tuple(each.name for each in fields(kind))
    if len(names) > 1:
        return _Fields(names, attrgetter(*names))
    return _Fields(names, lambda record: tuple(getattr(record, name) for name in names))


def field_values(record: object) -> "zip[tuple[str, Any]]":
    """The names of the fields of a dataclass, each with its value in `record`."""
    kind: Any = type(record)
    names, values = _fields_of(kind)
    return zip(names, values(record), strict=True)


def changed(record: T, /, **values: Any) -> T:
    """A copy with other values of fields: `dataclasses.replace`, without `__init__` and `__post_init__`.

    Values are taken as they are, so this is for those that need no check. Raises TypeError for a name that is no field.
    """
    kind: Any = type(record)
    names, known = _fields_of(kind)
    made: T = object.__new__(kind)
    deque(map(_set, repeat(made), names, known(record)), 0)  # a loop in C
    for name, value in values.items():
        if name not in names:
            raise TypeError(f"{type(record).__name__} has no field {name!r}")
        _set(made, name, value)
    return made
