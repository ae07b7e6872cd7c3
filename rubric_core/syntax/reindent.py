"""Moves pieces of text to another column, and the lines of an entry within the file."""

import re
from collections.abc import Iterator

from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.edit import column_of
from rubric_core.syntax.tree import Entry, Node, Scalar
from rubric_core.text import Edit, Span

__all__ = ["begins_line", "dash_within", "move_entry_lines", "shift_lines"]

_BREAK = pattern(r"\r\n?|\n")
_DASH = pattern(r"(?<=[\r\n])[ ]*(-)(?= \S)")


def dash_within(text: str, node: Node) -> Span | None:
    """The dash of an item that was read as part of a multi-line plain scalar."""
    plain = isinstance(node, Scalar) and node.style == "plain"
    start, end = node.span
    if not plain or (text.find("\n", start, end) < 0 and text.find("\r", start, end) < 0):
        return None  # nearly every text has one line
    found = _DASH.search(text, start, end)
    return Span(*found.span(1)) if found else None


def shift_lines(piece: str, by: int) -> str | None:
    """`piece` with every line but the first moved by `by` columns; None if a line has too little indentation."""
    lines = re.split(r"(\r\n?|\n)", piece)
    made = [lines[0]]
    for number in range(2, len(lines), 2):
        line = lines[number]
        if line.strip() and by < 0 and not line.startswith(" " * -by):
            return None
        made += (lines[number - 1], (" " * by + line if by > 0 else line[-by:]) if line.strip() else line)
    return "".join(made)


def begins_line(text: str, entry: Entry) -> bool:
    """Whether an entry is preceded only by blanks on its line."""
    start = entry.key.whole.start
    return not text[start - column_of(text, start) : start].strip(" ")


def move_entry_lines(text: str, entry: Entry, by: int) -> Iterator[Edit]:
    """Move the lines of an entry that begins its line by `by` columns, up to an item that its text has swallowed."""
    start, dash = entry.key.whole.start - column_of(text, entry.key.whole.start), dash_within(text, entry.value)
    end = dash.start - column_of(text, dash.start) if dash is not None else entry.span.end
    starts = [start, *(start + m.end() for m in _BREAK.finditer(text[start:end]))]
    for at in (each for each in starts if each < end):
        blank = not text[at : at + 1].strip(" ") and not _line(text, at).strip()
        if not blank:
            yield Edit(Span(at, at), " " * by) if by > 0 else Edit(Span(at, at - by), "")


def _line(text: str, start: int) -> str:
    found = _BREAK.search(text, start)
    return text[start : found.start() if found else len(text)]
