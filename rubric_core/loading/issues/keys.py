"""Issues with keys: unknown, of another dialect, twice, or missing."""

from rubric_core.language.dialect import Spelling
from rubric_core.language.shape import Key, Shape
from rubric_core.lazy_compilation import dataclass
from rubric_core.loading.issues.base import EVERYTHING, Issue
from rubric_core.syntax.tree import Entry, Mapping, Node, Scalar
from rubric_core.text import Span

__all__ = [
    "ConflictingKeys",
    "DuplicateKey",
    "ForeignKey",
    "MergeKey",
    "MissingKey",
    "RenamedKey",
    "SplitItem",
    "UnknownKey",
]


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
class MergeKey(Issue):
    """A merge key that the releases of this dialect do not know."""

    #: The merge key in its mapping, and what comes through it there.
    entry: Entry
    node: Mapping
    merged: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitItem(Issue):
    """A dash that cuts one item in two."""

    shape: type[Shape]
