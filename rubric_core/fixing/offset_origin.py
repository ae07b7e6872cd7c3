"""Maps offsets after edits back to the text before them."""

from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from rubric_core.text import Edit

__all__ = ["OffsetOrigin", "OriginFinder"]


class OffsetOrigin(NamedTuple):
    """Where something comes from: an offset of the text before, and the edit that wrote it, if one did."""

    offset: int
    edit: Edit | None


class OriginFinder:
    """Finds where offsets of the new text come from."""

    def __init__(self, edits: Iterable[Edit]) -> None:
        self._edits = sorted(edits, key=lambda e: e.span)
        self._starts: list[int] = []
        self._ends: list[int] = []
        by = 0
        for edit in self._edits:
            self._starts.append(edit.span.start + by)
            by += len(edit.new_text) - (edit.span.end - edit.span.start)
            self._ends.append(edit.span.end + by)

    def origin(self, offset: int) -> OffsetOrigin:
        """Where the character at `offset` comes from."""
        at = bisect_right(self._starts, offset) - 1
        while at >= 0 and self._starts[at] == self._ends[at]:  # what only takes away wrote nothing
            if self._starts[at] <= offset:
                break
            at -= 1
        if at < 0:
            return OffsetOrigin(offset, None)
        edit = self._edits[at]
        if offset < self._ends[at]:
            return OffsetOrigin(edit.span.start, edit)
        return OffsetOrigin(offset - self._ends[at] + edit.span.end, None)
