"""Colour and width in a terminal."""

import os
import sys
import unicodedata
from dataclasses import dataclass
from typing import TextIO

__all__ = ["Style", "columns_of", "width"]

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


@dataclass(frozen=True, slots=True)
class Style:
    """Paints words, or leaves them as they are."""

    colour: bool

    @classmethod
    def of(cls, stream: TextIO | None = None) -> "Style":
        """Colour on a terminal, unless NO_COLOR asks for none; FORCE_COLOR asks for it anywhere."""
        if os.environ.get("NO_COLOR"):
            return cls(colour=False)
        return cls(colour=bool(os.environ.get("FORCE_COLOR")) or (stream or sys.stdout).isatty())

    def paint(self, text: str, role: str) -> str:
        """`text` in the colour of a role."""
        return f"\x1b[{_CODES[role]}m{text}\x1b[0m" if self.colour and role in _CODES else text


def columns_of(stream: TextIO) -> int | None:
    """How many columns the terminal behind a stream has; None when there is none. COLUMNS says something else."""
    if not stream.isatty():
        return None
    written = os.environ.get("COLUMNS", "")
    return int(written) if written.isdecimal() and int(written) else os.get_terminal_size(stream.fileno()).columns


def width(text: str) -> int:
    """How many columns `text` takes."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
