"""The tree of a YAML text: its syntax with spans, without any interpretation."""

from bisect import bisect_left
from collections.abc import Iterator
from typing import Literal, NamedTuple

from rubric_core.lazy_compilation import dataclass
from rubric_core.syntax.scalars import ScalarValue, resolve, resolve_tagged
from rubric_core.text import Edit, Span

__all__ = [
    "BLOCK_STYLES",
    "QUOTED_STYLES",
    "Alias",
    "Entry",
    "Mapping",
    "Node",
    "Scalar",
    "Sequence",
    "Style",
    "SyntaxFix",
    "SyntaxProblem",
    "SyntaxTree",
    "mappings_in", "walk",
]  # fmt: skip

#: A hole is a value that could not be read; its text is reported as a problem. A cell is a text of a table.
Style = Literal["plain", "single", "double", "literal", "folded", "hole", "cell"]
BLOCK_STYLES: frozenset[Style] = frozenset({"literal", "folded"})
QUOTED_STYLES: frozenset[Style] = frozenset({"single", "double"})
#: A plain text that begins with one of these is a text, or one of the words that YAML has: `null`, `true`, `false`.
_FIRST_OF_TEXT = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_LONGEST_WORD = 5
#: Mappings up to this number of entries, which nearly all are, are searched linearly.
_FEW = 8


class Node:
    """A value in the text. `span` leaves out anchor and tag; `whole` has them."""

    __slots__ = ("anchor", "span", "tag", "whole")

    def __init__(self, span: Span, whole: Span, anchor: str | None, tag: str | None) -> None:
        self.span = span
        self.whole = whole
        self.anchor = anchor
        self.tag = tag


class Scalar(Node):
    """One scalar; `text` is its content with escapes and folding resolved."""

    __slots__ = ("style", "text")

    def __init__(self, span: Span, whole: Span, anchor: str | None, tag: str | None, text: str, style: Style) -> None:
        # Written out for speed: there are more scalars than all other nodes together.
        self.span = span
        self.whole = whole
        self.anchor = anchor
        self.tag = tag
        self.text = text
        self.style = style

    @property
    def value(self) -> ScalarValue:
        """The value by the YAML 1.2 core schema: without a tag, only plain scalars can be anything but a string."""
        text = self.text
        if self.tag is not None:
            return resolve_tagged(self.tag, text)
        if self.style != "plain":
            return text
        # Only a few of the words that `resolve` reads as another type are longer or shorter than that.
        if text[:1] in _FIRST_OF_TEXT and len(text) > _LONGEST_WORD:
            return text
        return resolve(text)

    @property
    def is_block(self) -> bool:
        """Whether it is a block scalar, written after `|` or `>`."""
        return self.style in BLOCK_STYLES

    @property
    def is_quoted(self) -> bool:
        """Whether it begins and ends with a quote."""
        return self.style in QUOTED_STYLES

    @property
    def empty(self) -> bool:
        """Whether the value is missing altogether, as in `key:`."""
        return self.style == "plain" and not self.text


class Entry:
    """One `key: value` of a mapping."""

    __slots__ = ("key", "value")

    def __init__(self, key: Node, value: Node) -> None:
        self.key = key
        self.value = value

    @property
    def name(self) -> str | None:
        """The key as text, also behind an alias in the same text, or None for a key that is no scalar."""
        key = self.key
        if isinstance(key, Alias):
            key = key.target if key.target is not None else key
        return key.text if isinstance(key, Scalar) else None

    @property
    def span(self) -> Span:
        """From the start of the key to the end of the value."""
        return Span(self.key.whole.start, max(self.key.whole.end, self.value.whole.end))


class Mapping(Node):
    """Entries in the order of the text; duplicates are kept."""

    __slots__ = ("_index", "entries", "flow")

    def __init__(self, span: Span, whole: Span, anchor: str | None, tag: str | None, flow: bool) -> None:
        # Written out for speed, as in `Scalar`.
        self.span = span
        self.whole = whole
        self.anchor = anchor
        self.tag = tag
        self.entries: list[Entry] = []
        self.flow = flow
        self._index: tuple[list[Entry], int, dict[str | None, Entry]] | None = None

    def get(self, name: str) -> Node | None:
        """The value of the first entry called `name`."""
        found = self.entry(name)
        return found.value if found is not None else None

    def entry(self, name: str) -> Entry | None:
        """The first entry called `name`."""
        if len(self.entries) > _FEW:
            return self._by_name().get(name)
        for entry in self.entries:
            key = entry.key
            if isinstance(key, Scalar) and key.text == name:
                return entry
        return None

    def position(self, entry: Entry) -> int | None:
        """The index of an entry; None for an entry of another mapping."""
        at = bisect_left(self.entries, entry.key.whole.start, key=lambda e: e.key.whole.start)
        if at < len(self.entries) and self.entries[at] is entry:
            return at
        return next((n for n, each in enumerate(self.entries) if each is entry), None)

    def _by_name(self) -> dict[str | None, Entry]:
        """The entries of a long mapping by name, built at the first lookup."""
        index = self._index
        if index is None or index[0] is not self.entries or index[1] != len(self.entries):
            first = {entry.name: entry for entry in reversed(self.entries)}
            index = self._index = self.entries, len(self.entries), first
        return index[2]


