"""A region at the bottom of a terminal that is redrawn in place, with other output above it."""

import os
import stat
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import TextIO

from rubric_core.cli.terminal_style import columns_of, fitted, width

__all__ = ["TerminalRegion", "can_redraw"]

#: Terminals without cursor movement.
_DUMB = ("dumb", "unknown")
#: Ends a drawn line, and erases one.
_END, _EMPTIED = "\x1b[0m\x1b[K\r\n", "\x1b[2K\r\n"


def can_redraw(stream: TextIO, out: TextIO) -> bool:
    """Whether a stream is a terminal with a movable cursor, to which no other stream writes."""
    return stream.isatty() and os.environ.get("TERM", "") not in _DUMB and not _is_pipe(out)


def _is_pipe(stream: TextIO) -> bool:
    try:
        mode = os.fstat(stream.fileno()).st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


class TerminalRegion:
    """The last lines of a terminal.

    Args:
        stream: The terminal. It is written to by a file descriptor of its own, so that standard error can be
            redirected.
        out: Where the lines above go: the same terminal, or something else.
    """

    def __init__(self, stream: TextIO, out: TextIO) -> None:
        copy = os.dup(stream.fileno())
        self._terminal = open(copy, "w", encoding=stream.encoding, errors="replace", newline="")  # noqa: PTH123, SIM115  # until `close`
        self._out = out
        self._lock = threading.Lock()
        self._lines: Sequence[str] = ()

    def size(self) -> tuple[int, int]:
        """The current columns and rows, regardless of COLUMNS and LINES."""
        columns, rows = columns_of(self._terminal) or 0, 0
        with suppress(OSError):
            rows = os.get_terminal_size(self._terminal.fileno()).lines
        written = os.environ.get("LINES", "")
        return columns or 80, int(written) if written.isdecimal() and int(written) else rows or 24

    def draw(self, lines: Sequence[str]) -> None:
        """Replace the region by these lines, cut to the width of the terminal."""
        with self._lock:
            columns, _ = self.size()
            fit = [fitted(line, max(1, columns - 1)) for line in lines]
            self._write(
                f"{self._erased(columns, rewriting=True)}{''.join(f'{line}{_END}' for line in fit)}{self._spare(len(fit))}"
            )
            self._lines = fit

    def above(self, text: str) -> None:
        """Print complete lines above the region."""
        with self._lock:
            self._write(self._erased(self.size()[0]))
            self._out.write(text)
            self._out.flush()
            self._write("".join(f"{line}{_END}" for line in self._lines))

    def print_notice(self, line: str) -> None:
        """Print a line above that is not a result: on the terminal, wherever results go."""
        with self._lock:
            self._write(f"{self._erased(self.size()[0])}{line}\r\n{''.join(f'{each}{_END}' for each in self._lines)}")

    def clear(self) -> None:
        """Erase the region."""
        with self._lock:
            if self._lines:
                self._write(self._erased(self.size()[0]))
                self._lines = ()

    def close(self) -> None:
        """Release the terminal."""
        self.clear()
        with suppress(OSError):
            self._terminal.close()

    def _erased(self, columns: int, *, rewriting: bool = False) -> str:
        """Moves the cursor to the first line of the region, whose lines take more rows in a narrower terminal."""
        rows = min(sum(max(1, -(-width(line) // columns)) for line in self._lines), self.size()[1] - 1)
        if not rows:
            return "\r"
        up = f"\x1b[{rows}A\r"
        # Lines are overwritten without erasing them first, unless they have wrapped. Each is erased by itself, as some
        # terminals keep the content of a screen that is cleared as a whole.
        return up if rewriting and rows == len(self._lines) else f"{up}{_EMPTIED * rows}{up}"

    def _spare(self, count: int) -> str:
        """Erases the lines below that are no longer used."""
        spare = len(self._lines) - count
        return f"{_EMPTIED * spare}\x1b[{spare}A" if spare > 0 else ""

    def _write(self, text: str) -> None:
        with suppress(OSError):  # the terminal is gone: results are kept anyway
            self._terminal.write(text)
            self._terminal.flush()
