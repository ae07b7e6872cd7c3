"""YAML anchors across blocks: a case may refer to a case above it, and to the text around the cases."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from rubric_core.analysis.block_state import BlockState, Frame
from rubric_core.loading.read_entries import MergedMapping
from rubric_core.loading.read_values import MOST_FOLLOWED
from rubric_core.syntax.blocks import Block, Document
from rubric_core.syntax.tree import Node

__all__ = ["Anchors"]


class _Link(NamedTuple):
    #: The same object as long as nothing has changed.
    version: object
    #: Whether an anchor is defined around the cases.
    with_frame: bool


class Anchors:
    """Anchors across blocks: the node of a name in a block, and its dependencies."""

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
        """The last block before block number `before` that defines the anchor; -1 is the frame, around all blocks."""
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

        References are followed through as many blocks as reading them does, so that a chain over thousands of cases is
        supported.
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
        """The numbers of the blocks whose anchors a block uses directly."""
        known = self._directs.get(number)
        if known is None:
            sources = (self._defined_in(name, number) for name in self._borrowed(number))
            known = self._directs[number] = tuple(sorted({s for s in sources if s is not None and s != number}))
        return known

    def _borrowed(self, number: int) -> Iterable[str]:
        """Names that a block uses from elsewhere; before the cases there are none."""
        state = self._state(number)
        if number >= 0 or not state.borrows:
            return state.borrows
        return {a.name for a in state.tree.aliases if a.target is None and a.span.start >= self._head}

    def key(self, number: int) -> tuple[object, ...]:
        """Equal keys mean equal anchors, and equal suggestions for an unknown one."""
        lost = (self._frame,) if number >= 0 and self._lost(number) else ()
        links = [self._link(source) for source in self.direct(number) if source >= 0]
        frame: tuple[object, ...] = ()
        if -1 in self.direct(number) or any(link.with_frame for link in links):
            behind = (self._link(source) for source in self.direct(-1) if source >= 0)
            frame = (self._frame, *(link.version for link in behind))
        return (*lost, *(link.version for link in links), *frame)

    def _link(self, number: int) -> "_Link":
        """The identity of a case and of everything that it uses from cases above, directly or not.

        It is kept with the block: a chain of cases is compared link by link, and not from each link to its end. The
        frame is no link, as it may in turn use anchors of the cases.
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
            # What is said of a name that is nowhere depends on the frame, and those who refer to it repeat nothing of it.
            lost = (self._frame,) if self._lost(current) else ()
            above = (*lost, *(link.version for link in links))
            if state.version is None or state.version[0] != above:
                state.version = above, object()
            with_frame = -1 in self.direct(current) or any(link.with_frame for link in links)
            self._links[current] = _Link(state.version[1], with_frame)
        return self._links[number]

    def merged(self, number: int) -> Mapping[int, MergedMapping]:
        """The entries of mappings in cases that a block refers to directly, as they were read there."""
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
        """The candidates for a misspelt anchor: those of the block and those around the cases."""
        around = self._states[self._frame].tree.anchors if number >= 0 and self._lost(number) else ()
        return (*self._state(number).tree.anchors, *around)

    def visible(self, number: int) -> Mapping[str, Node]:
        """The anchors that a block can use, including its own."""
        own = self._state(number)
        return {**own.tree.anchors, **self.outer(number)} if own.borrows else own.tree.anchors

    def outer(self, number: int) -> Mapping[str, Node]:
        """The anchors of other blocks that can be used in a block."""
        return _Outer(self, number) if self._state(number).borrows else {}

    def found(self, name: str, number: int) -> Node | None:
        """The node of another block's anchor in a block that uses it directly; None if it does not."""
        source = self._defined_in(name, number) if name in self._borrowed(number) else None
        return self._state(source).tree.anchors[name] if source is not None and source != number else None

    def every(self, number: int) -> dict[str, Node]:
        """The anchors of all blocks whose anchors a block uses; of equal names, the nearest."""
        names: dict[str, Node] = {}
        for source in reversed(self.sources(number)):
            names.update(self._state(source).tree.anchors)
        return names

    def above(self, number: int) -> Iterator[tuple[str, Node, Block]]:
        """The anchors of a block, of those above it and around the cases, each with its block; the nearest first."""
        for each in range(number, -1, -1):
            block = self._document.blocks[each]
            if block.key:
                yield from ((name, node, block) for name, node in reversed(self._state(each).tree.anchors.items()))
        yield from ((name, node, self._frame) for name, node in self._state(-1).tree.anchors.items())


class _Outer(Mapping[str, Node]):
    """The anchors of other blocks; those that a block does not use directly are collected on first access."""

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
