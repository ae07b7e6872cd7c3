"""The state of the blocks of a text: each case, and the text around the cases."""

from collections.abc import Iterable, Mapping
from copy import copy
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

from rubric_core.language.detect_dialect import Sign, signs_of
from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.block_references import NO_LINKS, NO_NAMES, BlockReferences
from rubric_core.loading.issues import Issue, UnknownType
from rubric_core.loading.read_entries import MergedMapping
from rubric_core.syntax.blocks import FRAME, Block, Document
from rubric_core.syntax.case_items import dedented_items
from rubric_core.syntax.tree import SyntaxTree
from rubric_core.text import Span
from rubric_core.validation.ignore_comments import ignores_in
from rubric_core.validation.rule import Diagnostic, Finding, Rule

__all__ = ["NOT_LISTED", "BlockFindings", "BlockState", "Found", "Frame", "origin_of", "signs_in"]

#: A reference of promptfoo to a key at the top.
_POINTER = pattern(r"\$ref[\"']?[ \t]{0,9}:[ \t]{0,9}[\"']?#/([^/\"'\s,}]{1,200})")
Found = tuple[Rule[Any], Finding]


class BlockFindings(NamedTuple):
    """The findings of one block in order, at its own offsets."""

    findings: tuple[Found, ...]
    links: BlockReferences
    #: Which findings are wanted, and the line break of the text.
    shown: object
    every: tuple[Diagnostic, ...]
    wanted: tuple[Diagnostic, ...]


NO_FINDINGS: frozenset[tuple[str, str]] = frozenset()
NOT_LISTED = BlockFindings((), NO_LINKS, None, (), ())


class BlockState:
    """What is known of one block: its tree, and what it means in the context named by `key`."""

    __slots__ = (
        "borrows", "deferred", "findings", "ignores", "judged", "kept", "key", "layout", "linked", "linked_at", "links", "listed", "merged", "own_targets", "pointers", "problems", "shapes",
        "signs", "told", "tree", "unused", "version",
    )  # fmt: skip

    def __init__(self, text: str, tree: SyntaxTree, item_keys: frozenset[str], *, frame: bool) -> None:
        self.tree = tree
        #: Where its text is no YAML: what its tree has, and what only the engine of the dialect refuses.
        self.problems = tree.problems
        self.ignores = ignores_in(text, self.tree, item_keys if frame else None)
        self.signs = signs_of(self.tree.root, text, frame=frame, mappings=tree.mappings)
        #: What stands for its anchors, and what stood for those that they were made of (see `Anchors`).
        self.version: tuple[tuple[object, ...], object] | None = None
        #: Names of anchors that are used here and defined elsewhere.
        aliases = self.tree.aliases
        self.borrows = (frozenset(a.name for a in aliases if a.target is None) if aliases else None) or NO_NAMES
        #: The keys at the top of the text that `$ref` leads to from here.
        self.pointers = frozenset(_POINTER.findall(text)) if "$ref" in text else NO_NAMES
        self.key: object = None
        self.shapes: tuple[Shape, ...] = ()
        #: What it has for references only, and of that the places to which none leads.
        self.kept: tuple[Shape, ...] = ()
        self.unused: tuple[Span, ...] = ()
        self.findings: tuple[Found, ...] = ()
        #: The codes and messages of what is reported in blocks above where it is written, and was found here again.
        self.told: frozenset[tuple[str, str]] = NO_FINDINGS
        #: What was judged where it stands, so that a reference to it is not judged again.
        self.judged: frozenset[object] = NO_NAMES
        #: The entries of its mappings that have anchors, those of merge keys among them, by the id of the mapping.
        self.merged: Mapping[int, MergedMapping] = {}
        #: Types that nobody has, unless a program of their name is there.
        self.deferred: tuple[UnknownType, ...] = ()
        #: What stands in other files, looked up in the context named by `linked`.
        self.links = NO_LINKS
        self.linked: object = None
        #: The version of the project at that time.
        self.linked_at = 0
        #: Its findings as they are listed, every one and those that are wanted, with what they were made from.
        self.listed = NOT_LISTED
        #: The names that it gives to targets.
        self.own_targets = NO_NAMES
        #: What formatting keeps of its text.
        self.layout: object = None

    def again(self) -> "BlockState":
        """The same block, to be understood again: what an earlier analysis made of it stays as it is."""
        fresh = copy(self)
        fresh.key = None
        return fresh


def origin_of(each: Issue | Shape) -> object:
    """The same for everything of one class that is about one place in the text, referred to or not; None where unknown."""
    entry = getattr(each, "entry", None)
    node = entry.key if entry is not None else getattr(each, "node", None)
    return None if node is None else (type(each), id(node))


def signs_in(states: Iterable[BlockState]) -> Sign:
    """What tells the dialect in some blocks."""
    # As numbers: a union of flags for each block would take longer than all the rest of a keystroke.
    return Sign(reduce(or_, {state.signs for state in states}, 0))


class Frame:
    """The text around the cases, put together so that it can be parsed as one, and the way back."""

    def __init__(self, document: Document) -> None:
        pieces = [b for b in (document.blocks[0], document.blocks[-1]) if not b.key]
        self.head = pieces[0].text
        tail = pieces[1].text if len(pieces) > 1 and len(document.blocks) > 1 else ""
        self.shift = len(document) - len(self.head) - len(tail)
        self.item_key = document.blocks[1].key if len(document.blocks) > 1 else ""
        self.block = pieces[0] if not tail else Block(self.head + tail, FRAME)
        #: Problems of the text after the cases that depend on the column of the cases; offsets are those of the tail.
        self.seam = dedented_items(tail, document.column)

    def read_alike(self, other: "Frame") -> bool:
        """Whether its text is read as that of another frame is."""
        return self.block.text == other.block.text and self.seam == other.seam

    def tree(self, read: SyntaxTree) -> SyntaxTree:
        """The tree of its text, with what is wrong at the seam."""
        if self.seam is None:
            return read
        problems = sorted((*read.problems, self.seam.moved(len(self.head))), key=lambda p: p.span)
        return SyntaxTree(read.root, tuple(problems), read.anchors, read.aliases)

    def outer(self, span: Span) -> Span:
        """A span of the frame in the whole text. What starts at the seam stands behind the cases."""
        behind = span.start > len(self.head) or (span.start == len(self.head) < span.end)
        return Span(
            span.start + self.shift if behind else span.start,
            span.end + self.shift if span.end > len(self.head) else span.end,
        )

    def inner(self, offset: int) -> int:
        """An offset of the whole text in the frame."""
        return offset if offset <= len(self.head) else max(len(self.head), offset - self.shift)
