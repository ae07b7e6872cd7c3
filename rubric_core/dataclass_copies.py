"""Copies of dataclasses with other values."""

from collections import deque
from collections.abc import Callable
from functools import lru_cache
from itertools import repeat
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

from rubric_core.lazy_compilation import field_names

__all__ = ["field_values", "replace_fields"]

T = TypeVar("T")
_set = object.__setattr__


class _Fields(NamedTuple):
    """The fields of a dataclass."""

    names: tuple[str, ...]
    known: frozenset[str]
    #: Their values in an instance, in this order.
    values: Callable[[object], tuple[Any, ...]]


@lru_cache(maxsize=256)
def _fields_of(kind: Any) -> _Fields:
    names = field_names(kind)
    if len(names) > 1:
        return _Fields(names, frozenset(names), attrgetter(*names))
    return _Fields(names, frozenset(names), lambda record: tuple(getattr(record, name) for name in names))


def field_values(record: object) -> "zip[tuple[str, Any]]":
    """The names of the fields of a dataclass, each with its value in `record`."""
    kind: Any = type(record)
    found = _fields_of(kind)
    return zip(found.names, found.values(record), strict=True)


def replace_fields(record: T, /, **values: Any) -> T:
    """A copy with other values of fields: `dataclasses.replace`, without `__init__` and `__post_init__`.

    Values are not checked. Raises TypeError for a name that is not a field.
    """
    kind: Any = type(record)
    found = _fields_of(kind)
    if not found.known.issuperset(values):
        unknown = next(name for name in values if name not in found.known)
        raise TypeError(f"{type(record).__name__} has no field {unknown!r}")
    made: T = object.__new__(kind)
    own = getattr(record, "__dict__", ())
    if len(own) == len(found.names):  # without slots, and only fields: no call for each of them
        vars(made).update(own)
        vars(made).update(values)
        return made
    whole = dict(zip(found.names, found.values(record), strict=True))
    whole.update(values)
    deque(map(_set, repeat(made), whole, whole.values()), 0)  # a loop in C
    return made
