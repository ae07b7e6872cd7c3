"""Colour and width in a terminal."""

import os
import re
import sys
import unicodedata
from typing import TextIO

from rubric_core.lazy_compilation import dataclass, pattern

__all__ = ["COLOURS", "TerminalStyle", "columns_of", "fitted", "visible", "width", "window"]

_CODES = {
    "error": "1;31",
    "warning": "1;33",
    "information": "1;34",
    "hint": "1;36",
    "good": "32",
    "bad": "31",
    "dim": "2",
    "bold": "1",
    "code": "36",
}
#: The sequences that `paint` writes, and no others, which could hide text.
COLOURS = pattern(rf"(\x1b\[(?:0|{'|'.join(sorted(_CODES.values()))})m)")
#: The sequences that set a colour, and that reset it.
_COLOUR = pattern(r"\x1b\[[0-9;]*m")
_PLAIN = "\x1b[0m"
#: Characters that are expected although they are not printed: the byte order mark is one.
_HIDDEN = {"\t": "    ", "\ufeff": ""}


@dataclass(frozen=True, slots=True)
class TerminalStyle:
    """Colours text, or leaves it unchanged."""

    colour: bool

    @classmethod
    def of(cls, stream: TextIO | None = None) -> "TerminalStyle":
        """Colour on a terminal that supports it, unless NO_COLOR is set; FORCE_COLOR enables it anywhere."""
        if os.environ.get("NO_COLOR"):
            return cls(colour=False)
        shows = (stream or sys.stdout).isatty() and os.environ.get("TERM") != "dumb"
        return cls(colour=shows or os.environ.get("FORCE_COLOR", "0") not in ("", "0"))

    def paint(self, text: str, role: str) -> str:
        """`text` in the colour of a role."""
        return f"\x1b[{_CODES[role]}m{text}\x1b[0m" if text and self.colour and role in _CODES else text


def columns_of(stream: TextIO) -> int | None:
    """The width of the terminal behind a stream, in columns; None without a terminal. COLUMNS takes precedence."""
    if not stream.isatty():
        return None
    written = os.environ.get("COLUMNS", "")
    return int(written) if written.isdecimal() and int(written) else os.get_terminal_size(stream.fileno()).columns


def visible(text: str) -> str:
    """A part of a file, safe for a terminal: control and invisible characters are marked; tabs are four spaces."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _HIDDEN.get(c, "�") for c in text)


def width(text: str) -> int:
    """The number of columns of `text`, without its colours."""
    text = _COLOUR.sub("", text) if "\x1b" in text else text
    return len(text) if text.isascii() else sum(map(_columns, text))


def fitted(line: str, columns: int) -> str:
    """A line cut to that many columns with an ellipsis; its colours stay."""
    if width(line) <= columns:
        return line
    if line.isascii() and not _COLOUR.search(line):
        return f"{line[: columns - 1]}…"
    pieces, room = [], columns - 1
    for piece in re.split(f"({_COLOUR.pattern})", line):
        if _COLOUR.fullmatch(piece):
            pieces.append(piece)
            continue
        for character in piece:
            room -= _columns(character)
            if room < 0:
                return f"{''.join(pieces)}…{_PLAIN if _COLOUR.search(line) else ''}"
            pieces.append(character)
    return line


def window(text: str, begin: int, columns: int) -> str:
    """That many columns of a plain text from column `begin` on; an ellipsis marks a cut."""
    if not begin:
        return fitted(text, columns)
    if text.isascii():
        return f"…{fitted(text[begin + 1 :], columns - 1)}"
    pieces, at = ["…"], 0
    for character in text:
        if at > begin:
            # A character of two columns may be cut in the middle.
            pieces.append(" " * (at - begin - 1) if len(pieces) == 1 else "")
            pieces.append(character)
        at += _columns(character)
    return fitted("".join(pieces), columns)


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
