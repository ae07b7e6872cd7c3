"""Reads YAML of simple lines, as most cases are, in half the time of libyaml's events. Its result equals that of `events.build`, node by node and span by span. Any other text is left to libyaml: anchors, tags, values that go on over several lines, escapes, keys in quotes, brackets over several lines, tabs."""

import re
from functools import lru_cache
from sys import intern

from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.simple_flow import QUOTES, read_flow
from rubric_core.syntax.tree import Entry, Mapping, Node, Scalar, Sequence, Style, SyntaxTree
from rubric_core.text import Span

__all__ = ["read_lines"]

#: Indentation, item dashes, a key, and the rest of the line. A key in libyaml has at most 1,024 characters.
_LINE = pattern(r"( *)((?:- +)*)(?:([\w$][\w.$/-]{0,99}):(?: +|(?=\n)))?([^\n]*)(?:\n|\Z)")
#: The first character of a value that is not plain.
_SIGNS = frozenset("?:,[]{}#&*!|>'\"%@`")
_STYLES: dict[str, Style] = {"|": "literal", ">": "folded"}
_HEADERS = frozenset({"|", "|-", ">", ">-"})
_QUOTED = pattern(r"(\"[^\"\\\n]*\"|'[^'\n]*') *(?: #[^\n]*)?")
#: The first line of a block scalar, up to its first character that is not a blank.
_FIRST = pattern(r" *[^ \n]")
_BREAKS = pattern(r"\n+")
#: More deeply indented lines are left to libyaml, so that no nesting is too deep: at most two collections start in a
#: column.
_FURTHEST = 90
#: Filled in when a collection is closed.
_NOWHERE = Span(0, 0)
# A named tuple's own constructor is a function in Python; there is one or two of these for each node.
_new = tuple.__new__
_new_scalar = Scalar.__new__


def read_lines(text: str) -> SyntaxTree | None:
    """The tree of a text of simple lines, each with its line break; None for any other text."""
    if not text.endswith("\n"):
        return None
    reader = _LineReader(text)
    if not reader.read() or reader.root is None:
        return None
    return SyntaxTree(reader.root, (), {}, [], reader.mappings)


#: A collection that further lines may belong to: its node, the column and the offset where it begins, and the list that
#: they are added to, which is one of entries or of items.
_Open = tuple[Mapping | Sequence, int, int, list[Entry] | None, list[Node] | None]


