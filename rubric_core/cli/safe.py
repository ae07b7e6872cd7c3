"""Lines as a stream may have them: in characters that it can show, and with nothing that a terminal acts on."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

from rubric_core.cli.style import COLOURS, Style
from rubric_core.control_characters import mask

__all__ = ["Safe", "act", "safe_streams", "underlying"]

_ASCII = str.maketrans(
    {
        "✔": "+",
        "◐": "~",
        "✘": "x",
        "○": "o",
        "⟳": "*",
        "⚠": "!",
        "→": "->",
        "…": "...",
        "–": "-",
        "·": "|",
        "×": "x",
        "←": "<-",
        "�": "?",
    }
)


class Safe:
    """Makes lines fit for a stream: what an answer or an id holds moves no cursor and sets no title."""

    def __init__(self, stream: TextIO) -> None:
        self.style = Style.of(stream)
        self._plain = not _can_say("✔", stream)

    def __call__(self, line: str) -> str:
        # Every other part is a colour of ours.
        parts = COLOURS.split(line) if self.style.colour else [line]
        line = "".join(part if number % 2 else mask(part) for number, part in enumerate(parts))
        return line.translate(_ASCII) if self._plain else line


def _can_say(text: str, stream: TextIO) -> bool:
    try:
        text.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


class _SafeStream:
    """A stream that shows text and does nothing else."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self._safe = Safe(stream)

    def write(self, text: str) -> int:
        self.stream.write(self._safe(text))
        return len(text)

    def writelines(self, lines: Iterator[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


@contextmanager
def safe_streams() -> Iterator[None]:
    """While this lasts, names of files and texts of others do nothing on a terminal, whoever prints them.

    What goes into a file or to another program stays as it is: it may be data.
    """
    streams = sys.stdout, sys.stderr
    shown = [cast("TextIO", _SafeStream(each)) if each.isatty() else each for each in streams]
    sys.stdout, sys.stderr = shown
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams


def act(stream: TextIO, sequence: str) -> None:
    """Let the terminal behind a stream do something, such as clear a line."""
    underlying(stream).write(sequence)


def underlying(stream: TextIO) -> TextIO:
    """The stream as it was before `safe_streams`."""
    return stream.stream if isinstance(stream, _SafeStream) else stream
