"""Issues of lowering. An issue is plain data; the rule of its class gives it a code, a message and fixes."""

import sys
from typing import Any

from rubric_core.language.dialect import Spelling, TypeName
from rubric_core.language.file_kinds import FileKind
from rubric_core.language.shape import Key, Shape
from rubric_core.language.value_kinds import Kind
from rubric_core.lazy_compilation import dataclass
from rubric_core.syntax.tree import Entry, Mapping, Node, Scalar, SyntaxProblem
from rubric_core.text import Span

__all__ = [
    "EVERYTHING",
    "ConflictingKeys",
    "CutText",
    "DuplicateKey",
    "ForeignKey",
    "ForeignType",
    "Issue",
    "MergeKey",
    "MissingKey",
    "NotASuite",
    "NotYaml",
    "OutOfRange",
    "RenamedKey",
    "RenamedType",
    "SplitItem",
    "StrayEntry",
    "StraySign",
    "UnknownAlias",
    "UnknownKey",
    "UnknownTag",
    "UnknownType",
    "WrongRoot",
    "WrongType",
]  # fmt: skip


#: The whole text, however long it is.
EVERYTHING = Span(0, sys.maxsize)


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """Something wrong at `span`. Borrowed issues stand behind an alias: the text at `span` is the reference."""

    span: Span
    borrowed: bool = False

    @property
    def hides(self) -> Span | None:
        """The part of the text that is not checked as long as the issue is there; None where it hides nothing."""
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class NotYaml(Issue):
    """The text is no YAML here; the parser went on behind it."""

    problem: SyntaxProblem

    @property
    def hides(self) -> Span | None:
        return self.span


@dataclass(frozen=True, slots=True, kw_only=True)
class NotASuite(Issue):
    """The file has no mapping in which a suite could be."""

    found: str

    @property
    def hides(self) -> Span | None:
        return EVERYTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongRoot(Issue):
    """The file as a whole is nothing that a file around a suite can be."""

    found: str
    kind: FileKind

    @property
    def hides(self) -> Span | None:
        return EVERYTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class StrayEntry(Issue):
    """A string in the place of cases, or among them, that may be no path to cases."""

    node: Scalar
    in_list: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownKey(Issue):
    """A key that no dialect has in this place."""

    name: str
    entry: Entry
    shape: type[Shape]
    #: The key that was probably meant: a current spelling that does not exist yet.
    meant: str | None
    #: The mapping that it stands in.
    node: Node | None = None
    #: The key beside it under which it would mean something.
    inside: str = ""
    #: Whether `meant` has to be there, and is nowhere else.
    needed: bool = False
    #: The shape that has the key.
    owner: Shape | None = None

    @property
    def hides(self) -> Span | None:
        return self.entry.span if self.node is not None else EVERYTHING  # the list of cases may be below it


@dataclass(frozen=True, slots=True, kw_only=True)
class RenamedKey(Issue):
    """A key that this dialect knows and does not want any more."""

    spelling: Spelling
    entry: Entry
    owner: Shape
    #: The spelling to use, when there is one.
    current: str | None
    #: The field that is written with another spelling already, so that a rename would make a duplicate.
    taken: bool

    @property
    def hides(self) -> Span | None:
        if self.spelling.fate.read:
            return None
        return EVERYTHING if self.spelling.field == "cases" else self.entry.span


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignKey(Issue):
    """A key that only other dialects have."""

    name: str
    entry: Entry
    owner: Shape
    dialects: tuple[str, ...]
    current: str | None
    taken: bool

    @property
    def hides(self) -> Span | None:
        value = self.entry.value
        cut_off = isinstance(value, Scalar) and value.empty  # the list of cases is not looked at together with its key
        return EVERYTHING if cut_off else self.entry.span


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictingKeys(Issue):
    """Two spellings of one field; the value of one is used, and the other one is pointed at."""

    #: Where the one that is used stands.
    first: Span
    name: str
    used: str
    owner: Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicateKey(Issue):
    """A key that the mapping has already."""

    name: str
    first: Span
    entry: Entry
    #: The mapping that has both.
    node: Mapping
    #: Where a dash would make it the start of the next item, when it reads like that.
    dash: Span | None = None

    @property
    def hides(self) -> Span | None:
        return self.node.whole if self.dash is not None else self.entry.span


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingKey(Issue):
    """A key that has to be there."""

    owner: Shape
    node: Node
    key: Key[object]
    name: str
    #: Other keys that would do as well.
    alternatives: tuple[str, ...] = ()
    #: What could be written, where that depends on what stands beside it.
    suggestion: str = ""

    @property
    def hides(self) -> Span | None:
        return self.node.whole if self.key.field == type(self.owner).tag else None


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongType(Issue):
    """A value of the wrong type."""

    #: The key, or `key[]` for an item of its list.
    name: str
    kind: Kind[object]
    found: str
    node: Node
    #: Whether nothing stands there, which means the same as not writing the key.
    idle: bool = False
    #: The key whose value it is, where it is not an item of one, and the shape that has the key.
    key: Any = None  # a Key, which type checkers would take for a descriptor
    owner: Shape | None = None

    @property
    def hides(self) -> Span | None:
        return self.node.whole


