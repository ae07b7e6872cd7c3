"""The state of the blocks of a text: each block, the text around the cases, and the anchors between them."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

from rubric_core.language.detect_dialect import Sign, signs_of
from rubric_core.language.shape import Shape
from rubric_core.loading.block_references import NO_LINKS, NO_NAMES, BlockReferences
from rubric_core.loading.issues import UnknownType
from rubric_core.loading.read_entries import MergedMapping
from rubric_core.loading.read_values import MOST_FOLLOWED
from rubric_core.syntax.blocks import FRAME, Block, Document
from rubric_core.syntax.case_items import dedented_items
from rubric_core.syntax.tree import Node, SyntaxTree
from rubric_core.text import Span
from rubric_core.validation.ignore_comments import ignores_in
from rubric_core.validation.rule import Diagnostic, Finding, Rule

__all__ = ["NOT_LISTED", "Anchors", "BlockFindings", "BlockState", "Found", "Frame", "signs_in"]

Found = tuple[Rule[Any], Finding]


class BlockFindings(NamedTuple):
    """The findings of one block in order, at its own offsets."""

    findings: tuple[Found, ...]
    links: BlockReferences
    #: Which findings are wanted, and the line break of the text.
    shown: object
    every: tuple[Diagnostic, ...]
    wanted: tuple[Diagnostic, ...]


NOT_LISTED = BlockFindings((), NO_LINKS, None, (), ())


class BlockState:
    """What is known of one block: its tree, and what it means in the context named by `key`."""

    __slots__ = (
        "borrows", "deferred", "findings", "ignores", "judged", "key", "layout", "linked", "linked_at", "links", "listed", "merged", "own_targets", "shapes", "signs", "tree", "version",
    )  # fmt: skip

    def __init__(self, text: str, tree: SyntaxTree, item_keys: frozenset[str], *, frame: bool) -> None:
        self.tree = tree
        self.ignores = ignores_in(text, self.tree, item_keys if frame else None)
        self.signs = signs_of(self.tree.root, text, frame=frame)
        #: What stands for its anchors, and what stood for those that they were made of (see `Anchors`).
        self.version: tuple[tuple[object, ...], object] | None = None
        #: Names of anchors that are used here and defined elsewhere.
        aliases = self.tree.aliases
        self.borrows = (frozenset(a.name for a in aliases if a.target is None) if aliases else None) or NO_NAMES
        self.key: object = None
        self.shapes: tuple[Shape, ...] = ()
        self.findings: tuple[Found, ...] = ()
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


class _Link(NamedTuple):
    #: The same object as long as nothing is different.
    version: object
    #: Whether something comes from around the cases.
    with_frame: bool


class Anchors:
    """Anchors across blocks: which node a name means in a block, and what that depends on."""

    def __init__(self, document: Document, states: Mapping[Block, BlockState], frame: Frame) -> None:
        self._document = document
        self._states = states
        self._frame = frame.block
        self._head = len(frame.head)
        self._definers: dict[str, list[int]] | None = None
        self._sources: dict[int, tuple[int, ...]] = {}
        self._directs: dict[int, tuple[int, ...]] = {}
        self._links: dict[int, _Link] = {}

    def _state(self, number: int) -> BlockState:
        return self._states[self._frame if number < 0 else self._document.blocks[number]]

    def _defined_in(self, name: str, before: int) -> int | None:
        """The last block before block number `before` that has the anchor; -1 is the frame, around all of them."""
        if self._definers is None:
            self._definers = {}
            for number, block in enumerate(self._document.blocks):
                if block.key:
                    for anchor in self._states[block].tree.anchors:
                        self._definers.setdefault(anchor, []).append(number)
        numbers = self._definers.get(name, [])
        at = bisect_left(numbers, before if before >= 0 else len(self._document.blocks)) - 1
        if at >= 0:
            return numbers[at]
        return -1 if before >= 0 and name in self._states[self._frame].tree.anchors else None

    def sources(self, number: int) -> tuple[int, ...]:
        """The numbers of the blocks whose anchors block number `number` uses, directly or not, nearest first.

        References are followed through as many blocks as a reading of them follows, so that a chain over thousands of
        cases stays in reach.
        """
        known = self._sources.get(number)
        if known is None:
            found: set[int] = set()
            level = [number]
            for _ in range(MOST_FOLLOWED + 1):
                level = [s for block in level for s in self.direct(block) if s not in found and s != number]
                if not level:
                    break
                found.update(level)
            known = self._sources[number] = tuple(sorted(found, reverse=True))
        return known

    def direct(self, number: int) -> tuple[int, ...]:
        """The numbers of the blocks whose anchors a block names."""
        known = self._directs.get(number)
        if known is None:
            sources = (self._defined_in(name, number) for name in self._borrowed(number))
            known = self._directs[number] = tuple(sorted({s for s in sources if s is not None and s != number}))
        return known

    def _borrowed(self, number: int) -> Iterable[str]:
        """Names that a block takes from elsewhere; in front of the cases there is nothing to take."""
        state = self._state(number)
        if number >= 0 or not state.borrows:
            return state.borrows
        return {a.name for a in state.tree.aliases if a.target is None and a.span.start >= self._head}

    def key(self, number: int) -> tuple[object, ...]:
        """Equal keys mean equal anchors, and equal names to choose from for one that is nowhere."""
        lost = (self._frame,) if number >= 0 and self._lost(number) else ()
        links = [self._link(source) for source in self.direct(number) if source >= 0]
        frame: tuple[object, ...] = ()
        if -1 in self.direct(number) or any(link.with_frame for link in links):
            behind = (self._link(source) for source in self.direct(-1) if source >= 0)
            frame = (self._frame, *(link.version for link in behind))
        return (*lost, *(link.version for link in links), *frame)

    def _link(self, number: int) -> "_Link":
        """What stands for a case and all that it takes from cases above, directly or not.

        It is kept with the block: a chain of cases is compared link by link, and not from each link to its end. What
        is around the cases may take anchors from them in turn, so that it is no link.
        """
        waiting = [number]
        while waiting:
            direct = [source for source in self.direct(waiting[-1]) if source >= 0]
            lacking = [source for source in direct if source not in self._links]
            if lacking:
                waiting += lacking
                continue
            current = waiting.pop()
            state, links = self._state(current), [self._links[source] for source in direct]
            above = tuple(link.version for link in links)
            if state.version is None or state.version[0] != above:
                state.version = above, object()
            with_frame = -1 in self.direct(current) or any(link.with_frame for link in links)
            self._links[current] = _Link(state.version[1], with_frame)
        return self._links[number]

    def merged(self, number: int) -> Mapping[int, MergedMapping]:
        """The entries of mappings in cases that a block refers to itself, as they were read there."""
        if not self._state(number).borrows:
            return {}
        return {
            node: e for source in self.direct(number) if source >= 0 for node, e in self._state(source).merged.items()
        }

    def blocks(self, number: int) -> tuple[Block, ...]:
        """The blocks whose anchors a block uses, directly or not."""
        return tuple(self._frame if n < 0 else self._document.blocks[n] for n in self.sources(number))

    def _lost(self, number: int) -> bool:
        return any(self._defined_in(name, number) is None for name in self._state(number).borrows)

    def names(self, number: int) -> tuple[str, ...]:
        """The anchors that a misspelt name can have meant: those of the block and those around the cases."""
        around = self._states[self._frame].tree.anchors if number >= 0 and self._lost(number) else ()
        return (*self._state(number).tree.anchors, *around)

    def visible(self, number: int) -> Mapping[str, Node]:
        """The anchors that can be used in a block, its own among them."""
        own = self._state(number)
        return {**own.tree.anchors, **self.outer(number)} if own.borrows else own.tree.anchors

    def outer(self, number: int) -> Mapping[str, Node]:
        """The anchors of other blocks that can be used in a block."""
        return _Outer(self, number) if self._state(number).borrows else {}

    def found(self, name: str, number: int) -> Node | None:
        """What a name of another block means in a block that uses it itself; None where it does not."""
        source = self._defined_in(name, number) if name in self._borrowed(number) else None
        return self._state(source).tree.anchors[name] if source is not None and source != number else None

    def every(self, number: int) -> dict[str, Node]:
        """The anchors of all blocks from which a block takes some; of equal names the nearest."""
        names: dict[str, Node] = {}
        for source in reversed(self.sources(number)):
            names.update(self._state(source).tree.anchors)
        return names

    def above(self, number: int) -> Iterator[tuple[str, Node, Block]]:
        """The anchors of a block, of those above it and around the cases, with the block of each; the nearest first."""
        for each in range(number, -1, -1):
            block = self._document.blocks[each]
            if block.key:
                yield from ((name, node, block) for name, node in reversed(self._state(each).tree.anchors.items()))
        yield from ((name, node, self._frame) for name, node in self._state(-1).tree.anchors.items())


class _Outer(Mapping[str, Node]):
    """The anchors of other blocks; those that a block does not name itself are put together when one is asked for."""

    def __init__(self, anchors: Anchors, number: int) -> None:
        self._anchors = anchors
        self._number = number
        self._every: dict[str, Node] | None = None

    def _all(self) -> dict[str, Node]:
        if self._every is None:
            self._every = self._anchors.every(self._number)
        return self._every

    def __getitem__(self, name: str) -> Node:
        found = self._anchors.found(name, self._number)
        return found if found is not None else self._all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())