class _LineReader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.root: Node | None = None
        self.mappings: list[Mapping] = []
        #: The end of a value of several lines.
        self.end = 0

    def read(self) -> bool:  # noqa: PLR0915  # one loop, see below
        """Read every line; whether all could be read."""
        # One long loop over local names: every line of every file passes through it, and a call costs more than most of its steps.
        text, line, at, length = self.text, _LINE.match, 0, len(self.text)
        # The collections that are open, with none in column -1; the innermost one is `level`, `entries` and `items`.
        stack: list[_Open] = [(Sequence(_NOWHERE, _NOWHERE, None, None, False), -1, 0, None, None)]
        _, level, _, entries, items = stack[0]
        # The key that waits for its value, and the end of the last part.
        key: Scalar | None = None
        last = 0
        while at < length:
            found = line(text, at)
            if found is None:
                return False
            blanks, dashes, name, value = found.groups()
            start, at = at, found.end()
            if not name and not dashes and (not value or value[0] == "#"):
                continue
            column = len(blanks)
            # Most lines are further keys of the mapping of the line before.
            if key is not None or dashes or column != level or entries is None:
                if key is None or column < level or (column == level and not dashes):
                    if key is not None and entries is not None:
                        last = key.span.end + 1
                        entries.append(_without_value(key, last))
                        key = None
                    while level > column or (level == column and items is not None and not dashes):
                        node, _, begin, _, _ = stack.pop()
                        node.span = node.whole = _new(Span, (begin, last))
                        _, level, _, entries, items = stack[-1]
                    fits = self.root is None if level < 0 else level == column and (items is not None) == bool(dashes)
                    if not fits:
                        return False
                for dash, sign in enumerate(dashes, column):
                    if sign == "-" and (level != dash or items is None):
                        listed = Sequence(_NOWHERE, _NOWHERE, None, None, False)
                        self._add(listed, key, entries, items)
                        key, level, entries, items = None, dash, None, listed.items
                        stack.append((listed, dash, start + dash, None, items))
                column += len(dashes)
            if column > _FURTHEST:
                return False
            if name:
                begin = start + column
                if level != column or entries is None:
                    mapping = Mapping(_NOWHERE, _NOWHERE, None, None, False)
                    self.mappings.append(mapping)
                    self._add(mapping, key, entries, items)
                    level, entries, items = column, mapping.entries, None
                    stack.append((mapping, column, begin, entries, None))
                key = _plain(_new(Span, (begin, begin + len(name))), intern(name))
                if not value:
                    continue
            elif not dashes or not value:
                return False
            begin = at - 1 - len(value)
            # Most values are words, whose first character shows that they are nothing else; `_value` reads them in the
            # same way.
            if " " not in value and ":" not in value and value[0] not in _SIGNS and value != "-":
                last = at - 1
                read: Node = _plain(_new(Span, (begin, last)), value)
            else:
                simple = self._value(value, begin, level)
                if simple is None:
                    return False
                read = simple
                last = read.span[1]
                if self.end:
                    at, self.end = self.end, 0
            if key is not None and entries is not None:
                entries.append(Entry(key, read))
                key = None
            elif items is not None:
                items.append(read)
        if key is not None and entries is not None:
            last = key.span.end + 1
            entries.append(_without_value(key, last))
        for node, _, begin, _, _ in stack[1:]:
            node.span = node.whole = _new(Span, (begin, last))
        return True

    def _add(
        self, node: Mapping | Sequence, key: Scalar | None, entries: list[Entry] | None, items: list[Node] | None
    ) -> None:
        """Put a collection in its place, below the key that waits for one or else into the list."""
        if key is not None and entries is not None:
            entries.append(Entry(key, node))
        elif items is not None:
            items.append(node)
        else:
            self.root = node

    def _value(self, value: str, begin: int, level: int) -> Node | None:
        """The value after a key or dash on the same line, in a collection in column `level`; None for one that is not simple."""
        first = value[0]
        if first in _SIGNS:
            if first in QUOTES:
                return _quoted(value, begin)
            if first in "|>":
                return self._block(value.rstrip(" "), begin, level)
            return read_flow(value, begin, self.mappings) if first in "[{" else None
        if " " in value:
            if " #" in value:
                value = value[: value.index(" #")]
            value = value.rstrip(" ")
            if ": " in value or (first == "-" and value[1:2] in ("", " ")):
                return None
        elif value == "-":
            return None
        if value[-1] == ":":
            return None
        return _plain(_new(Span, (begin, begin + len(value))), value)

    def _block(self, header: str, begin: int, level: int) -> Scalar | None:
        """Read the block scalar that follows `|` or `>`."""
        text = self.text
        start = text.index("\n", begin) + 1
        first = _FIRST.match(text, start)
        if header not in _HEADERS or first is None or len(first[0]) - 1 <= level:
            return None
        column = len(first[0]) - 1
        found = _indented(column).match(text, start)
        lines = found[0] if found is not None else ""
        if " \n" in lines:
            return None  # how many of the blanks belong to the text is another question
        content = lines.replace("\n" + " " * column, "\n")[column:].rstrip("\n")
        if header[0] == ">":
            if "\n " in content:
                return None  # more deeply indented lines are not folded
            content = _BREAKS.sub(_folded, content)
        self.end = start + len(lines)
        whole = _new(Span, (begin, begin + len(text[begin : self.end].rstrip())))
        return Scalar(whole, whole, None, None, content if header[1:] else content + "\n", _STYLES[header[0]])


def _without_value(key: Scalar, at: int) -> Entry:
    nothing = Span(at, at)
    return Entry(key, Scalar(nothing, nothing, None, None, "", "plain"))


def _plain(span: Span, text: str) -> Scalar:
    """The same as `Scalar(…)`: a class calls its `__init__` in twice the time, and most nodes are made here."""
    node = _new_scalar(Scalar)
    node.span = node.whole = span
    node.anchor = node.tag = None
    node.text = text
    node.style = "plain"
    return node


def _quoted(value: str, begin: int) -> Scalar | None:
    found = _QUOTED.fullmatch(value)
    if found is None:
        return None
    content = found[1]
    span = _new(Span, (begin, begin + len(content)))
    return Scalar(span, span, None, None, content[1:-1], QUOTES[content[0]])


def _folded(breaks: re.Match[str]) -> str:
    return breaks[0][1:] or " "


@lru_cache(maxsize=64)
def _indented(column: int) -> re.Pattern[str]:
    """The following lines that are indented to `column` or deeper, including blank lines between them."""
    return re.compile(rf"(?: {{{column}}}[^\n]+\n| {{0,{column}}}\n)*")
