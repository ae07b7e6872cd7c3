"""Captures the output of other code, line by line, while a region of the terminal is redrawn."""

import codecs
import os
import selectors
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["capture_stdout"]

_OUT, _ERR = 1, 2
_PIECE = 65536


@contextmanager
def capture_stdout(show: Callable[[str], None]) -> Iterator[None]:
    """Pass each line that is printed within the context, by any code, to `show`, which is called in its own thread.

    Such code includes custom evaluators, which run in this process, and the programs that they start. They block while
    nobody reads, as with a terminal.
    """
    sys.stderr.flush()
    reader, writer = os.pipe()
    told, tell = os.pipe()
    kept = [(number, os.dup(number)) for number in (_OUT, _ERR)]
    thread = threading.Thread(target=_read, args=(reader, told, show), daemon=True)
    thread.start()
    for number, _ in kept:
        os.dup2(writer, number)
    os.close(writer)
    try:
        yield
    finally:
        sys.stderr.flush()
        for number, copy in kept:
            os.dup2(copy, number)
            os.close(copy)
        os.close(tell)
        thread.join()
        os.close(reader)
        os.close(told)


def _read(reader: int, told: int, show: Callable[[str], None]) -> None:
    """Read until asked to end, and then the rest: a surviving program may never close its end."""
    lines = _Lines(show)
    with selectors.DefaultSelector() as waiting:
        waiting.register(reader, selectors.EVENT_READ)
        waiting.register(told, selectors.EVENT_READ)
        ready = {reader}
        while reader in ready:
            ready = {key.fd for key, _ in waiting.select()}
            if reader in ready:
                data = os.read(reader, _PIECE)
                lines.take(data)
                # The pipe holds only one write that came before the end was signalled.
                if not data or told in ready:
                    break
    lines.end()


class _Lines:
    """Splits data into lines."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""

    def take(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + self._decoder.decode(data)).replace("\r\n", "\n").split("\n")
        for line in lines:
            self._line(line)
        if len(self._rest) > _PIECE:
            self.end()

    def end(self) -> None:
        """No data follows an incomplete line."""
        rest, self._rest = self._rest, ""
        if rest:
            self._line(rest)

    def _line(self, line: str) -> None:
        # Of a progress bar that redraws its line, only the last state counts.
        self._show(line.rstrip("\r").rpartition("\r")[2])
