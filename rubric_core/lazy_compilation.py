"""Compiled at first use, not when the module loads: the methods of dataclasses, and regular expressions.

A check of one file loads some 120 dataclasses and calls few of their methods: each makes six, from source, a third of what
rubric's own modules take to load. `dataclass` here is that of the standard library, with the same fields, options and
methods, but `__init__` is written when the first instance is made, and the others need no source of their own. Classes that
inherit from one another have to take it from the same place: the standard library says so where one does not.

`pattern` is for the regular expressions of a module: a check of one file needs a third of those that it would compile as its
modules load, which took an eighth of its time. At first use it keeps the method, so that later calls cost nothing more.
"""

import dataclasses
import re
from collections.abc import Callable
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

__all__ = ["Pending", "dataclass", "pattern"]


class Pending:
    """An attribute that a class does not have yet: to look it up makes it.

    Args:
        name: Its name.
        cls: The class.
        make: Puts the attribute in the place of this one.
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
        found = getattr(re.compile(*self._source), name)  # `re` keeps what it has compiled
        setattr(self, name, found)
        return found


if TYPE_CHECKING:
    from dataclasses import dataclass
    from re import compile as pattern
else:
    pattern = _Pattern

    def dataclass(
        cls: type | None = None, /, *, frozen: bool = False, slots: bool = False, kw_only: bool = False
    ) -> Any:
        """`dataclasses.dataclass`, with methods that are compiled at their first use."""

        def decorated(cls: type) -> type:
            own = {
                name for name in vars(cls) if name != "__hash__" or cls.__hash__
            }  # Python's None beside an `__eq__` is nobody's
            cls.__doc__ = cls.__doc__ or cls.__name__  # see `_write_init`
            made = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)(cls)
            made.__init__ = Pending("__init__", made, _write_frozen_init if frozen else _write_init)
            methods = {"__repr__": _repr, **_comparing(made, frozen), **(_FROZEN if frozen else {})}
            for name, method in {**methods, **(_COPIED if frozen and slots else {})}.items():
                if name not in own:
                    setattr(made, name, method)
            return made

        return decorated if cls is None else decorated(cls)


def _write_init(cls: type, *, frozen: bool = False) -> None:
    """The standard library writes it: for a throw-away class with the same fields."""
    same = [
        (f.name, f.type, dataclasses.field(default=f.default, default_factory=f.default_factory, init=f.init, kw_only=f.kw_only))
        for f in dataclasses.fields(cls)
    ]  # fmt: skip
    # One without a docstring would be given its signature as one, which takes longer than everything else here.
    after: dict[str, object] = {"__doc__": cls.__doc__ or cls.__name__}
    if hasattr(cls, "__post_init__"):
        after["__post_init__"] = None
    twin = dataclasses.make_dataclass(
        cls.__name__, same, namespace=after, repr=False, eq=False, frozen=frozen, slots="__slots__" in vars(cls)
    )
    init = vars(twin)["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    cls.__init__ = init  # type: ignore[misc]


def _write_frozen_init(cls: type) -> None:
    _write_init(cls, frozen=True)


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (f"{f.name}={getattr(self, f.name)!r}" for f in dataclasses.fields(self) if f.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _comparing(cls: type, frozen: bool) -> dict[str, Any]:
    names = [f.name for f in dataclasses.fields(cls) if f.compare]
    values: Callable[[object], object] = attrgetter(*names) if len(names) > 1 else _few(names)

    def equal(self: object, other: object) -> bool:
        return values(self) == values(other) if type(other) is type(self) else NotImplemented

    def hashed(self: object) -> int:
        return hash(values(self))

    return {"__eq__": equal, "__hash__": hashed if frozen else None}


def _few(names: list[str]) -> Callable[[object], tuple[object, ...]]:
    """What `attrgetter` gives for two names or more."""
    return lambda self: tuple(getattr(self, name) for name in names)


def _set(self: Any, name: str, value: object) -> None:
    if "__dataclass_fields__" in vars(type(self)) or name in self.__dataclass_fields__:
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
    object.__setattr__(self, name, value)


def _delete(self: Any, name: str) -> None:
    if "__dataclass_fields__" in vars(type(self)) or name in self.__dataclass_fields__:
        raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
    object.__delattr__(self, name)


def _state(self: Any) -> list[object]:
    return [getattr(self, f.name) for f in dataclasses.fields(self)]


def _restore(self: Any, state: list[object]) -> None:
    for f, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, f.name, value)


_FROZEN = {"__setattr__": _set, "__delattr__": _delete}
#: With slots and without a `__setattr__`, copies and pickles need a way in.
_COPIED = {"__getstate__": _state, "__setstate__": _restore}
