"""The parts of a dataclass of `lazy_compilation`: its declared fields, and the methods generated from them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from reprlib import recursive_repr
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from dataclasses import Field

__all__ = [
    "COPY_METHODS",
    "FIELDS",
    "FROZEN_METHODS",
    "UNSET",
    "DeclaredField",
    "comparison",
    "declared_fields",
    "describe",
    "describe_frozen",
    "field_names",
    "show",
    "write_frozen_init",
    "write_init",
]

#: The attribute for the fields by their names, those of the bases first.
FIELDS = "__rubric_fields__"


class _Unset:
    """Stands for a default that a field does not have."""

    def __repr__(self) -> str:
        return "<factory>"  # as the standard library shows the default of a parameter that a factory makes


UNSET = _Unset()


class DeclaredField:
    """One field of a dataclass, as its class declares it."""

    __slots__ = ("compare", "default", "factory", "init", "kw_only", "metadata", "name", "shown", "type")

    def __init__(
        self, default: object, factory: Callable[[], object] | None, init: bool, shown: bool, compare: bool
    ) -> None:
        self.default, self.factory, self.init, self.shown, self.compare = default, factory, init, shown, compare
        self.name, self.type, self.kw_only = "", cast("Any", None), False
        self.metadata: Mapping[Any, Any] | None = None

    @property
    def optional(self) -> bool:
        """Whether the field has a default."""
        return self.default is not UNSET or self.factory is not None


def field_names(kind: type) -> tuple[str, ...]:
    """The names of the fields of a dataclass, those of its bases first."""
    declared = declared_fields(kind)
    if declared is None:
        from dataclasses import fields  # noqa: PLC0415  # loads `inspect`, and a check needs none of it

        return tuple(each.name for each in fields(kind))
    return tuple(declared)


def declared_fields(kind: type) -> dict[str, DeclaredField] | None:
    """The fields of a dataclass of `lazy_compilation`, by name; None for any other class."""
    for base in kind.__mro__:
        if FIELDS in vars(base) or "__dataclass_fields__" in vars(base):
            found: dict[str, DeclaredField] | None = vars(base).get(FIELDS)
            return found
    return None


def write_init(cls: type, *, frozen: bool = False) -> None:
    """Give a class the `__init__` that its fields describe. Raises TypeError for a field without a default after one with."""
    fields = list(_fields(cls))
    names: dict[str, object] = {"_set": object.__setattr__}
    body = []
    for each in fields:
        value = _value(each, names, slotted="__slots__" in vars(cls))
        if value:
            body.append(_assignment(cls, each.name, value, names) if frozen else f"self.{each.name}={value}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    taken = [each for each in fields if each.init]
    by_name = [_parameter(each) for each in taken if each.kw_only]
    parameters = [_parameter(each) for each in taken if not each.kw_only] + (["*", *by_name] if by_name else [])
    _check_order(cls, [each for each in taken if not each.kw_only])
    exec(f"def __init__({', '.join(['self', *parameters])}):\n " + "\n ".join(body or ["pass"]), names)  # noqa: S102  # made of names of fields
    init = cast("Any", names["__init__"])
    init.__annotations__ = {**{each.name: each.type for each in taken}, "return": None}
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__module__ = cls.__module__
    cls.__init__ = init  # type: ignore[misc]


def write_frozen_init(cls: type) -> None:
    """Give a frozen class the `__init__` that its fields describe."""
    write_init(cls, frozen=True)


def _parameter(each: DeclaredField) -> str:
    return f"{each.name}=_default_{each.name}" if each.optional else each.name


def _check_order(cls: type, taken: Sequence[DeclaredField]) -> None:
    seen = ""
    for each in taken:
        if seen and not each.optional:
            raise TypeError(
                f"non-default argument {each.name!r} of {cls.__qualname__} follows default argument {seen!r}"
            )
        seen = seen or (each.name if each.optional else "")


def _value(each: DeclaredField, names: dict[str, object], *, slotted: bool) -> str:
    """The expression for the value of a field; empty where its class has it. What it refers to is added to `names`."""
    default = f"_default_{each.name}"
    names[default] = each.default
    if each.factory is None:
        return each.name if each.init else default if slotted and each.default is not UNSET else ""
    names[f"_make_{each.name}"] = each.factory
    made = f"_make_{each.name}()"
    return f"{made} if {each.name} is {default} else {each.name}" if each.init else made


def _assignment(cls: type, name: str, value: str, names: dict[str, object]) -> str:
    """The statement that sets a field of a frozen instance. Its slot does that in half the time of `object.__setattr__`."""
    slot = getattr(cls, name, None)
    if isinstance(slot, MemberDescriptorType):
        names[f"_set_{name}"] = slot.__set__
        return f"_set_{name}(self, {value})"
    return f"_set(self, {name!r}, {value})"


def describe(cls: type, *, frozen: bool = False) -> None:
    """The metadata of a class for `dataclasses`, generated from a temporary class with the same fields."""
    import dataclasses  # noqa: PLC0415  # loads `inspect`, and a check needs none of it

    def standard(each: DeclaredField) -> "Field[Any]":
        given: Any = {"metadata": each.metadata} | ({} if each.default is UNSET else {"default": each.default})
        given |= {"default_factory": each.factory} if each.factory is not None else {}
        found: Field[Any] = dataclasses.field(
            init=each.init, repr=each.shown, compare=each.compare, kw_only=each.kw_only, **given
        )
        return found

    twin = dataclasses.make_dataclass(
        cls.__name__,
        [(each.name, each.type, standard(each)) for each in _fields(cls)],
        namespace={"__doc__": cls.__doc__},  # one without would be given its signature, which takes longer
        init=False,
        repr=False,
        frozen=frozen,
    )
    for name in ("__dataclass_fields__", "__dataclass_params__"):
        setattr(cls, name, vars(twin)[name])


def describe_frozen(cls: type) -> None:
    """See `describe`, for a frozen class."""
    describe(cls, frozen=True)


def _fields(cls: type) -> Iterator[DeclaredField]:
    declared: dict[str, DeclaredField] = getattr(cls, FIELDS)
    return iter(declared.values())


@recursive_repr()
def show(self: Any) -> str:
    """The `__repr__` of a dataclass: its name and the fields that are shown."""
    shown = (f"{f.name}={getattr(self, f.name)!r}" for f in _fields(type(self)) if f.shown)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def comparison(fields: Iterable[DeclaredField], frozen: bool) -> dict[str, Any]:
    """The methods that compare two instances by their fields; a hash too if they are frozen."""
    names = [f.name for f in fields if f.compare]
    values: Callable[[object], object] = attrgetter(*names) if len(names) > 1 else _few(names)

    def equal(self: object, other: object) -> bool:
        return values(self) == values(other) if type(other) is type(self) else NotImplemented

    def hashed(self: object) -> int:
        return hash(values(self))

    return {"__eq__": equal, "__hash__": hashed if frozen else None}


def _few(names: list[str]) -> Callable[[object], tuple[object, ...]]:
    """Like `attrgetter` with two or more names."""
    return lambda self: tuple(getattr(self, name) for name in names)


def _is_refused(self: object, name: str) -> bool:
    """Whether an attribute of a frozen instance is protected: all in its class, and the fields in a subclass."""
    return FIELDS in vars(type(self)) or name in getattr(type(self), FIELDS)


def _set(self: Any, name: str, value: object) -> None:
    if _is_refused(self, name):
        raise _frozen(f"cannot assign to field {name!r}")
    object.__setattr__(self, name, value)


def _delete(self: Any, name: str) -> None:
    if _is_refused(self, name):
        raise _frozen(f"cannot delete field {name!r}")
    object.__delattr__(self, name)


def _frozen(message: str) -> AttributeError:
    from dataclasses import FrozenInstanceError  # noqa: PLC0415  # as in `describe`

    return FrozenInstanceError(message)


def _state(self: Any) -> list[object]:
    return [getattr(self, f.name) for f in _fields(type(self))]


def _restore(self: Any, state: list[object]) -> None:
    for f, value in zip(_fields(type(self)), state, strict=True):
        object.__setattr__(self, f.name, value)


FROZEN_METHODS = {"__setattr__": _set, "__delattr__": _delete}
#: With slots and without a `__setattr__`, copies and pickles need a way in.
COPY_METHODS = {"__getstate__": _state, "__setstate__": _restore}
