"""Compiles on first use, not at import: the methods of dataclasses, and regular expressions.

A check of one file loads some 120 dataclasses and calls few of their methods. The standard library makes six for each,
from source, and loads `inspect` before the first. `dataclass` here has the same fields, options and methods, but
`__init__` is compiled when the first instance is made, and the other methods are functions that all classes share.
`dataclasses.fields`, `replace`, `asdict` and a dataclass of the standard library that inherits from one work as with
any other: what they look for is made when they ask. Here, a dataclass inherits only from one that was made here too,
and its fields are declared with this `field`.

`pattern` is for the regular expressions of a module: a check of one file needs a third of those that it would compile
as its modules load, which took an eighth of its time. At first use it stores the method, so that later calls cost
nothing more.
"""

import re
from collections.abc import Callable, Mapping
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any, ClassVar

from rubric_core.dataclass_copies import replace_fields, sets_fields_only
from rubric_core.dataclass_methods import (
    COPY_METHODS,
    FIELDS,
    FROZEN_METHODS,
    UNSET,
    DeclaredField,
    comparison,
    declared_fields,
    describe,
    describe_frozen,
    show,
    write_frozen_init,
    write_init,
)

__all__ = ["Pending", "dataclass", "field", "pattern", "replace"]


class Pending:
    """A missing attribute of a class, created on first access.

    Args:
        name: Its name.
        cls: The class.
        make: Replaces this by the attribute.
    """

    def __init__(self, name: str, cls: type, make: Callable[[type], None]) -> None:
        self._name, self._cls, self._make = name, cls, make

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        """The attribute itself, as the finished class has it."""
        self._make(self._cls)
        made = vars(self._cls)[self._name]
        return made.__get__(instance, owner) if hasattr(made, "__get__") else made


class _Pattern:
    """Stands for a regular expression until one of its methods is called, and hands on its methods."""

    def __init__(self, source: str, flags: int = 0) -> None:
        self._source = source, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(*self._source), name)  # `re` caches what it has compiled
        setattr(self, name, found)
        return found


if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
    from re import compile as pattern
else:
    pattern = _Pattern

    def field(
        *,
        default: Any = UNSET,
        default_factory: Any = None,
        init: bool = True,
        repr: bool = True,  # noqa: A002  # as the standard library names it
        compare: bool = True,
        metadata: Any = None,
    ) -> Any:
        """`dataclasses.field`."""
        found = DeclaredField(default, default_factory, init, repr, compare)
        found.metadata = metadata
        return found

    def dataclass(
        cls: type | None = None, /, *, frozen: bool = False, slots: bool = False, kw_only: bool = False
    ) -> Any:
        """`dataclasses.dataclass`, with methods that are compiled at their first use."""

        def decorated(cls: type) -> type:
            # A class with an `__eq__` and no `__hash__` gets a `__hash__` of None from Python: its author wrote none.
            own = {name for name in vars(cls) if name != "__hash__" or cls.__hash__}
            cls.__doc__ = cls.__doc__ or cls.__name__  # one without a docstring would be given its signature as one
            fields = _declare_fields(cls, kw_only=kw_only)
            methods = {"__repr__": show, **comparison(fields.values(), frozen), **(FROZEN_METHODS if frozen else {})}
            methods |= COPY_METHODS if frozen and slots else {}
            methods = {name: method for name, method in methods.items() if name not in own}
            made = _slotted(cls, fields, methods) if slots else _with(cls, methods)
            made.__init__ = Pending("__init__", made, write_frozen_init if frozen else write_init)
            # For other users: `dataclasses` and its callers.
            for name in ("__dataclass_fields__", "__dataclass_params__"):
                setattr(made, name, Pending(name, made, describe_frozen if frozen else describe))
            return made

        return decorated if cls is None else decorated(cls)

    def replace(record: Any, /, **changes: Any) -> Any:
        """`dataclasses.replace`."""
        kind = type(record)
        if sets_fields_only(kind):
            return replace_fields(record, **changes)
        declared = declared_fields(kind)
        if declared is None:
            from dataclasses import replace as standard  # noqa: PLC0415  # loads `inspect`, and a check needs none of it

            return standard(record, **changes)
        for each in declared.values():
            if not each.init:
                if each.name in changes:
                    raise ValueError(
                        f"field {each.name} is declared with init=False, it cannot be specified with replace()"
                    )
            elif each.name not in changes:
                changes[each.name] = getattr(record, each.name)
        return kind(**changes)


def _declare_fields(cls: Any, *, kw_only: bool) -> dict[str, DeclaredField]:
    """The fields of the class, which it keeps together with their defaults."""
    fields: dict[str, DeclaredField] = {}
    for base in reversed(cls.__mro__[1:]):
        if FIELDS not in vars(base) and "__dataclass_fields__" in vars(base):
            raise TypeError(
                f"{base.__qualname__}, a base of {cls.__qualname__}, is a dataclass of the standard library"
            )
        fields.update(vars(base).get(FIELDS, {}))
    declared = {name: kind for name, kind in cls.__annotations__.items() if not _is_of_class(kind)}
    for name, kind in declared.items():
        fields[name] = found = _field(cls, name)
        found.name, found.type, found.kw_only = name, kind, kw_only
        if found.default is not UNSET:
            setattr(cls, name, found.default)
        elif name in vars(cls):
            delattr(cls, name)
    setattr(cls, FIELDS, fields)
    if "__match_args__" not in vars(cls):
        cls.__match_args__ = tuple(f.name for f in fields.values() if f.init and not f.kw_only)  # type: ignore[misc]  # mypy has special rules for this name
    return fields


def _with(cls: type, methods: Mapping[str, Any]) -> type:
    for name, method in methods.items():
        setattr(cls, name, method)
    return cls


def _is_of_class(kind: object) -> bool:
    """Whether an annotation declares a class attribute, not a field."""
    if isinstance(kind, str):
        return kind.startswith("ClassVar")
    return kind is ClassVar or getattr(kind, "__origin__", None) is ClassVar


def _field(cls: type, name: str) -> DeclaredField:
    value = vars(cls).get(name, UNSET)
    if isinstance(value, MemberDescriptorType):
        return DeclaredField(UNSET, None, init=True, shown=True, compare=True)
    if type(value).__name__ == "Field" and type(value).__module__ == "dataclasses":
        raise TypeError(f"{cls.__qualname__}.{name} is declared with another `field` than that of {__name__}")
    found = (
        value if isinstance(value, DeclaredField) else DeclaredField(value, None, init=True, shown=True, compare=True)
    )
    if found.default is not UNSET and type(found.default).__hash__ is None:
        raise ValueError(f"{cls.__qualname__}.{name} has a mutable default: use default_factory")
    return found


def _slotted(cls: type, fields: Mapping[str, DeclaredField], methods: Mapping[str, Any]) -> type:
    """The same class once more, with slots for its fields and more methods: to add these later takes several times as long."""
    inherited = {name for base in cls.__mro__[1:-1] for name in vars(base).get("__slots__", ())}
    body = {name: value for name, value in vars(cls).items() if name not in fields}
    body.update(methods)
    body["__slots__"] = tuple(name for name in fields if name not in inherited)
    for made_by_python in ("__dict__", "__weakref__"):
        body.pop(made_by_python, None)
    made = type(cls)(cls.__name__, cls.__bases__, body)
    made.__qualname__ = cls.__qualname__
    return made
