"""Reads YAML that is nothing but simple lines, as most cases are, in half the time of libyaml's events.

What it reads, it reads as `events.build` does, node by node and span by span. Any other text it gives up, and libyaml
reads that: anchors, tags, values that go on over several lines, escapes, keys in quotes, nested brackets, tabs.
"""

import re
from functools import lru_cache
from sys import intern

from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Entry, Mapping, Node, Scalar, Sequence, Style, SyntaxTree
from rubric_core.text import Span

__all__ = ["read_lines"]

#: Indentation, item dashes, a key, and the rest of the line. A key in libyaml has at most 1,024 characters.
_LINE = pattern(r"( *)((?:- +)*)(?:([\w$][\w.$/-]{0,99}):(?: +|(?=\n)))?([^\n]*)(?:\n|\Z)")
#: The first character of a value that is not plain.
_SIGNS = frozenset("?:,[]{}#&*!|>'\"%@`")
_QUOTES: dict[str, Style] = {"'": "single", '"': "double"}
_STYLES: dict[str, Style] = {"|": "literal", ">": "folded"}
_HEADERS = frozenset({"|", "|-", ">", ">-"})
_QUOTED = pattern(r"(\"[^\"\\\n]*\"|'[^'\n]*') *(?: #[^\n]*)?")
#: Blanks after it belong to it: with more than one place for them, a long row of blanks would be tried at each.
_FLOW_VALUE = r"(?:\"[^\"\\\n]*\" *|'[^'\n]*' *|[\w./$(<+=~^][^,\[\]{}:#&*!|>'\"%@`?\n]*)"
_FLOW_KEY = r"[A-Za-z_]\w{0,99}"
_FLOW_LIST = pattern(rf"(\[ *{_FLOW_VALUE}(?:, *{_FLOW_VALUE})*\]) *(?: #[^\n]*)?")
_FLOW_MAP = pattern(rf"(\{{ *{_FLOW_KEY}: +{_FLOW_VALUE}(?:, *{_FLOW_KEY}: +{_FLOW_VALUE})*\}}) *(?: #[^\n]*)?")
_FLOW_ITEM = pattern(rf"[,\[] *({_FLOW_VALUE})")
_FLOW_ENTRY = pattern(rf"[,{{] *({_FLOW_KEY}): +({_FLOW_VALUE})")
#: The first line of a block scalar, up to its first character that is not a blank.
_FIRST = pattern(r" *[^ \n]")
_BREAKS = pattern(r"\n+")
#: Lines further in are left to libyaml, so that no nesting is too deep: two collections at most begin in one column.
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
    return SyntaxTree(reader.root, (), {}, []) if reader.read() and reader.root is not None else None


class _Open:
    """A collection that further lines may belong to."""

    __slots__ = ("column", "entries", "items", "node", "start")

    def __init__(self, node: Mapping | Sequence, column: int, start: int) -> None:
        self.node = node
        self.column = column
        self.start = start
        self.entries = node.entries if isinstance(node, Mapping) else None
        self.items = node.items if isinstance(node, Sequence) else None


