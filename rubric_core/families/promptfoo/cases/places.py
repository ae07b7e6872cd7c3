"""Finds which of many nodes contains a place in the text."""

from bisect import bisect_right
from collections.abc import Sequence
from heapq import heappop, heappush

from rubric_core.syntax.tree import Node

__all__ = ["Places"]


class Places:
    """The places of some nodes of a text, which may contain one another."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        spans = sorted((each.whole.start, number, each.whole.end) for number, each in enumerate(nodes))
        #: Where the first of the nodes that contain a place changes, and its number from there on.
        self._bounds = sorted({bound for start, _, end in spans for bound in (start, end)})
        self._numbers: list[int | None] = []
        open_: list[tuple[int, int]] = []
        begun = 0
        for bound in self._bounds:
            while begun < len(spans) and spans[begun][0] <= bound:
                heappush(open_, spans[begun][1:])
                begun += 1
            while open_ and open_[0][1] <= bound:
                heappop(open_)
            self._numbers.append(open_[0][0] if open_ else None)

    def holding(self, place: int) -> int | None:
        """The number of the first of the nodes that contain a place; None if none does."""
        at = bisect_right(self._bounds, place) - 1
        return self._numbers[at] if at >= 0 else None
