"""Issues with keys: unknown, of another dialect, duplicate, or missing."""

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
    """A key that no dialect has at this place."""

    name: str
    entry: Entry
    shape: type[Shape]
    #: The key that was probably meant: a current spelling that is not written yet.
    meant: str | None
    #: Its mapping.
    node: Node | None = None
    #: The sibling key under which it would have a meaning.
    inside: str = ""
    #: Whether `meant` is required and missing.
    needed: bool = False
    #: The shape that has the key.
    owner: Shape | None = None
    #: Whether it repeats what the whole file is, as `workspace:` in the file of a workspace does.
    wraps: bool = False

    @property
    def hides(self) -> Span | None:
        return self.entry.span if self.node is not None else EVERYTHING  # the list of cases may be below it


@dataclass(frozen=True, slots=True, kw_only=True)
class RenamedKey(Issue):
    """A deprecated key of this dialect."""

    spelling: Spelling
    entry: Entry
    owner: Shape
    #: The current spelling, if there is one.
    current: str | None
    #: The field that is already written with another spelling, so that a rename would make a duplicate.
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
        cut_off = isinstance(value, Scalar) and value.empty  # the list of cases is not examined together with its key
        return EVERYTHING if cut_off else self.entry.span


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictingKeys(Issue):
    """Two spellings of one field; the value of one is used, and the other one is reported."""

    #: The place of the used one.
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
    #: The mapping with both.
    node: Mapping
    #: Where a dash would make it the start of the next item, if it looks like that.
    dash: Span | None = None

    @property
    def hides(self) -> Span | None:
        return self.node.whole if self.dash is not None else self.entry.span


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingKey(Issue):
    """A required key that is missing."""

    owner: Shape
    node: Node
    key: Key[object]
    name: str
    #: Alternative keys.
    alternatives: tuple[str, ...] = ()
    #: A suggested value that depends on neighbouring keys.
    suggestion: str = ""

    @property
    def hides(self) -> Span | None:
        return self.node.whole if self.key.field == type(self.owner).tag else None


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeKey(Issue):
    """A merge key that the releases of this dialect do not support."""

    #: The merge key in its mapping, and the entries that it merges.
    entry: Entry
    node: Mapping
    merged: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitItem(Issue):
    """A dash that splits one item in two."""

    shape: type[Shape]