class _LineReader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.root: Node | None = None
        #: The collections that are open, and the innermost one.
        self.stack: list[_Open] = []
        self.top: _Open | None = None
        #: The key that waits for its value.
        self.key: Scalar | None = None
        #: The end of a value of several lines.
        self.end = 0

    def read(self) -> bool:
        """Read every line; whether all could be read."""
        # One long loop: every line of every file passes through it, and a call costs more than most of its steps.
        text, line, at, length = self.text, _LINE.match, 0, len(self.text)
        while at < length:
            found = line(text, at)
            if found is None:
                return False
            blanks, dashes, name, value = found.groups()
            start, at = at, found.end()
            if not name and not dashes and (not value or value[0] == "#"):
                continue
            column = len(blanks)
            top = self.top
            # Most lines are further keys of the mapping that the line before belongs to.
            if (self.key or dashes or top is None or top.column != column or top.items is not None) and (
                not self._leave(column, dashed=bool(dashes))
            ):
                return False
            if dashes:
                self._open_items(dashes, column, start)
                column += len(dashes)
            top = self.top
            if column > _FURTHEST:
                return False
            if name:
                begin = start + column
                if top is None or top.column != column or top.entries is None:
                    top = self._open(Mapping(_NOWHERE, _NOWHERE, None, None, False), column, begin)
                span = _new(Span, (begin, begin + len(name)))
                self.key = _plain(span, intern(name))
                if not value:
                    continue
            elif not dashes or not value:
                return False
            node: Node | None
            # Most values are words, whose sign tells that they are nothing else; `_value` reads them alike.
            if top is not None and " " not in value and ":" not in value and value[0] not in _SIGNS and value != "-":
                begin = at - 1 - len(value)
                span = _new(Span, (begin, begin + len(value)))
                node = _plain(span, value)
                if self.key is not None and top.entries is not None:
                    top.entries.append(Entry(self.key, node))
                    self.key = None
                    continue
            else:
                node = self._value(value, at - 1 - len(value)) if top is not None else None
            if node is None:
                return False
            self._add(node)
            if self.end:
                at, self.end = self.end, 0
        return self._leave(-1, dashed=False)

    def _leave(self, column: int, *, dashed: bool) -> bool:
        """Close the collections that end above a line beginning in `column`; whether the line fits into what is left open."""
        top, key = self.top, self.key
        if key is not None and top is not None:
            if column > top.column or (dashed and column == top.column):
                return True  # the value of the key
            at = key.span.end + 1
            nothing = Span(at, at)
            self._add(Scalar(nothing, nothing, None, None, "", "plain"))
        stack = self.stack
        while top is not None and (
            top.column > column or (top.column == column and top.items is not None and not dashed)
        ):
            last = top.items[-1] if top.items else top.entries[-1].value if top.entries else top.node
            top.node.span = top.node.whole = _new(Span, (top.start, last.whole[1]))
            stack.pop()
            top = self.top = stack[-1] if stack else None
        if top is None:
            return self.root is None or column < 0
        return top.column == column and (top.items is not None) == dashed

    def _open_items(self, dashes: str, column: int, start: int) -> None:
        for dash, sign in enumerate(dashes, column):
            if sign == "-":
                top = self.top
                if top is None or top.column != dash or top.items is None:
                    self._open(Sequence(_NOWHERE, _NOWHERE, None, None, False), dash, start + dash)

    def _open(self, node: Mapping | Sequence, column: int, start: int) -> _Open:
        self._add(node)
        self.top = opened = _Open(node, column, start)
        self.stack.append(opened)
        return opened

    def _add(self, node: Node) -> None:
        top = self.top
        if top is None:
            self.root = node
        elif top.items is not None:
            top.items.append(node)
        elif top.entries is not None and self.key is not None:
            top.entries.append(Entry(self.key, node))
            self.key = None

    def _value(self, value: str, begin: int) -> Node | None:
        """The value after a key or dash on the same line; None for one that is not simple."""
        first = value[0]
        if first in _SIGNS:
            if first in _QUOTES:
                return _quoted(value, begin)
            if first in "|>":
                return self._block(value.rstrip(" "), begin)
            return _flow(value, begin) if first in "[{" else None
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

    def _block(self, header: str, begin: int) -> Scalar | None:
        """Read the block scalar that follows `|` or `>`."""
        text, top = self.text, self.top
        start = text.index("\n", begin) + 1
        first = _FIRST.match(text, start)
        if header not in _HEADERS or first is None or top is None or len(first[0]) - 1 <= top.column:
            return None
        column = len(first[0]) - 1
        found = _indented(column).match(text, start)
        lines = found[0] if found is not None else ""
        if " \n" in lines:
            return None  # how many of the blanks belong to the text is another question
        content = lines.replace("\n" + " " * column, "\n")[column:].rstrip("\n")
        if header[0] == ">":
            if "\n " in content:
                return None  # lines that are further in are not folded
            content = _BREAKS.sub(_folded, content)
        self.end = start + len(lines)
        whole = _new(Span, (begin, begin + len(text[begin : self.end].rstrip())))
        return Scalar(whole, whole, None, None, content if header[1:] else content + "\n", _STYLES[header[0]])


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
    return Scalar(span, span, None, None, content[1:-1], _QUOTES[content[0]])


def _flow(value: str, begin: int) -> Mapping | Sequence | None:
    """Read a flow sequence or mapping that has only simple values."""
    listed = value[0] == "["
    found = (_FLOW_LIST if listed else _FLOW_MAP).fullmatch(value)
    if found is None:
        return None
    span = _new(Span, (begin, begin + len(found[1])))
    if listed:
        items = Sequence(span, span, None, None, True)
        items.items = [_in_flow(each[1], begin + each.start(1)) for each in _FLOW_ITEM.finditer(found[1])]
        return items
    mapping = Mapping(span, span, None, None, True)
    for each in _FLOW_ENTRY.finditer(found[1]):
        at = begin + each.start(1)
        key = _new(Span, (at, at + len(each[1])))
        name = Scalar(key, key, None, None, intern(each[1]), "plain")
        mapping.entries.append(Entry(name, _in_flow(each[2], begin + each.start(2))))
    return mapping


def _in_flow(value: str, begin: int) -> Scalar:
    quotes = _QUOTES.get(value[0])
    value = value.rstrip(" ")
    span = _new(Span, (begin, begin + len(value)))
    return Scalar(span, span, None, None, value[1:-1] if quotes else value, quotes or "plain")


def _folded(breaks: re.Match[str]) -> str:
    return breaks[0][1:] or " "


@lru_cache(maxsize=64)
def _indented(column: int) -> re.Pattern[str]:
    """The following lines that are indented to `column` or deeper, including blank lines between them."""
    return re.compile(rf"(?: {{{column}}}[^\n]+\n| {{0,{column}}}\n)*")
