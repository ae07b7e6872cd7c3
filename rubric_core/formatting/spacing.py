"""Formats blanks within lines: after colons, around commas, at the end."""

import re
from collections.abc import Collection, Iterator
from itertools import pairwise

from rubric_core.syntax.edit import column_of, newline_of
from rubric_core.syntax.tree import Alias, Entry, Mapping, Node, Scalar, Sequence, SyntaxTree, walk
from rubric_core.text import Edit, LineIndex, Span

__all__ = ["end_edits", "inner_edits", "trailing_edits"]

_TRAILING = re.compile(r"(?<![ \t])[ \t]+\Z")
_BREAK = re.compile(r"\r\n?|\n")


def inner_edits(text: str, tree: SyntaxTree) -> Iterator[Edit]:
    """The blanks between tokens on one line."""
    for node in walk(tree.root):
        if isinstance(node, Mapping):
            keep = node.flow or _is_aligned(text, node)
            for entry in node.entries:
                yield from _colon(text, entry, keep=keep)
        if isinstance(node, Mapping | Sequence) and node.flow:
            yield from _commas(text, node)


def _colon(text: str, entry: Entry, *, keep: bool) -> Iterator[Edit]:
    """No blank before a colon and one after it; more if they `keep` values aligned."""
    start, end = entry.key.span.end, entry.value.whole.start
    if isinstance(entry.key, Alias) or _is_nothing(entry.value):
        return
    yield from _mark(text, Span(start, end), ":", keep=keep)


def _commas(text: str, node: Mapping | Sequence) -> Iterator[Edit]:
    parts = [e.span for e in node.entries] if isinstance(node, Mapping) else [i.whole for i in node.items]
    for one, other in pairwise(parts):
        yield from _mark(text, Span(one.end, other.start), ",", keep=True)


def _mark(text: str, span: Span, mark: str, *, keep: bool) -> Iterator[Edit]:
    between = text[span.start : span.end]
    if between.strip(" \t") != mark:
        return
    behind = between.partition(mark)[2]
    wanted = mark + (behind if keep and behind and not behind.strip(" ") else " ")
    if between != wanted:
        yield Edit(span, wanted)


def _is_nothing(value: Node) -> bool:
    return isinstance(value, Scalar) and value.empty


def _is_aligned(text: str, mapping: Mapping) -> bool:
    """Whether values are aligned on purpose, after keys of several lengths."""
    ends, columns = set[int](), set[int]()
    for entry in mapping.entries:
        between = text[entry.key.span.end : entry.value.whole.start]
        if between.strip(" ") == ":" and not _is_nothing(entry.value):
            ends.add(column_of(text, entry.key.span.end))
            columns.add(column_of(text, entry.value.whole.start))
    return len(columns) == 1 and len(ends) > 1


def trailing_edits(text: str, tree: SyntaxTree) -> Iterator[Edit]:
    """Remove blanks at the ends of lines, except inside of scalars."""
    index = LineIndex(text)
    texts = _text_lines(index, tree)
    for number in range(index.line_count):
        start, end = index.line_span(number)
        found = _TRAILING.search(text[start:end]) if number not in texts else None
        if found is not None:
            yield Edit(Span(start + found.start(), end), "")


def _text_lines(index: LineIndex, tree: SyntaxTree) -> Collection[int]:
    """The lines whose trailing blanks belong to a scalar, or to a line break in quotes."""
    found = set[int]()
    for node in walk(tree.root):
        if isinstance(node, Scalar) and node.style != "plain":
            first, last = index.line_of(node.span.start), index.line_of(max(node.span.start, node.span.end - 1))
            found.update(range(first + node.is_block, last + node.is_block))
    return found


def end_edits(text: str) -> Iterator[Edit]:
    """One line break at the end of a text."""
    end = len(text.rstrip(" \t\r\n"))
    found = _BREAK.search(text, end)
    written = found[0] if found else newline_of(text)
    if end and text[end:] != written:
        yield Edit(Span(end, len(text)), written)
