"""Computes the column of every line of a block."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from rubric_core.formatting.style import IndentStyle, dash_of
from rubric_core.syntax.edit import column_of
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence, SyntaxTree
from rubric_core.text import Edit, LineIndex, Span

__all__ = ["UnusualError", "line_edits"]

_INDICATED = re.compile(r"[|>][-+]?\d")
_BREAK = re.compile(r"\r\n?|\n")


class UnusualError(Exception):
    """Syntax that the formatter does not touch."""


def line_edits(text: str, tree: SyntaxTree, style: IndentStyle, column: int | None) -> Iterator[Edit]:
    """The edits that move every line, and the content after a dash, to its column. Raises UnusualError.

    Args:
        text: A block of a file.
        tree: Its tree.
        style: The style of the file.
        column: The column of the list of cases, if the block is an item of it; else None.
    """
    if tree.root is None:
        return
    plan = _Plan(text, LineIndex(text), style)
    plan.node(tree.root, column_of(text, tree.root.span.start) if column is None else column)
    yield from plan.edits()


@dataclass(slots=True)
class _Plan:
    """The new columns of the lines of one block."""

    text: str
    index: LineIndex
    style: IndentStyle
    #: The new column of a line that begins with a key or a dash.
    starts: dict[int, int] = field(default_factory=dict)
    #: The offset of a line that continues a value.
    shifts: dict[int, int] = field(default_factory=dict)
    #: The new column of the text of a block scalar, by line.
    contents: dict[int, int] = field(default_factory=dict)
    #: The blanks after dashes.
    gaps: list[Edit] = field(default_factory=list)

    # -- values ---------------------------------------------------------------------------------------------------------

    def node(self, node: Node, column: int) -> None:
        """Place a node at `column`; flow nodes and scalars are not moved to a column."""
        if isinstance(node, Mapping) and not node.flow:
            self._mapping(node, column)
        elif isinstance(node, Sequence) and not node.flow:
            self._sequence(node, column)

    def _mapping(self, mapping: Mapping, column: int) -> None:
        own = column_of(self.text, mapping.entries[0].key.whole.start)
        for entry in mapping.entries:
            key = entry.key
            column_now = column_of(self.text, key.whole.start)
            in_front = self.text[key.whole.start - column_now : key.whole.start]
            if column_now != own or in_front.rstrip(" ").endswith("?") or _BREAK.search(self.text, *key.whole):
                raise UnusualError
            if self._starts_line(key.whole.start):
                self.starts[self.index.line_of(key.whole.start)] = column
            self._value(entry.value, key, column, own)

    def _value(self, value: Node, key: Node, column: int, own: int) -> None:
        if not _is_block(value):
            self._text_value(value, key.whole.end, column - own)
            return
        if not self._starts_line(value.span.start) or self._is_announced(value):
            raise UnusualError
        offset = column_of(self.text, value.span.start) - own
        moved = self.style.list_offset(offset) if isinstance(value, Sequence) else self.style.step
        self.node(value, column + moved)

    def _is_announced(self, value: Node) -> bool:
        """Whether the anchor or tag of a block is on a line of its own."""
        return value.whole.start < value.span.start and self._starts_line(value.whole.start)

    def _sequence(self, sequence: Sequence, column: int) -> None:
        own = column_of(self.text, sequence.span.start)
        after = sequence.span.start
        for item in sequence.items:
            dash = dash_of(self.text, sequence, item, after)
            if dash is None:
                raise UnusualError
            if self._starts_line(dash):
                self.starts[self.index.line_of(dash)] = column
            self._item(item, dash, column, own)
            after = max(dash + 1, item.whole.end)

    def _item(self, item: Node, dash: int, column: int, own: int) -> None:
        between = self.text[dash + 1 : item.whole.start]
        below = bool(_BREAK.search(between))
        if isinstance(item, Scalar) and item.empty:
            return
        by = column - own
        if not between.strip(" \t"):
            self.gaps.append(Edit(Span(dash + 1, item.whole.start), " " * self.style.gap))
            by += self.style.gap - len(between)
        if not _is_block(item):
            # An explicit indentation indicator counts from the dash.
            indicated = _INDICATED.match(self.text, item.span.start)
            self._text_value(item, dash, column - own if below or indicated else by)
        elif self._is_announced(item) or (not below and item.whole.start < item.span.start):
            raise UnusualError
        else:
            self.node(item, column + (self.style.step if below else 1 + self.style.gap))

    def _text_value(self, value: Node, after: int, by: int) -> None:
        """Place a value that is not a block: its continuation lines move along, and its first line if that is its own."""
        start, end = value.span
        first = self.index.line_of(start)
        if _BREAK.search(self.text, after, value.whole.start):
            self.shifts[self.index.line_of(value.whole.start)] = by
            self.shifts[first] = by
        last = self.index.line_of(max(start, end - (self.text[end - 1 : end] in ("\n", "\r"))))
        self.shifts.update(dict.fromkeys(range(first + 1, last + 1), by))
        if isinstance(value, Scalar) and value.is_block:
            written = [self._line(n) for n in range(first + 1, last + 1) if self._line(n).strip()]
            content = min((len(line) - len(line.lstrip(" ")) for line in written), default=0)
            self.contents.update(dict.fromkeys(range(first + 1, last + 1), content))

    def _starts_line(self, offset: int) -> bool:
        return not self.text[offset - column_of(self.text, offset) : offset].strip(" ")

    def _line(self, number: int) -> str:
        start, end = self.index.line_span(number)
        return self.text[start:end]

    # -- edits ----------------------------------------------------------------------------------------------------------

    def edits(self) -> Iterator[Edit]:
        """The edits of every line with another column."""
        for number in range(self.index.line_count):
            line = self._line(number)
            own = len(line) - len(line.lstrip(" "))
            column = self._column(number, line, own)
            if column != own:
                start = self.index.line_start(number)
                yield Edit(Span(start, start + own), " " * column)
        yield from (edit for edit in self.gaps if self.text[edit.span.start : edit.span.end] != edit.new_text)

    def _column(self, number: int, line: str, own: int) -> int:
        if number in self.starts:
            return self.starts[number]
        if number in self.shifts:
            content = self.contents.get(number)
            if not line.strip() and content is not None and own <= content:
                return min(own, content + self.shifts[number])
            return own if not line.strip() and content is None else max(0, own + self.shifts[number])
        return self._comment(number, own) if line.lstrip().startswith("#") else own

    def _comment(self, number: int, own: int) -> int:
        """A comment is aligned with the next line, or else with one above in the same column."""
        below = self._next(number)
        if below is not None and (line := self._line(below)) is not None:
            dashed = len(line) - len(line.lstrip(" -"))
            if own in (len(line) - len(line.lstrip(" ")), dashed):
                return own + self.starts[below] - (len(line) - len(line.lstrip(" ")))
        above = (n for n in range(number - 1, -1, -1) if n in self.starts and _indent(self._line(n)) == own)
        same = next(above, None)
        if same is not None:
            return self.starts[same]
        near = below if below is not None else max((n for n in self.starts if n < number), default=None)
        return own if near is None else max(0, own + self.starts[near] - _indent(self._line(near)))

    def _next(self, number: int) -> int | None:
        for line in range(number + 1, self.index.line_count):
            if line in self.starts:
                return line
            if self._line(line).strip() and not self._line(line).lstrip().startswith("#"):
                return None
        return None


def _is_block(node: Node) -> bool:
    return isinstance(node, Mapping | Sequence) and not node.flow


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
