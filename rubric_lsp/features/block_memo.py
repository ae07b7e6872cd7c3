"""Per-block results of a whole document, computed once for each block."""

from collections.abc import Callable, Iterator
from typing import Generic, Protocol, TypeVar

from rubric_core.analysis import Analysis, LocalText
from rubric_core.language.shape import Shape
from rubric_core.syntax.tree import SyntaxTree
from rubric_core.text import Span

__all__ = ["BlockMemo", "BlockPlace", "blocks_of", "line_in_document"]

T = TypeVar("T")


class BlockPlace(Protocol):
    """A block of a document: its number, and the mapping of its offsets to those of the whole text."""

    @property
    def number(self) -> int:
        """The number of the block; -1 for the text around the cases."""

    @property
    def in_frame(self) -> bool:
        """Whether this is the text around the cases."""

    def outer(self, span: Span) -> Span:
        """A span of the block, in the whole text."""


def blocks_of(analysis: Analysis) -> Iterator[LocalText]:
    """Every block of a document in the order of the text; the text around the cases comes first, in one piece."""
    first = analysis.local(0)
    if first.number < 0:  # a case file may begin with one
        yield first
    document = analysis.document
    for number, block in enumerate(document.blocks):
        if block.key and len(block.text):
            yield analysis.local(document.start(number))


class BlockMemo(Generic[T]):
    """The results of a function for each block of one document, kept from version to version.

    Args:
        look: The function of one block; its results have offsets relative to the block.
    """

    def __init__(self, look: Callable[[LocalText], T]) -> None:
        self._look = look
        self._known: dict[SyntaxTree, tuple[tuple[Shape, ...], T]] = {}

    def of(self, analysis: Analysis) -> list[tuple[LocalText, T]]:
        """The results for every block; only new blocks are computed."""
        found: list[tuple[LocalText, T]] = []
        kept: dict[SyntaxTree, tuple[tuple[Shape, ...], T]] = {}
        for local in blocks_of(analysis):
            known = self._known.get(local.tree)
            # Another dialect makes other shapes from the same tree.
            if known is None or known[0] is not local.shapes:
                known = (local.shapes, self._look(local))
            kept[local.tree] = known
            found.append((local, known[1]))
        self._known = kept
        return found


def line_in_document(local: LocalText, line: int) -> int:
    """The number in the whole text of a line of a block."""
    document = local.analysis.document
    if local.number >= 0:
        return document.first_line(local.number) + line
    # The text around the cases is in two pieces: above the cases, and below them.
    above = document.blocks[0].line_breaks
    below = len(document.blocks) - 1
    return line if line < above or below == 0 else document.first_line(below) + line - above
