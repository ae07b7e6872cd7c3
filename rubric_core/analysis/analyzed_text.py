"""What a family may read of a text."""

from collections.abc import Mapping
from typing import Protocol

from rubric_core.analysis.block_state import BlockState, Frame
from rubric_core.language.dialect import Dialect
from rubric_core.language.file_kinds import FileKind
from rubric_core.language.model import Suite
from rubric_core.language.shape import Shape
from rubric_core.syntax.blocks import Block, Document
from rubric_core.syntax.tree import Node

__all__ = ["AnalyzedText"]


class AnalyzedText(Protocol):
    """An analysis as the parts of families see it that work on one text: its blocks, and nothing of other files.

    What such a part computes is kept until a block changes, so that it may depend on nothing else.
    """

    @property
    def kind(self) -> FileKind:
        """The kind of the file."""

    @property
    def dialect(self) -> Dialect:
        """The dialect of the text."""

    @property
    def document(self) -> Document:
        """The text, cut into blocks."""

    @property
    def states(self) -> Mapping[Block, BlockState]:
        """The state of each block."""

    @property
    def frame(self) -> Frame:
        """The text around the cases."""

    @property
    def settings(self) -> Shape | None:
        """The content around the cases."""

    @property
    def suite(self) -> Suite | None:
        """The same if it is a suite."""

    @property
    def case_file(self) -> str:
        """The name of a case file; empty for a suite."""

    @property
    def own_targets(self) -> frozenset[str]:
        """The target names that the text defines."""

    def anchors(self, block: int) -> Mapping[str, Node]:
        """The anchors that block number `block` can refer to (-1: the frame)."""
