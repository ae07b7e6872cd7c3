"""Shapes and keys: how a class in `model` declares a part of the language once, for everything that reads it."""

from collections.abc import Collection, Mapping
from typing import Any, ClassVar, Generic, Literal, NamedTuple, TypeAlias, TypeVar, cast, overload

from rubric_core.language.value_kinds import Kind
from rubric_core.syntax.tree import Node
from rubric_core.text import Span

__all__ = [
    "EXTENSION",
    "FieldPlace",
    "Key",
    "KeyMeaning",
    "Shape",
    "Skeleton",
    "StandsFor",
    "as_list",
    "children",
    "key",
]

#: The support of a key that AgentV does not know.
EXTENSION = "Rubric's own: AgentV ignores it."

#: What a shape is in every family of eval files: the text around the cases, a case, what cases have in common, one check of
#: an answer, a line of a rubric. Empty for anything else, and for what families do not have in common.
StandsFor: TypeAlias = Literal["", "whole", "case", "defaults", "check", "criterion"]

T = TypeVar("T")
S = TypeVar("S", bound="Shape")


class FieldPlace(NamedTuple):
    """The place of a field in the text."""

    key: Span
    value: Span
    node: Node
    #: The spelling in the text.
    name: str
    #: Whether it is behind an alias or merge key, so that the spans are those of the reference.
    borrowed: bool = False
    #: What the value refers to, when it is an alias.
    meant: Node | None = None


class Skeleton(NamedTuple):
    """A whole new shape, for an editor to insert."""

    #: What it is in one word.
    name: str
    #: How it begins.
    head: str
    #: Its lines, with tab stops as in snippets.
    lines: tuple[str, ...]


class KeyMeaning(NamedTuple):
    """What an unknown key means: the block that it stands under, if any, and its name there; empty for the same name."""

    meant: str
    inside: str = ""


class Key(Generic[T]):
    """One key of a shape: its kind, default, bounds, documentation and example. A class attribute of the shape."""

    __slots__ = (
        "default",
        "doc",
        "example",
        "extension",
        "field",
        "group",
        "kind",
        "name",
        "required",
        "shown_default",
    )

    def __init__(
        self,
        kind: Kind[Any],
        doc: str,
        name: str,
        default: T,
        shown_default: str,
        required: bool,
        example: str,
        group: str,
        extension: bool = False,
    ) -> None:
        self.kind = kind
        self.doc = doc
        self.field = ""
        self.name = name
        self.default = default
        self.shown_default = shown_default
        self.required = required
        self.example = example
        #: Keys of one group are alternatives: any one of them satisfies `required`.
        self.group = group
        #: Whether it is rubric's own: AgentV knows no such key.
        self.extension = extension

    def taking(self, kind: Kind[Any], *, doc: str = "", example: str = "") -> "Key[T]":
        """The same key with another kind, for a dialect in which it takes something else."""
        made = Key(
            kind, doc or self.doc, self.name, self.default, self.shown_default, self.required, example or self.example,
            self.group, self.extension,
        )  # fmt: skip
        made.field = self.field
        return made

    def __set_name__(self, owner: type, field: str) -> None:
        self.field = field
        self.name = self.name or field

    # Not a data descriptor: a value that lowering stores on the instance wins over the default here.
    @overload
    def __get__(self, instance: None, owner: type) -> "Key[T]": ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> "Key[T] | T":
        return self if instance is None else self.default


@overload
def key(
    kind: Kind[T],
    doc: str,
    *,
    default: T,
    name: str = "",
    shown: str = "",
    required: bool = False,
    example: str = "",
    group: str = "",
    extension: bool = False,
) -> Key[T]: ...
@overload
def key(
    kind: Kind[T],
    doc: str,
    *,
    name: str = "",
    shown: str = "",
    required: bool = False,
    example: str = "",
    group: str = "",
    extension: bool = False,
) -> Key[T | None]: ...
def key(
    kind: Kind[Any],
    doc: str,
    *,
    default: Any = None,
    name: str = "",
    shown: str = "",
    required: bool = False,
    example: str = "",
    group: str = "",
    extension: bool = False,
) -> Key[Any]:
    """Declare a key.

    Args:
        kind: What its value may be.
        doc: One or two sentences for hover, completion and the reference.
        default: The value when the key is not written.
        name: The spelling in the newest dialect that has the key, when it differs from the attribute.
        shown: The default in words, when it is computed ("rubric-1, rubric-2, …").
        required: Whether the shape means nothing without it, unless a dialect says otherwise.
        example: A value as it would be written.
        group: Keys of one group are alternatives to one another.
        extension: Whether it is rubric's own, which AgentV ignores.
    """
    return Key(kind, doc, name, default, shown, required, example, group, extension)


