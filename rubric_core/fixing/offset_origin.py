"""Maps offsets after edits back to the text before them."""

from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from rubric_core.text import Edit

__all__ = ["OffsetOrigin", "OriginFinder"]


class OffsetOrigin(NamedTuple):
    """The origin of an offset: the offset in the old text, and the edit that wrote the text there, if any."""

    offset: int
    edit: Edit | None


class OriginFinder:
    """Maps offsets of the new text to their origins."""

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
        """The origin of the character at `offset`."""
        at = bisect_right(self._starts, offset) - 1
        while at >= 0 and self._starts[at] == self._ends[at]:  # a pure deletion wrote nothing
            if self._starts[at] <= offset:
                break
            at -= 1
        if at < 0:
            return OffsetOrigin(offset, None)
        edit = self._edits[at]
        if offset < self._ends[at]:
            return OffsetOrigin(edit.span.start, edit)
        return OffsetOrigin(offset - self._ends[at] + edit.span.end, None)
