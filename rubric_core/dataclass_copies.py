"""Copies of dataclasses with other values."""

from collections import deque
from collections.abc import Callable
from functools import lru_cache
from itertools import repeat
from operator import attrgetter
from types import MemberDescriptorType
from typing import Any, NamedTuple, TypeVar, cast

from rubric_core.dataclass_methods import FIELDS, declared_fields, field_names

__all__ = ["field_values", "replace_fields", "sets_fields_only"]

T = TypeVar("T")
_set = object.__setattr__


class _Fields(NamedTuple):
    """The fields of a dataclass."""

    names: tuple[str, ...]
    known: frozenset[str]
    #: Their values in an instance, in this order.
    values: Callable[[object], tuple[Any, ...]]
    #: Whether instances keep all of them in their `__dict__`.
    in_dict: bool
    #: Whether `__init__` does nothing but set them.
    by_init: bool


@lru_cache(maxsize=256)
def _fields_of(kind: Any) -> _Fields:
    names = field_names(kind)
    values: Any = (
        attrgetter(*names) if len(names) > 1 else lambda record: tuple(getattr(record, name) for name in names)
    )
    slotted = any(isinstance(getattr(kind, name, None), MemberDescriptorType) for name in names)
    return _Fields(names, frozenset(names), values, bool(kind.__dictoffset__) and not slotted, sets_fields_only(kind))


@lru_cache(maxsize=256)
def sets_fields_only(kind: type) -> bool:
    """Whether the `__init__` of a class is one that `lazy_compilation` makes, takes every field, and does nothing but set them."""
    declared = declared_fields(kind)
    if declared is None or FIELDS not in vars(kind) or hasattr(kind, "__post_init__"):
        return False
    return all(each.init for each in declared.values())


def field_values(record: object) -> "zip[tuple[str, Any]]":
    """The names of the fields of a dataclass, each with its value in `record`."""
    kind: Any = type(record)
    found = _fields_of(kind)
    return zip(found.names, found.values(record), strict=True)


def replace_fields(record: T, /, **values: Any) -> T:
    """A copy with other values of fields: `dataclasses.replace`, without `__post_init__`.

    Values are not checked. Raises TypeError for a name that is not a field.
    """
    kind: Any = type(record)
    found = _fields_of(kind)
    if not found.known.issuperset(values):
        unknown = next(name for name in values if name not in found.known)
        raise TypeError(f"{type(record).__name__} has no field {unknown!r}")
    if found.in_dict:  # no call for each field
        made: T = object.__new__(kind)
        own, whole = vars(record), vars(made)
        whole.update(own if len(own) == len(found.names) else zip(found.names, found.values(record), strict=True))
        whole.update(values)
        return made
    whole = dict(zip(found.names, found.values(record), strict=True))
    whole.update(values)
    if found.by_init:  # compiled for exactly these fields, it takes half the time of the loop below
        return cast("T", kind(**whole))
    made = object.__new__(kind)
    deque(map(_set, repeat(made), whole, whole.values()), 0)  # a loop in C
    return made