class Shape:
    """A mapping of the language, lowered. Fields hold plain Python values; `places` says where they were written."""

    #: Every key by its attribute name, the ones of base classes first.
    keys: ClassVar[Mapping[str, Key[Any]]] = {}
    #: Those that the class itself declares.
    _own_keys: ClassVar[Mapping[str, Key[Any]]] = {}
    #: Whether the engine accepts any other key (metadata, configuration that is passed on …).
    open: ClassVar[bool] = False
    #: Whether an engine that is strict about keys refuses those that it does not know here.
    strict: ClassVar[bool] = False

    #: Whether a key that resembles a known one is reported even though any key is allowed.
    watched: ClassVar[bool] = False
    #: Keys that it may have besides its own, and about which nothing is said.
    tolerated: ClassVar[frozenset[str]] = frozenset()
    #: Whether an unknown key is the author's own if a reference of the file leads to it.
    has_referable_keys: ClassVar[bool] = False
    #: The fields that are blocks of settings, with their shapes: a key of these is often written one level too far out.
    #: None: those that suites and cases have.
    settings_blocks: ClassVar[Mapping[str, type["Shape"]] | None] = None
    #: Whether the key without a value means the same as no key.
    nullable: ClassVar[bool] = False
    #: What a key without a value leads to, if it is read as no key and yet reported.
    null_effect: ClassVar[str] = ""
    #: What a missing key leads to, if that is not obvious, and whether what is written is used nevertheless.
    lack_effect: ClassVar[str] = ""
    lack_is_survived: ClassVar[bool] = False
    #: Whether rules judge it by its own lines and by what all cases share, whatever else is in its case.
    is_judged_alone: ClassVar[bool] = False
    #: Whether `{name: {…}}` is short for `{id: name, …}`.
    keyed: ClassVar[bool] = False

    #: What it is in every family of eval files.
    stands_for: ClassVar[StandsFor] = ""
    #: The field with the name that people know it by; empty without one.
    named_by: ClassVar[str] = ""
    #: Whether it is made into AgentV's model to be run, so that what grades is no shape of the text.
    is_translated: ClassVar[bool] = False
    #: A new one, where that is the same in every dialect that has the shape.
    skeleton: ClassVar[Skeleton | None] = None

    #: The spelling of its type in the text; empty for a shape that no type selects.
    type_name: str = ""

    #: Attributes besides the keys that hold further shapes.
    parts: ClassVar[tuple[str, ...]] = ()
    #: The field that selects one of the shapes below this one.
    tag: ClassVar[str] = "type"
    #: Fields whose mapping is read as if its keys were in the shape itself.
    nested: ClassVar[tuple[str, ...]] = ()

    def __init__(self, span: Span, node: Node | None = None, **fields: Any) -> None:
        #: The span of the whole mapping in a message: its first line, or the item itself.
        self.span = span
        self.node = node
        self.places: dict[str, FieldPlace] = {}
        #: Fields that are written under a spelling which this dialect does not read.
        self.unread: dict[str, FieldPlace] = {}
        #: Whether the mapping is behind an alias, so that its spans are those of the reference.
        self.borrowed = False
        if fields:
            vars(self).update(fields)

    def __init_subclass__(cls) -> None:
        cls._own_keys = {name: value for name, value in vars(cls).items() if isinstance(value, Key)}
        keys: dict[str, Key[Any]] = {}
        for base in reversed(cls.__mro__):
            keys.update(vars(base).get("_own_keys", ()))
        cls.keys = keys

    @classmethod
    def takes_notes(cls, node: Node | None) -> bool:  # noqa: ARG003  # some ask for the keys beside it
        """Whether an unknown key in the mapping may be a note of the author, with which nothing is wrong."""
        return False

    @classmethod
    def chosen(cls, node: Node) -> type["Shape"]:  # noqa: ARG003  # some ask for a key
        """The shape that a mapping really has where this one is expected."""
        return cls

    @classmethod
    def drops(cls, name: str) -> bool:  # noqa: ARG003  # some know the key
        """Whether an unknown key is certainly lost, although any key is allowed."""
        return False

    @classmethod
    def meaning_of(cls, name: str, value: Node, around: Node | None, text: str) -> KeyMeaning | None:  # noqa: ARG003  # some know the key
        """What an unknown key was meant for, judging by its value; None if its spelling, or the place of its namesake, may tell.

        Args:
            name: The key.
            value: Its value.
            around: The mapping in which it stands.
            text: The text of the file.
        """
        return None

    @classmethod
    def block_of(cls, name: str) -> str:  # noqa: ARG003  # some know the key
        """The block that has a key of this name, if none of the `settings_blocks` has it; empty for none."""
        return ""

    @classmethod
    def may_be_filled_in(cls, tag: str) -> bool:  # noqa: ARG003  # some know what is filled in
        """Whether a template in the place of the tag may become a type."""
        return True

    @classmethod
    def title(cls) -> str:
        """The name of the shape, with its article: the beginning of its docstring."""
        line = (cls.__doc__ or cls.__name__).partition("\n")[0].rstrip(".")
        head = line.partition(":")[0]
        return head[:1].lower() + head[1:]

    def has(self, field: str) -> bool:
        """Whether the field is written in the text."""
        return field in self.places

    def at(self, field: str) -> Span:
        """The value of `field` in the text, or the span of the whole when it is not written."""
        place = self.places.get(field)
        return place.value if place else self.span

    def key_at(self, field: str) -> Span:
        """The key of `field` in the text, or the span of the whole when it is not written."""
        place = self.places.get(field)
        return place.key if place else self.span

    @property
    def cases_key(self) -> Span:
        """The key of the list of its cases, or the span of the whole if it has none."""
        return self.span

    @property
    def has_implicit_case(self) -> bool:
        """Whether a run of the cases around which it stands has one that is not listed."""
        return False

    @property
    def shared_parts(self) -> "list[Shape]":
        """What every case of it inherits: all shapes inside it, outer ones first."""
        return []

    def __repr__(self) -> str:
        fields = {k: v for k, v in vars(self).items() if k in self.keys}
        return f"{type(self).__name__}({fields})"


