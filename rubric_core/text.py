r"""Positions and edits: the only place that does arithmetic on text.

Offsets are indices into a Python string (code points), 0-based. Lines end only at ``\n``, ``\r\n`` or ``\r``, as in LSP
3.17: U+2028, NEL and form feed are ordinary characters of a line.
"""

from bisect import bisect_right
from collections.abc import Iterable
from itertools import pairwise
from typing import Literal, NamedTuple

from rubric_core.lazy_compilation import pattern

__all__ = [
    "Edit",
    "Encoding",
    "LineBuffer",
    "LineIndex",
    "Position",
    "Span",
    "TextRange",
    "apply_edits",
    "code_units",
    "smallest_edit",
]

Encoding = Literal["utf-8", "utf-16", "utf-32"]
_BREAK = pattern(r"\r\n?|\n")
#: Characters from the start of a line from which a column is counted on from the one before.
_FAR = 2_000


class Span(NamedTuple):
    """A half-open stretch of text: offsets ``start <= end``."""

    start: int
    end: int

    def moved(self, by: int) -> "Span":
        """The same span, `by` characters later."""
        return Span(self.start + by, self.end + by)

    def holds(self, other: "Span") -> bool:
        """Whether all of another stretch is in this one."""
        return self.start <= other.start and other.end <= self.end

    def covers(self, offset: int) -> bool:
        """Whether a cursor at `offset` touches the stretch; both ends count."""
        return self.start <= offset <= self.end


class Position(NamedTuple):
    """A 0-based line and a 0-based column counted in units of some `Encoding`."""

    line: int
    character: int

    def below(self, lines: int) -> "Position":
        """The same column, that many lines below."""
        return Position(self.line + lines, self.character)


class TextRange(NamedTuple):
    """Two positions, the second exclusive."""

    start: Position
    end: Position


class Edit(NamedTuple):
    """Replace the text of `span` by `new_text`."""

    span: Span
    new_text: str


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """`text` with all `edits` made at once; their spans refer to the text before any of them.

    Insertions at one offset keep their order. Raises ValueError when two edits overlap.
    """
    pieces: list[str] = []
    done = 0
    for edit in sorted(edits, key=lambda e: e.span):
        if edit.span.start < done:
            raise ValueError(f"edits overlap at offset {edit.span.start}")
        pieces += (text[done : edit.span.start], edit.new_text)
        done = edit.span.end
    pieces.append(text[done:])
    return "".join(pieces)


def smallest_edit(old: str, new: str) -> Edit:
    """The smallest single edit between two texts."""
    start = _common_prefix(old, new)
    end = min(
        _common_prefix(old[: start - 1 if start else None : -1], new[: start - 1 if start else None : -1]),
        len(old) - start,
        len(new) - start,
    )
    return Edit(Span(start, len(old) - end), new[start : len(new) - end])


