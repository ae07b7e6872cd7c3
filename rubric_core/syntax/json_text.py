"""JSON as a tree: strict, because engines read data sets with a JSON parser, and with the place of the first mistake."""

import json
from collections.abc import Callable

from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Entry, Mapping, Node, Scalar, Sequence, SyntaxProblem, SyntaxTree
from rubric_core.text import Span

__all__ = ["parse_json"]

_SPACE = pattern(r"[ \t\r\n]*")
#: A part of a string: of a repetition without an end, the engine of patterns keeps 140 bytes for each character.
_IN_STRING = pattern(r'(?:[^"\\\x00-\x1f]|\\.){1,4000}')
_WORD = pattern(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?(?![\w.+-])|(?:true|false|null)(?!\w)")
_OTHER = pattern(r"[^\s,\[\]{}]+|\S")
#: Deeper than any real file, and well below Python's recursion limit.
_DEEPEST = 200


class _BrokenError(Exception):
    """Raised where the text stops being valid JSON, at `span`."""

    def __init__(self, span: Span, message: str) -> None:
        super().__init__(message)
        self.span = span


def parse_json(text: str) -> SyntaxTree:
    """The tree of one JSON value; an empty text has none. Everything before a mistake is kept."""
    reader = _Reader(text)
    try:
        root = reader.document()
    except _BrokenError as broken:
        problem = SyntaxProblem("syntax", broken.span, str(broken))
        return SyntaxTree(reader.outermost, (problem,), {}, [])
    return SyntaxTree(root, (), {}, [])


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        #: The outermost value, once it has begun.
        self.outermost: Node | None = None

    def document(self) -> Node | None:
        self._skip()
        if self.at == len(self.text):
            return None
        root = self._value()
        self._skip()
        if self.at < len(self.text):
            raise self._broken("there is text after the end of the object; each line has one object")
        return root

    def _skip(self) -> None:
        found = _SPACE.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def _broken(self, message: str) -> _BrokenError:
        found = _OTHER.match(self.text, self.at)
        if found is not None:
            return _BrokenError(Span(*found.span()), message)
        end = len(self.text.rstrip())
        return _BrokenError(Span(max(0, end - 1), end), message)

    def _value(self) -> Node:
        char = self.text[self.at : self.at + 1]
        if char == "{":
            return self._nested(self._mapping)
        if char == "[":
            return self._nested(self._sequence)
        if char == '"':
            return self._string()
        found = _WORD.match(self.text, self.at)
        if found is None:
            raise self._broken(_advice(self.text, self.at))
        self.at = found.end()
        return self._keep(Scalar(Span(*found.span()), Span(*found.span()), None, None, found[0], "plain"))

    def _keep(self, node: Scalar) -> Scalar:
        self.outermost = self.outermost or node
        return node

    def _nested(self, read: "Callable[[int], Node]") -> Node:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self._broken("this is nested too deeply")
        node = read(self.at)
        self.depth -= 1
        return node

    def _string(self) -> Scalar:
        span = self._string_span()
        try:
            content = json.loads(self.text[span.start : span.end])
        except ValueError:
            raise _BrokenError(span, "this backslash starts no valid JSON escape") from None
        self.at = span.end
        return self._keep(Scalar(span, span, None, None, content, "double"))

    def _string_span(self) -> Span:
        end = self.at + 1
        while self.text.startswith('"', self.at) and (part := _IN_STRING.match(self.text, end)) is not None:
            end = part.end()
        if end > len(self.text) - 1 or not (self.text[self.at] == self.text[end] == '"'):
            raise self._unclosed()
        return Span(self.at, end + 1)

    def _unclosed(self) -> _BrokenError:
        end = len(self.text.rstrip("\r\n"))
        return _BrokenError(Span(self.at, end), "this string is not closed, or contains a tab or line break")

    def _mapping(self, start: int) -> Mapping:
        made = Mapping(Span(start, len(self.text)), Span(start, len(self.text)), None, None, flow=True)
        self.outermost = self.outermost or made
        self.at += 1
        self._skip()
        while not self._closed("}", first=not made.entries):
            if not self.text.startswith('"', self.at):
                raise self._broken("a key in double quotes is expected here")
            name = self._string()
            self._skip()
            if not self.text.startswith(":", self.at):
                raise self._broken("a colon is expected here")
            self.at += 1
            self._skip()
            made.entries.append(Entry(name, self._value()))
            self._skip()
        made.span = made.whole = Span(start, self.at)
        return made

    def _sequence(self, start: int) -> Sequence:
        made = Sequence(Span(start, len(self.text)), Span(start, len(self.text)), None, None, flow=True)
        self.outermost = self.outermost or made
        self.at += 1
        self._skip()
        while not self._closed("]", first=not made.items):
            made.items.append(self._value())
            self._skip()
        made.span = made.whole = Span(start, self.at)
        return made

    def _closed(self, bracket: str, *, first: bool) -> bool:
        """Whether the collection closes here; otherwise another entry follows."""
        if self.text.startswith(bracket, self.at):
            self.at += 1
            return True
        if first:
            return False
        if not self.text.startswith(",", self.at):
            raise self._broken(f"a comma or `{bracket}` is expected here")
        comma = self.at
        self.at += 1
        self._skip()
        if self.text.startswith(bracket, self.at):
            raise _BrokenError(Span(comma, comma + 1), f"JSON allows no comma before `{bracket}`")
        return False


def _advice(text: str, at: int) -> str:
    if text.startswith("'", at):
        return "JSON strings need double quotes"
    if text.startswith(("True", "False", "None"), at):
        return "JSON writes true, false and null in lowercase"
    return "a value is expected here"