def as_list(value: object) -> list[object]:
    """The value of a field that takes one thing or a list of them: always the list, empty for a field that is not written."""
    return value if isinstance(value, list) else [] if value is None else [value]


def children(shape: Shape, leave_out: Collection[str] = ()) -> list[Shape]:
    """`shape` and every shape inside it, outer ones first, in the order of the catalogue, except those of some fields."""
    found: list[Shape] = []
    _collect(shape, found, leave_out)
    return found


def _collect(shape: Shape, found: list[Shape], leave_out: Collection[str] = ()) -> None:
    # Every shape of a text comes by here more than once: most values are plain, and are left at once.
    found.append(shape)
    fields = vars(shape)
    for field in shape.places:
        if field in leave_out:
            continue
        value = fields.get(field)
        if value.__class__ not in _PLAIN:
            _inside(value, found)
    for field in type(shape).parts:
        _inside(fields.get(field), found)


_PLAIN = frozenset({str, float, int, bool, type(None)})


def _inside(value: object, found: list[Shape]) -> None:
    if isinstance(value, Shape):
        _collect(value, found)
    elif isinstance(value, list):
        for item in cast("list[object]", value):
            if item.__class__ not in _PLAIN:
                _inside(item, found)
    elif isinstance(value, dict):
        for item in cast("dict[str, object]", value).values():
            _inside(item, found)
