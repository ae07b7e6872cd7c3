"""Positions of keys and values in TOML, which the parser of the standard library does not report."""

import re
from contextlib import suppress
from typing import NamedTuple

from rubric_core.text import Span

__all__ = ["TomlPlace", "places"]

_BETWEEN = re.compile(r"(?:[ \t\r\n]|#[^\r\n]*)*")
_STRING = r'"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\\r\n]|\\.)*"|\'[^\'\r\n]*\''
_PART = re.compile(rf"[ \t]*((?:{_STRING})|[\w-]+)[ \t]*", re.DOTALL)
_SCALAR = re.compile(rf"(?:{_STRING})|[^\s,\]}}#]+(?: \d\d:[^\s,\]}}#]+)?", re.DOTALL)


class TomlPlace(NamedTuple):
    """A key where it is written last, and its value; both are the value for an item of a list."""

    key: Span
    value: Span


def places(text: str) -> dict[tuple[str | int, ...], TomlPlace]:
    """The place of every value, by its keys and item numbers. `text` has to be valid TOML."""
    scanner = _Scanner(text)
    # If the text is invalid from some place on, the places before it are right.
    with suppress(_LostError):
        scanner.document()
    return scanner.found


class _LostError(Exception):
    """Unexpected syntax."""


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.found: dict[tuple[str | int, ...], TomlPlace] = {}

    def document(self) -> None:
        table: tuple[str | int, ...] = ()
        while self._next():
            if self.text[self.at] == "[":
                table = self._header()
            else:
                self._entry(table)

    def _next(self) -> str:
        """The next significant character."""
        self.at = self._match(_BETWEEN).end()
        return self.text[self.at : self.at + 1]

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str]:
        found = pattern.match(self.text, self.at)
        if found is None:
            raise _LostError
        return found

    def _take(self, word: str) -> None:
        if not self.text.startswith(word, self.at):
            raise _LostError
        self.at += len(word)

    def _header(self) -> tuple[str | int, ...]:
        brackets = 2 if self.text.startswith("[[", self.at) else 1
        start = self.at
        self._take("[" * brackets)
        names, _ = self._keys()
        self._take("]" * brackets)
        whole = Span(start, self.at)
        for length in range(1, len(names) + 1):
            self.found.setdefault(names[:length], TomlPlace(whole, whole))
        return names

    def _keys(self) -> tuple[tuple[str | int, ...], Span]:
        """A dotted key: its parts, and the place of the last one."""
        names: list[str | int] = []
        while True:
            part = self._match(_PART)
            names.append(part[1][1:-1] if part[1][0] in "\"'" else part[1])
            self.at = part.end()
            if not self.text.startswith(".", self.at):
                return tuple(names), Span(*part.span(1))
            self.at += 1

    def _entry(self, table: tuple[str | int, ...]) -> None:
        names, key = self._keys()
        for length in range(1, len(names)):
            self.found.setdefault((*table, *names[:length]), TomlPlace(key, key))
        self._take("=")
        self._value((*table, *names), key)

    def _value(self, path: tuple[str | int, ...], key: Span | None) -> None:
        opening, start = self._next(), self.at
        if opening == "[":
            self._list(path)
        elif opening == "{":
            self._table(path)
        else:
            self.at = self._match(_SCALAR).end()
        value = Span(start, self.at)
        self.found[path] = TomlPlace(key or value, value)

    def _list(self, path: tuple[str | int, ...]) -> None:
        self.at += 1
        number = 0
        while self._next() not in ("]", ""):
            self._value((*path, number), None)
            number += 1
            if self._next() == ",":
                self.at += 1
        self._take("]")

    def _table(self, path: tuple[str | int, ...]) -> None:
        self.at += 1
        while self._next() not in ("}", ""):
            self._entry(path)
            if self._next() == ",":
                self.at += 1
        self._take("}")
