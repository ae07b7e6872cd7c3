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

#: A JSON reference to a top-level key.
_POINTER = pattern(r"\$ref[\"']?[ \t]{0,9}:[ \t]{0,9}[\"']?#/([^/\"'\s,}]{1,200})")
Found = tuple[Rule[Any], Finding]


class BlockFindings(NamedTuple):
    """The findings of one block in order, at offsets of the block."""

    findings: tuple[Found, ...]
    links: BlockReferences
    #: The selected findings, and the line break of the text.
    shown: object
    every: tuple[Diagnostic, ...]
    wanted: tuple[Diagnostic, ...]


NO_FINDINGS: frozenset[tuple[str, str]] = frozenset()
NOT_LISTED = BlockFindings((), NO_LINKS, None, (), ())


class BlockState:
    """The analysis of one block: its tree, and its meaning in the context named by `key`."""

    __slots__ = (
        "borrows", "deferred", "findings", "ignores", "judged", "kept", "key", "layout", "linked", "linked_at", "links", "listed", "merged", "own_targets", "pointers", "problems", "shapes",
        "signs", "told", "tree", "unused", "version",
    )  # fmt: skip

    def __init__(self, text: str, tree: SyntaxTree, item_keys: frozenset[str], *, frame: bool) -> None:
        self.tree = tree
        #: For invalid YAML: the errors in its tree, and those that only the dialect's engine reports.
        self.problems = tree.problems
        self.ignores = ignores_in(text, self.tree, item_keys if frame else None)
        self.signs = signs_of(self.tree.root, text, frame=frame, mappings=tree.mappings)
        #: The identity of its anchors, and of the anchors that these were made from (see `Anchors`).
        self.version: tuple[tuple[object, ...], object] | None = None
        #: Names of anchors that are used here and defined elsewhere.
        aliases = self.tree.aliases
        self.borrows = (frozenset(a.name for a in aliases if a.target is None) if aliases else None) or NO_NAMES
        #: The top-level keys that `$ref` refers to from here.
        self.pointers = frozenset(_POINTER.findall(text)) if "$ref" in text else NO_NAMES
        self.key: object = None
        self.shapes: tuple[Shape, ...] = ()
        #: Blocks that are kept for references only, and those of them without a reference.
        self.kept: tuple[Shape, ...] = ()
        self.unused: tuple[Span, ...] = ()
        self.findings: tuple[Found, ...] = ()
        #: The codes and messages of findings that are reported in blocks above, where they are written, and recur here.
        self.told: frozenset[tuple[str, str]] = NO_FINDINGS
        #: Shapes that were checked where they are written, so that references to them are not checked again.
        self.judged: frozenset[object] = NO_NAMES
        #: The entries of its mappings with anchors, including those from merge keys, by the id of the mapping.
        self.merged: Mapping[int, MergedMapping] = {}
        #: Unknown types, unless a program with that name exists.
        self.deferred: tuple[UnknownType, ...] = ()
        #: References to other files, resolved in the context named by `linked`.
        self.links = NO_LINKS
        self.linked: object = None
        #: The version of the project at that time.
        self.linked_at = 0
        #: All findings, and the selected ones, in the order of the text, with their inputs.
        self.listed = NOT_LISTED
        #: The target names that it defines.
        self.own_targets = NO_NAMES
        #: Cached formatting of its text.
        self.layout: object = None

    def again(self) -> "BlockState":
        """The same block, to be analyzed again; earlier analyses keep their results."""
        fresh = copy(self)
        fresh.key = None
        return fresh


def origin_of(each: Issue | Shape) -> object:
    """A key that is equal for all findings of one class about one place in the text; None if unknown."""
    entry = getattr(each, "entry", None)
    node = entry.key if entry is not None else getattr(each, "node", None)
    return None if node is None else (type(each), id(node))


def signs_in(states: Iterable[BlockState]) -> Sign:
    """The signs of the dialect in some blocks."""
    # As numbers: a union of flags per block would take longer than the rest of a keystroke.
    return Sign(reduce(or_, {state.signs for state in states}, 0))


class Frame:
    """The text around the cases, joined so that it can be parsed as one, with a mapping of offsets."""

    def __init__(self, document: Document) -> None:
        pieces = [b for b in (document.blocks[0], document.blocks[-1]) if not b.key]
        self.head = pieces[0].text
        tail = pieces[1].text if len(pieces) > 1 and len(document.blocks) > 1 else ""
        self.shift = len(document) - len(self.head) - len(tail)
        self.item_key = document.blocks[1].key if len(document.blocks) > 1 else ""
        self.block = pieces[0] if not tail else Block(self.head + tail, FRAME)
        #: Problems of the text after the cases that depend on the column of the cases; at offsets of that text.
        self.seam = dedented_items(tail, document.column)

    def read_alike(self, other: "Frame") -> bool:
        """Whether its text is parsed like that of another frame."""
        return self.block.text == other.block.text and self.seam == other.seam

    def tree(self, read: SyntaxTree) -> SyntaxTree:
        """The tree of its text, with errors at the seam."""
        if self.seam is None:
            return read
        problems = sorted((*read.problems, self.seam.moved(len(self.head))), key=lambda p: p.span)
        return SyntaxTree(read.root, tuple(problems), read.anchors, read.aliases)

    def outer(self, span: Span) -> Span:
        """A span of the frame, in the whole text. A span that starts at the seam is after the cases."""
        behind = span.start > len(self.head) or (span.start == len(self.head) < span.end)
        return Span(
            span.start + self.shift if behind else span.start,
            span.end + self.shift if span.end > len(self.head) else span.end,
        )

    def inner(self, offset: int) -> int:
        """An offset of the whole text, in the frame."""
        return offset if offset <= len(self.head) else max(len(self.head), offset - self.shift)
