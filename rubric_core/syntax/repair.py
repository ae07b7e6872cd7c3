"""Repairs: small changes that let a broken text parse, so that one bad line does not hide the rest of the case."""

from collections.abc import Callable, Iterator, Sequence

from rubric_core.lazy_compilation import dataclass, pattern
from rubric_core.syntax.events import Failure

__all__ = ["BACKSLASH", "COLON", "HOLE", "LINE", "QUOTE", "RESERVED", "STAND_INS", "TAB", "Maker", "Repair"]

#: A line with its break, by LSP's idea of a line.
LINE = pattern(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+\Z")
#: Stands for a colon inside a value.
COLON = "\ue0fe"
#: Stands for a character that cannot begin a plain value.
RESERVED = "\ue0fd"
#: Stands for a quote inside a quoted value.
QUOTE = "\ue0fc"
#: Stands for a backslash that begins no escape.
BACKSLASH = "\ue0fb"
#: Stands for a value that could not be read.
HOLE = "\ue0fa"
#: Stands for a tab with which the text of a block begins.
TAB = "\ue0f9"
STAND_INS = COLON + RESERVED + QUOTE + BACKSLASH + HOLE + TAB


@dataclass(frozen=True, slots=True)
class Repair:
    """Line number `line` (0-based) is read as `text`."""

    line: int
    text: str
    kind: str
    #: The number of characters inserted after column `at`; negative for removed indentation.
    inserted: int = 0
    at: int = 0
    #: The column of the mistake in the line, when it is known.
    column: int | None = None
    #: Lines that move with this one: line number, text, number of characters inserted at the start.
    others: tuple[tuple[int, str, int], ...] = ()


#: Returns the repairs of one kind for the line with that number.
Maker = Callable[[Sequence[str], int, Failure], Iterator[Repair]]
