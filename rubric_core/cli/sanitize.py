"""Sanitized lines: only characters that the stream can encode, and no control sequences."""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

from rubric_core.cli.terminal_style import COLOURS, TerminalStyle
from rubric_core.control_characters import mask
from rubric_core.lazy_compilation import pattern

__all__ = ["StreamSanitizer", "as_safe", "safe_streams", "send_sequence", "underlying"]

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


#: Workflow commands of GitHub Actions: `::error …` at the start of a line, and the older `##[error]` anywhere.
_COMMAND = pattern(r"^[^\S\n]*::|##\[", re.MULTILINE)


def in_workflow() -> bool:
    """Whether the output is a log of GitHub Actions, which interprets some of it."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


class StreamSanitizer:
    """Makes lines safe for a stream: an answer or id cannot move the cursor or set a title."""

    def __init__(self, stream: TextIO) -> None:
        self.style = TerminalStyle.of(stream)
        self._in_workflow = in_workflow()
        self._plain = not _can_say("✔", stream)

    def __call__(self, line: str) -> str:
        # Every other part is a colour of rubric's own.
        parts = COLOURS.split(line) if self.style.colour else [line]
        line = "".join(part if number % 2 else mask(part) for number, part in enumerate(parts))
        if self._in_workflow:
            line = _COMMAND.sub(lambda found: f"{found[0][:-1]}\u200b{found[0][-1]}", line)
        return line.translate(_ASCII) if self._plain else line


def _can_say(text: str, stream: TextIO) -> bool:
    try:
        text.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


class _SafeStream:
    """A stream that shows text without control sequences."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self._safe = StreamSanitizer(stream)

    def write(self, text: str) -> int:
        self.stream.write(self._safe(text))
        return len(text)

    def writelines(self, lines: Iterator[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


@contextmanager
def safe_streams(*, text: bool = False) -> Iterator[None]:
    """Within this context, file names and untrusted texts have no effect on a terminal or in a workflow log, whoever prints them.

    Output to a file or another program is unchanged, as it may be data.

    Args:
        text: Whether standard output is for users.
    """
    streams = sys.stdout, sys.stderr
    logged = (in_workflow() and text, in_workflow())
    shown = [
        cast("TextIO", _SafeStream(each)) if each.isatty() or log else each
        for each, log in zip(streams, logged, strict=True)
    ]
    sys.stdout, sys.stderr = shown
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams


def send_sequence(stream: TextIO, sequence: str) -> None:
    """Send a control sequence to the terminal of a stream, for example to clear a line."""
    underlying(stream).write(sequence)


def as_safe(stream: TextIO, usual: TextIO) -> TextIO:
    """`stream`, made safe if `usual` is."""
    return cast("TextIO", _SafeStream(stream)) if isinstance(usual, _SafeStream) else stream


def underlying(stream: TextIO) -> TextIO:
    """The stream before `safe_streams`."""
    return stream.stream if isinstance(stream, _SafeStream) else stream
