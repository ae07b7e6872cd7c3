"""What a value may be. A kind is data; lowering, completion, hover and the JSON Schema each read it.

Kinds are not tried one by one: a union is decided by the node (`NodeUnion`) or by the `type` key beside it (`Tagged`),
so that every issue has one reason.
"""

from typing import Any, Generic, Literal, TypeVar

from rubric_core.lazy_compilation import dataclass

__all__ = [
    "Anything",
    "Boolean",
    "Choice",
    "Integer",
    "Kind",
    "ListOf",
    "MapOf",
    "NodeUnion",
    "Number",
    "Ranges",
    "Text",
    "usual",
]

T_co = TypeVar("T_co", covariant=True)


class Kind(Generic[T_co]):
    """A set of values; the type parameter is the Python type of a valid value."""

    __slots__ = ()

    def words(self) -> str:
        """The expected value, with its article: "a number from 0 to 1"."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Text(Kind[str]):
    """A string."""

    #: Whether a string of nothing but white space is a value.
    blank: bool = False
    #: Whether white space alone is a value, although an empty string is not.
    spaces: bool = False
    #: What the string refers to, for completion, links and rename: "target", "case", "file", "member" …
    refers_to: str = ""
    #: What the names of the files that it refers to end in; any file where this is empty.
    endings: tuple[str, ...] = ()
    #: Whether that file is only looked for beside the file that names it, and in no folder above.
    beside: bool = False

    def words(self) -> str:
        return "a string" if self.blank else "a non-empty string"


def _bounds(low: float | None, high: float | None, above: float | None) -> str:
    if above is not None:
        return f" above {above:g}" + (f" and up to {high:g}" if high is not None else "")
    if low is not None and high is not None:
        return f" from {low:g} to {high:g}"
    return f" of at least {low:g}" if low is not None else f" up to {high:g}" if high is not None else ""


@dataclass(frozen=True, slots=True)
class Number(Kind[float]):
    """A finite number; bounds are inclusive, `above` is exclusive."""

    at_least: float | None = None
    at_most: float | None = None
    above: float | None = None
    #: Whether a value outside of the bounds is reported by a rule of its own, which is more specific.
    judged_by_rule: bool = False
    #: The unit of a duration: seconds or milliseconds.
    unit: Literal["", "s", "ms"] = ""

    def words(self) -> str:
        return "a number" + _bounds(self.at_least, self.at_most, self.above)


@dataclass(frozen=True, slots=True)
class Integer(Kind[int]):
    """A whole number; bounds are inclusive."""

    at_least: int | None = None
    at_most: int | None = None
    judged_by_rule: bool = False

    def words(self) -> str:
        return "a whole number" + _bounds(self.at_least, self.at_most, None)


@dataclass(frozen=True, slots=True)
class Boolean(Kind[bool]):
    """`true` or `false`."""

    def words(self) -> str:
        return "true or false"


@dataclass(frozen=True, slots=True)
class Choice(Kind[str]):
    """One of a few words, each with its meaning."""

    options: tuple[tuple[str, str], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The words themselves."""
        return tuple(name for name, _ in self.options)

    def only(self, *names: str) -> "Choice":
        """The same choice with fewer words, for a dialect that does not know the others."""
        return Choice(tuple(option for option in self.options if option[0] in names))

    def words(self) -> str:
        return "one of " + ", ".join(self.names)


@dataclass(frozen=True, slots=True)
class Anything(Kind[Any]):
    """Any YAML value; nothing in it is checked."""

    #: What it usually is: what completion and hover say inside it.
    usually: Kind[Any] | None = None

    def words(self) -> str:
        return "any value"


@dataclass(frozen=True, slots=True)
class ListOf(Kind[list[Any]]):
    """A list whose items are all of one kind."""

    item: Kind[Any]
    #: Whether a list without items is a value.
    empty: bool = True

    def words(self) -> str:
        return f"a {'' if self.empty else 'non-empty '}list" + (" of strings" if isinstance(self.item, Text) else "")


@dataclass(frozen=True, slots=True)
class MapOf(Kind[dict[str, Any]]):
    """A mapping with keys of the author's choice."""

    value: Kind[Any]
    #: What it usually is: what completion and hover say inside it.
    usually: Kind[Any] | None = None

    def words(self) -> str:
        return "a mapping"


class Ranges(Kind[Any]):
    """`score_ranges`: a list of bands or a map from lower bounds to texts."""

    __slots__ = ()

    def words(self) -> str:
        return "a list of bands or a map from each band's lowest score to its text"


@dataclass(frozen=True, slots=True)
class NodeUnion(Kind[Any]):
    """A union decided by the node: a scalar of some type, a mapping, or a list."""

    text: Kind[Any] | None = None
    number: Kind[Any] | None = None
    boolean: Kind[Any] | None = None
    mapping: Kind[Any] | None = None
    sequence: Kind[Any] | None = None

    @property
    def branches(self) -> tuple[Kind[Any], ...]:
        """The kinds that are possible at all."""
        every = (self.text, self.number, self.boolean, self.mapping, self.sequence)
        return tuple(kind for kind in every if kind is not None)

    def words(self) -> str:
        plain = ("a string", "a number", "a boolean", "a mapping", "a list")
        kinds = zip(plain, (self.text, self.number, self.boolean, self.mapping, self.sequence), strict=True)
        return " or ".join(
            words if isinstance(kind, Anything) else kind.words() for words, kind in kinds if kind is not None
        )


def usual(kind: Kind[Any] | None) -> Kind[Any] | None:
    """What a value of a kind usually is: the kind itself, unless nothing in it is checked."""
    return kind.usually or kind if isinstance(kind, Anything | MapOf) else kind