@dataclass(frozen=True, slots=True, kw_only=True)
class OutOfRange(Issue):
    """A number or word of the right type that is none of the possible ones."""

    #: The key, or `key[]` for an item of its list.
    name: str
    kind: Kind[object]
    value: object
    node: Node
    #: The key whose value it is, where it is not an item of one, and the shape that has the key.
    key: Any = None  # a Key, which type checkers would take for a descriptor
    owner: Shape | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownType(Issue):
    """An evaluator type, or a kind of provider, that nobody has."""

    node: Node
    #: The mapping that has the type.
    mapping: Mapping
    name: str
    known: tuple[str, ...]
    #: Whether a program of that name could stand for it.
    custom: bool
    #: What it is a type of.
    base: type[Shape]

    @property
    def hides(self) -> Span | None:
        return self.mapping.whole


@dataclass(frozen=True, slots=True, kw_only=True)
class RenamedType(Issue):
    """An evaluator type that this dialect knows and does not want any more."""

    node: Node
    #: The mapping that has the type.
    mapping: Mapping
    type_name: TypeName
    current: str | None

    @property
    def hides(self) -> Span | None:
        return None if self.type_name.fate.read else self.mapping.whole


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignType(Issue):
    """An evaluator type that only other dialects have."""

    node: Node
    #: The mapping that has the type.
    mapping: Mapping
    name: str
    dialects: tuple[str, ...]
    current: str | None
    #: What it is a type of there.
    shape: type[Shape]

    @property
    def hides(self) -> Span | None:
        return self.mapping.whole


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownAlias(Issue):
    """A reference to an anchor that is not defined before it, that contains itself, or that leads on and on."""

    name: str
    recursive: bool
    #: Through how many other references it was followed, where that was too far to go on; else 0.
    through: int = 0
    #: The anchors that there are.
    known: tuple[str, ...] = ()
    #: Whether a text could stand in its place.
    text: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeKey(Issue):
    """A merge key that the releases of this dialect do not know."""

    #: The merge key in its mapping, and what comes through it there.
    entry: Entry
    node: Mapping
    merged: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownTag(Issue):
    """A tag such as `!include`, which means nothing to the engine."""

    node: Node
    tag: str
    #: Whether it stands where a path begins with `file://`.
    path: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CutText(Issue):
    """A `#` with a number behind a plain text: a comment to YAML, and most likely a part of the text to its author."""

    #: The text in front of it.
    node: Scalar
    #: What is cut off, with its `#`.
    rest: str
    #: The key, or `key[]` for an item of its list, of which nothing is left.
    name: str = ""
    #: Whether that means the same as not writing the key.
    idle: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StraySign(Issue):
    """A quote, comma or semicolon at the end of a plain text, or a dash in it: part of the text to YAML, a slip to its author."""

    #: The text with it.
    node: Scalar
    #: The text without it, and without its counterpart at the other end; nothing for a dash.
    meant: str
    #: Whether the sign is a quote that was never opened.
    quote: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitItem(Issue):
    """A dash that cuts one item in two."""

    shape: type[Shape]