def code_units(text: str, encoding: Encoding) -> int:
    """The length of `text` in units of `encoding`."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text) + sum(1 for c in text if c > "\uffff")


class LineIndex:
    """Translates between offsets and positions of one immutable text."""

    __slots__ = ("_counted", "_starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        #: Of the last place that is far along a line: encoding, start of the line, offset, column. From there the next one is counted.
        self._counted: tuple[Encoding, int, int, int] = ("utf-32", 0, 0, 0)
        self._starts = [0, *(m.end() for m in _BREAK.finditer(text))]

    @property
    def line_count(self) -> int:
        """Number of lines; a text that ends with a line break has an empty last line."""
        return len(self._starts)

    def line_start(self, line: int) -> int:
        """Offset of the first character of `line`, clamped to the text."""
        return self._starts[line] if 0 <= line < len(self._starts) else (0 if line < 0 else len(self.text))

    def line_of(self, offset: int) -> int:
        """The line that holds `offset`."""
        return bisect_right(self._starts, offset) - 1 if offset > 0 else 0

    def line_span(self, line: int) -> Span:
        """The characters of `line` without its line break."""
        start = self.line_start(line)
        end = self.line_start(line + 1)
        while end > start and self.text[end - 1] in "\r\n":
            end -= 1
        return Span(start, end)

    def position(self, offset: int, encoding: Encoding = "utf-16") -> Position:
        """The position of `offset`, which is clamped to the text."""
        offset = min(max(offset, 0), len(self.text))
        line = self.line_of(offset)
        start = self._starts[line]
        if encoding == "utf-32" or self.text.isascii():
            return Position(line, offset - start)
        if offset - start < _FAR:
            return Position(line, code_units(self.text[start:offset], encoding))
        *at, seen, column = self._counted
        if at != [encoding, start] or seen > offset:
            seen, column = start, 0
        column += code_units(self.text[seen:offset], encoding)
        self._counted = (encoding, start, offset, column)
        return Position(line, column)

    def offset(self, position: Position, encoding: Encoding = "utf-16") -> int:
        """The offset of `position`; a column past the end of its line is clamped to that end (LSP 3.17)."""
        line, column = position
        if line < 0:
            return 0
        if line >= len(self._starts):
            return len(self.text)
        start, end = self.line_span(line)
        if column <= 0:
            return start
        content = self.text[start:end]
        return start + _characters(content, column, encoding)

    def range(self, span: Span, encoding: Encoding = "utf-16") -> TextRange:
        """`span` as two positions."""
        return TextRange(self.position(span.start, encoding), self.position(span.end, encoding))


class LineBuffer:
    """A text that is changed many times in a row, kept as lines so that a change costs only what it touches."""

    def __init__(self, text: str) -> None:
        self._lines = _split(text)

    @property
    def text(self) -> str:
        """The current text."""
        return "".join(self._lines)

    def replace(self, at: TextRange | None, text: str, encoding: Encoding = "utf-16") -> None:
        """Replace a range of the current text, or everything; the ends may be reversed."""
        if at is None:
            self._lines = _split(text)
            return
        first = last = self._place(at.start, encoding)
        if at.end != at.start:
            first, last = sorted((first, self._place(at.end, encoding)))
        new = self._lines[first.line][: first.character] + text + self._lines[last.line][last.character :]
        start, end = first.line, last.line + 1
        # The two characters of a line break may come together at either end.
        if start > 0 and new.startswith("\n") and self._lines[start - 1].endswith("\r"):
            start, new = start - 1, self._lines[start - 1] + new
        if end < len(self._lines) and (not new.endswith(("\r", "\n")) or self._lines[end].startswith("\n")):
            new, end = new + self._lines[end], end + 1
        lines = _split(new)
        if end < len(self._lines) and not lines[-1]:
            lines.pop()
        self._lines[start:end] = lines

    def _place(self, position: Position, encoding: Encoding) -> Position:
        """A position counted in characters, clamped to its line and to the text."""
        if position.line >= len(self._lines):
            return Position(len(self._lines) - 1, len(self._lines[-1]))
        line = max(0, position.line)
        column = position.character if position.line >= 0 else 0
        return Position(line, _characters(self._lines[line].rstrip("\r\n"), max(0, column), encoding))


def _split(text: str) -> list[str]:
    """The lines of a text with their line breaks; after a final line break there is an empty line."""
    if "\r" not in text:
        *lines, last = text.split("\n")
        return [*(f"{line}\n" for line in lines), last]
    starts = [0, *(m.end() for m in _BREAK.finditer(text)), len(text)]
    return [text[a:b] for a, b in pairwise(starts)]


def _characters(content: str, units: int, encoding: Encoding) -> int:
    """The number of characters of `content` that fit into `units`; a position inside a character counts as before it."""
    if encoding == "utf-32" or content.isascii():
        return min(units, len(content))
    used = 0
    for count, char in enumerate(content):
        used += code_units(char, encoding)
        if used > units:
            return count
    return len(content)


def _common_prefix(a: str, b: str) -> int:
    """The length of the common prefix, by bisection, so that the comparisons run in C."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
