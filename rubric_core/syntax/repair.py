"""Repairs: small changes that let a broken text parse, so that one bad line does not hide the rest of the case."""

from collections.abc import Callable, Iterator, Sequence

from rubric_core.lazy_compilation import dataclass, pattern
from rubric_core.syntax.failure import Failure

__all__ = ["LINE", "Maker", "Repair"]

#: A line with its break, by LSP's idea of a line.
LINE = pattern(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+\Z")


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
