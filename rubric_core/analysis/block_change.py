"""The difference between two versions of a text: the blocks between their common prefix and suffix."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from rubric_core.analysis.finding_list import same_findings
from rubric_core.syntax.blocks import Block, Document

if TYPE_CHECKING:
    from rubric_core.analysis.block_state import BlockState, Frame
    from rubric_core.analysis.result import Analysis

__all__ = ["BlockChange"]

T = TypeVar("T")


class BlockChange(NamedTuple):
    """An edit in terms of blocks. Facts about all blocks stay valid as long as the edited blocks contribute the same."""

    #: How many identical blocks both versions begin with, ...
    start: int
    #: ... and end with.
    end: int
    #: The blocks that may be gone: those in between in the earlier version, and the text around the cases.
    removed: tuple[Block, ...]
    #: The blocks that may be new.
    added: tuple[Block, ...]

    @classmethod
    def between(cls, before: "Analysis", document: Document, frame: "Frame") -> "BlockChange":
        """The change from an analysis to another version of its text, whose frame may be the same."""
        old, new = before.document.blocks, document.blocks
        start, end = same_findings(old, new)
        removed, added = _keyed(old, start, end), _keyed(new, start, end)
        if frame.block is not before.frame.block:
            removed, added = [before.frame.block, *removed], [frame.block, *added]
        return cls(start, end, tuple(removed), tuple(added))

    def alike(
        self,
        before: "Mapping[Block, BlockState]",
        now: "Mapping[Block, BlockState]",
        share: "Callable[[BlockState], T]",
    ) -> bool:
        """Whether the blocks contribute the same to the whole."""
        return [share(before[block]) for block in self.removed] == [share(now[block]) for block in self.added]


def _keyed(blocks: Sequence[Block], start: int, end: int) -> list[Block]:
    """The items of the list among the blocks between."""
    return [block for block in blocks[start : len(blocks) - end] if block.key]