class Sequence(Node):
    """Items in the order of the text."""

    __slots__ = ("flow", "items")

    def __init__(self, span: Span, whole: Span, anchor: str | None, tag: str | None, flow: bool) -> None:
        self.span = span
        self.whole = whole
        self.anchor = anchor
        self.tag = tag
        self.items: list[Node] = []
        self.flow = flow

    def position(self, item: Node) -> int | None:
        """The index of an item; None for an item of another list."""
        at = bisect_left(self.items, item.whole.start, key=lambda i: i.whole.start)
        if at < len(self.items) and self.items[at] is item:
            return at
        return next((n for n, each in enumerate(self.items) if each is item), None)


class Alias(Node):
    """A reference `*name`."""

    __slots__ = ("name", "recursive", "target")

    def __init__(self, span: Span, name: str, target: Node | None, *, recursive: bool) -> None:
        super().__init__(span, span, None, None)
        self.name = name
        #: The node it refers to, when that precedes it in the same text.
        self.target = target
        #: Whether it is nested in the node it refers to.
        self.recursive = recursive


class SyntaxFix(NamedTuple):
    """Edits that turn the text into the repaired one. A safe fix has only one plausible meaning."""

    title: str
    edits: tuple[Edit, ...]
    safe: bool = False

    def moved(self, by: int) -> "SyntaxFix":
        """The same edits, shifted by `by` characters."""
        return self._replace(edits=tuple(Edit(e.span.moved(by), e.new_text) for e in self.edits))


@dataclass(frozen=True, slots=True)
class SyntaxProblem:
    """A place where the text is not valid YAML, with a message for its author."""

    kind: Literal["syntax", "nesting", "character", "documents", "size", "unread"]
    span: Span
    message: str
    mend: SyntaxFix | None = None

    def moved(self, by: int) -> "SyntaxProblem":
        """The same problem, shifted by `by` characters."""
        return SyntaxProblem(self.kind, self.span.moved(by), self.message, self.mend and self.mend.moved(by))


class SyntaxTree:
    """The result of a parse: always a tree, possibly with problems and without a root."""

    __slots__ = ("_mappings", "aliases", "anchors", "problems", "root")

    def __init__(
        self,
        root: Node | None,
        problems: tuple[SyntaxProblem, ...],
        anchors: dict[str, Node],
        aliases: list[Alias],
        mappings: list[Mapping] | None = None,
    ) -> None:
        self.root = root
        self.problems = problems
        self.anchors = anchors
        self.aliases = aliases
        self._mappings = mappings

    @property
    def mappings(self) -> list[Mapping]:
        """Every mapping in it, in no order: recorded by the parser, or else searched once."""
        if self._mappings is None:
            self._mappings = list(mappings_in(self.root))
        return self._mappings


def mappings_in(root: Node | None) -> Iterator[Mapping]:
    """The mappings of a tree, itself included, in no order; quicker than `walk`, since it steps over scalars."""
    waiting = [root] if root is not None else []
    while waiting:
        node = waiting.pop()
        if type(node) is Mapping:
            yield node
            waiting += [each.value for each in node.entries if type(each.value) is not Scalar]
            waiting += [each.key for each in node.entries if type(each.key) is not Scalar]
        elif type(node) is Sequence:
            waiting += [each for each in node.items if type(each) is not Scalar]


def walk(node: Node | None) -> Iterator[Node]:
    """Every node at and below `node`, in the order of the text; aliases are not followed."""
    stack = [node] if node is not None else []
    while stack:
        current = stack.pop()
        yield current
        if isinstance(current, Mapping):
            for entry in reversed(current.entries):
                stack += (entry.value, entry.key)
        elif isinstance(current, Sequence):
            stack.extend(reversed(current.items))
