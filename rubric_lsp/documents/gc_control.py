"""Garbage collection, kept out of the way of typing.

A large suite is a million small objects that live until it is closed. A full collection walks all of them, which takes
longer than checking an edit; and while such a suite is first read, nothing that is made is garbage. So collections are put
off while an analysis is made, what lives is set aside afterwards, and the rest is collected when nobody waits. So is a
workspace of a thousand small suites: walking it takes a second or two, in which nothing is answered.

An analysis that nobody has any more is let go of without a collection: it holds no circles (`tests/lsp/test_memory.py`).
"""

import asyncio
import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["GcControl"]

#: Seconds without work after which nobody is waiting.
_IDLE = 2.0
#: First readings of this many characters together make enough objects to set them aside.
_LARGE = 20_000
#: Characters of documents that were closed after which everything is looked through: what of them was set aside and is a circle
#: stays until then.
_MUCH_CLOSED = 2_000_000
# Collections of the youngest objects come ten times as seldom as by default: an analysis makes few cycles.
_THRESHOLDS = (20_000, 20, 50)


class GcControl:
    """Decides when to collect garbage. Call `started` once, when everything is imported."""

    def __init__(self) -> None:
        self._waiting: asyncio.TimerHandle | None = None
        #: Characters that were read for the first time since something was set aside, and of documents closed since all was looked through.
        self._read = self._closed = 0
        #: How many analyses are being made, and results read in threads beside them.
        self._busy = 0

    def started(self) -> None:
        """Set aside what imports have made; it lives as long as the process."""
        gc.freeze()
        gc.set_threshold(*_THRESHOLDS)
        gc.enable()

    @contextmanager
    def busy(self, fresh: int = 0) -> Iterator[None]:
        """While an analysis is made, or results are read; `fresh` is the length of a text that is read for the first time."""
        self._busy += 1
        gc.disable()
        try:
            yield
        finally:
            self._busy -= 1
            self._read += fresh
            if self._read > _LARGE:
                self._read = 0
                gc.freeze()
            if not self._busy:
                gc.enable()
            self._later()

    def released(self, length: int) -> None:
        """A document of `length` characters was closed: some of the frozen objects may be garbage now."""
        self._closed += length
        self._later()

    def _later(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
        try:
            self._waiting = asyncio.get_running_loop().call_later(_IDLE, self._collect)
        except RuntimeError:
            self._waiting = None  # no server: a test, or a script

    def _collect(self) -> None:
        self._waiting = None
        if self._closed > _MUCH_CLOSED:
            self._closed = 0
            gc.unfreeze()
        gc.collect()
        gc.freeze()
