"""CSV: the cells of a text with their places."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from rubric_core.lazy_compilation import pattern
from rubric_core.text import Edit, Span

__all__ = ["Cell", "other_delimiter", "rows_of", "stays_in_cell"]

#: Words that mean the same with and without quotes around their cell, and what separates cells.
_WORDS = pattern(r"[\w .:/=!()-]+\Z")
_BREAKS = pattern(r"[,\"\r\n]")


class Cell(NamedTuple):
    """A cell: its text, and its span including quotes."""

    text: str
    span: Span
    #: Where the quote that opens it is not closed at its end: whether it is closed at all.
    quotes: Literal["", "loose", "open"] = ""

    @property
    def content(self) -> Span:
        """The cell without its quotes."""
        quotes = self.span.end - self.span.start - len(self.text) == 2  # one at each end
        return Span(self.span.start + quotes, self.span.end - quotes)


def other_delimiter(header: Sequence[Cell]) -> str:
    """What separates the columns of a table in place of commas; empty if commas do, or if there is one column."""
    name = header[0].text if len(header) == 1 and not header[0].quotes else ""
    return next((each for each in ";\t|" if each in name), "")


def rows_of(text: str, delimiter: str = ",", *, with_empty: bool = False) -> Iterator[list[Cell]]:
    """The rows of a CSV text, by default without empty lines. An unclosed quote extends to the end."""
    at = 1 if text.startswith("\ufeff") else 0
    ends = f"{delimiter}\r\n"
    row: list[Cell] = []
    while at < len(text) or row:
        cell, at = _cell(text, at, ends)
        row.append(cell)
        if at >= len(text) or text[at] != delimiter:
            if with_empty or len(row) > 1 or row[0].text.strip():
                yield row
            row = []
            at += 2 if text.startswith("\r\n", at) else 1
        else:
            at += 1


def _cell(text: str, start: int, ends: str) -> tuple[Cell, int]:
    """The cell at an offset, and its end, which is one of the characters `ends` or that of the text."""
    if not text.startswith('"', start):
        end = start
        while end < len(text) and text[end] not in ends:
            end += 1
        return Cell(text[start:end], Span(start, end)), end
    end = start + 1
    while end < len(text):
        if text[end] == '"':
            if not text.startswith('""', end):
                break
            end += 1
        end += 1
    inner = text[start + 1 : end].replace('""', '"')
    if end >= len(text):
        return Cell(inner, Span(start, len(text)), "open"), len(text)
    closed = end = end + 1
    while end < len(text) and text[end] not in ends:
        end += 1
    if end == closed:
        return Cell(inner, Span(start, end)), end
    # As parsers that are not strict read it: the quotes belong to the text.
    return Cell(f'"{inner}"{text[closed:end]}', Span(start, end), "loose"), end


def stays_in_cell(text: str, edits: Iterable[Edit]) -> bool:
    """Whether edits replace parts of cells by words that need no quotes; others were meant for YAML."""
    return all(_WORDS.match(each.new_text) and not _BREAKS.search(text[slice(*each.span)]) for each in edits)
