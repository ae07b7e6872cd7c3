"""What is known of the blocks of a text: each by itself, the text around the cases, and the anchors between them."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from typing import Any

from rubric_core.language.detect import signs_of
from rubric_core.language.shape import Shape
from rubric_core.loading.issues import UnknownType
from rubric_core.loading.links import NO_LINKS, NO_NAMES
from rubric_core.syntax.blocks import FRAME, Block, Document
from rubric_core.syntax.tree import Node, Tree
from rubric_core.text import Span
from rubric_core.validation.ignores import ignores_in
from rubric_core.validation.rule import (
    Finding,
    Rule,
)

__all__ = ["Anchors", "BlockState", "Found", "Frame"]

Found = tuple[Rule[Any], Finding]


class BlockState:
    """What is known of one block: its tree, and what it means in the context named by `key`."""

    __slots__ = (
        "borrows", "deferred", "findings", "ignores", "judged", "key", "linked", "linked_at", "links", "own_targets", "shapes", "signs", "tree",
    )  # fmt: skip

    def __init__(self, text: str, tree: Tree, item_keys: frozenset[str], *, frame: bool) -> None:
        self.tree = tree
        self.ignores = ignores_in(text, self.tree, item_keys if frame else None)
        self.signs = int(signs_of(self.tree.root, text, frame=frame))
        #: Names of anchors that are used here and defined elsewhere.
        self.borrows = frozenset(a.name for a in self.tree.aliases if a.target is None) or NO_NAMES
        self.key: object = None
        self.shapes: tuple[Shape, ...] = ()
        self.findings: tuple[Found, ...] = ()
        #: What was judged where it stands, so that a reference to it is not judged again.
        self.judged: frozenset[object] = NO_NAMES
        #: Types that nobody has, unless a program of their name is there.
        self.deferred: tuple[UnknownType, ...] = ()
        #: What stands in other files, looked up in the context named by `linked`.
        self.links = NO_LINKS
        self.linked: object = None
        #: The version of the project at that time.
        self.linked_at = 0
        #: The names that it gives to targets.
        self.own_targets = NO_NAMES

    def again(self) -> "BlockState":
        """The same block, to be understood anew: what an earlier analysis made of it stays as it is."""
        fresh = copy(self)
        fresh.key = None
        return fresh


class Frame:
    """The text around the cases, put together so that it can be parsed as one, and the way back."""

    def __init__(self, document: Document) -> None:
        pieces = [b for b in (document.blocks[0], document.blocks[-1]) if not b.key]
        self.head = pieces[0].text
        tail = pieces[1].text if len(pieces) > 1 and len(document.blocks) > 1 else ""
        self.shift = len(document) - len(self.head) - len(tail)
        self.item_key = document.blocks[1].key if len(document.blocks) > 1 else ""
        self.block = pieces[0] if not tail else Block(self.head + tail, FRAME)

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


class Anchors:
    """Anchors across blocks: which node a name means in a block, and what that depends on."""

    def __init__(self, document: Document, states: Mapping[Block, BlockState], frame: Frame) -> None:
        self._document = document
        self._states = states
        self._frame = frame.block
        self._head = len(frame.head)
        self._definers: dict[str, list[int]] | None = None

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
        """The numbers of all blocks whose anchors block number `number` uses, directly or not, nearest first."""
        found: list[int] = []
        waiting = [number]
        while waiting:
            current = waiting.pop()
            for name in self._borrowed(current):
                source = self._defined_in(name, current)
                if source is not None and source not in found and source != number:
                    found.append(source)
                    waiting.append(source)
        return tuple(sorted(found, reverse=True))

    def _borrowed(self, number: int) -> Iterable[str]:
        """Names that a block takes from elsewhere; in front of the cases there is nothing to take."""
        state = self._state(number)
        if number >= 0 or not state.borrows:
            return state.borrows
        return {a.name for a in state.tree.aliases if a.target is None and a.span.start >= self._head}

    def key(self, number: int) -> tuple[Block, ...]:
        """Equal keys mean equal anchors, and equal names to choose from for one that is nowhere."""
        lost = (self._frame,) if number >= 0 and self._lost(number) else ()
        return lost + tuple(self._frame if n < 0 else self._document.blocks[n] for n in self.sources(number))

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
        names: dict[str, Node] = {}
        if self._state(number).borrows:
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
