"""The expressions of `-k`, as pytest reads them: names with `and`, `or`, `not` and brackets."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

__all__ = ["KeywordError", "KeywordExpression"]

#: Tells whether a name matches.
_Matcher: TypeAlias = Callable[[str], bool]
_Node: TypeAlias = Callable[[_Matcher], bool]

#: The characters of names in pytest, and those that variations and tags have in addition.
_NAME = r"[\w:+\-.\[\]\\/=,@~#]+"
_TOKEN = re.compile(rf"(?P<space>\s+)|(?P<open>\()|(?P<close>\))|(?P<name>{_NAME})|(?P<other>.)", re.DOTALL)
_WORDS = ("and", "or", "not")
_SHOWN = {"open": "(", "close": ")", "end": "the end"}


class KeywordError(ValueError):
    """An expression that cannot be read; the message names the column."""


class _Token(NamedTuple):
    kind: str
    text: str
    #: From 1.
    column: int


class KeywordExpression:
    """An expression over names. Raises KeywordError.

    A word matches if it is part of any of a case's names, regardless of upper and lower case.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._holds = _Parser(text).whole() if text.strip() else _always

    def __str__(self) -> str:
        return self.text

    def matches(self, names: Iterator[str] | list[str]) -> bool:
        """Whether the expression holds for something with these names."""
        known = [name.lower() for name in names]
        return self._holds(lambda word: any(word.lower() in name for name in known))


def _always(_: _Matcher) -> bool:
    """An expression without words matches everything, as in pytest."""
    return True


class _Parser:
    """Reads an expression from left to right; `or` binds weaker than `and`, and `not` strongest."""

    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self._token = next(self._tokens)

    def whole(self) -> _Node:
        """The whole expression. Raises KeywordError."""
        found = self._either()
        if self._token.kind != "end":
            raise self._unexpected("`and`, `or` or the end")
        return found

    def _either(self) -> _Node:
        found = self._both()
        while self._accepted("or"):
            found = _or(found, self._both())
        return found

    def _both(self) -> _Node:
        found = self._single()
        while self._accepted("and"):
            found = _and(found, self._single())
        return found

    def _single(self) -> _Node:
        if self._accepted("not"):
            return _not(self._single())
        if self._accepted("open"):
            found = self._either()
            if not self._accepted("close"):
                raise self._unexpected("`)`")
            return found
        name = self._token
        if not self._accepted("name"):
            raise self._unexpected("`not`, `(` or a name")
        return lambda matches: matches(name.text)

    def _accepted(self, kind: str) -> bool:
        """Move past the token if it is of this kind."""
        if self._token.kind != kind:
            return False
        self._token = next(self._tokens)
        return True

    def _unexpected(self, wanted: str) -> KeywordError:
        found = _SHOWN.get(self._token.kind, self._token.text)
        return KeywordError(f"column {self._token.column}: expected {wanted}, found {found}")


def _tokens(text: str) -> Iterator[_Token]:
    """The tokens of a text, followed by one of kind `end`. Raises KeywordError for a character that no name has."""
    for found in _TOKEN.finditer(text):
        kind, word, column = found.lastgroup or "", found.group(), found.start() + 1
        if kind == "other":
            raise KeywordError(f"column {column}: a name cannot have the character {word!r}")
        if kind != "space":
            yield _Token(word if word in _WORDS else kind, word, column)
    yield _Token("end", "", len(text) + 1)


def _or(left: _Node, right: _Node) -> _Node:
    return lambda matches: left(matches) or right(matches)


def _and(left: _Node, right: _Node) -> _Node:
    return lambda matches: left(matches) and right(matches)


def _not(inner: _Node) -> _Node:
    return lambda matches: not inner(matches)
