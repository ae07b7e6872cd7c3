"""What a repair is: a small change that lets a broken text parse, so that one bad line does not hide the rest of the case."""

import re
from collections.abc import Callable, Iterator, Sequence

from rubric_core.lazy_compilation import dataclass
from rubric_core.syntax.events import Failure

__all__ = ["BACKSLASH", "COLON", "HOLE", "LINE", "QUOTE", "RESERVED", "STAND_INS", "TAB", "Maker", "Repair"]

#: A line with its break, by LSP's idea of a line.
LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+\Z")
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
    #: Characters that were put in behind column `at`; negative for characters of the indentation that were taken out.
    inserted: int = 0
    at: int = 0
    #: Column in the line of what is wrong, when it is known.
    column: int | None = None
    #: Lines that move with this one: number, text, characters put in at their start.
    others: tuple[tuple[int, str, int], ...] = ()


#: Gives the repairs of one kind for the line with that number.
Maker = Callable[[Sequence[str], int, Failure], Iterator[Repair]]
