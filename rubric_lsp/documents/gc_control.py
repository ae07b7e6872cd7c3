"""Schedules garbage collection so that it does not delay typing.

A large suite is a million small objects that live until it is closed. A full collection traverses all of them, which
takes longer than checking an edit; and while such a suite is first read, none of the new objects are garbage. So
collections are postponed during an analysis, live objects are frozen afterwards (`gc.freeze`), and the rest is
collected when the server is idle. The same holds for a workspace of a thousand small suites: traversing it would block
the server for a second or two. An unused analysis is freed without a collection, as it has no reference cycles
(`tests/lsp/test_memory.py`).
"""

import asyncio
import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["GcControl"]

#: Seconds without work after which the server counts as idle.
_IDLE = 2.0
#: After first reads of this many characters in total, the new objects are frozen.
_LARGE = 20_000
#: After closing documents of this many characters, frozen objects are collected, too: frozen cycles stay until then.
_MUCH_CLOSED = 2_000_000
# Collections of the youngest objects come ten times as seldom as by default: an analysis makes few cycles.
_THRESHOLDS = (20_000, 20, 50)


class GcControl:
    """Decides when to collect garbage. Call `started` once, when all imports are done."""

    def __init__(self) -> None:
        self._waiting: asyncio.TimerHandle | None = None
        #: The characters that were first read since the last freeze, and closed since the last full collection.
        self._read = self._closed = 0
        #: The number of analyses in progress, and of result reads in threads.
        self._busy = 0

    def started(self) -> None:
        """Freeze the objects that imports have created: they live as long as the process."""
        gc.freeze()
        gc.set_threshold(*_THRESHOLDS)
        gc.enable()

    @contextmanager
    def busy(self, fresh: int = 0) -> Iterator[None]:
        """Mark an analysis or a result read as in progress; `fresh` is the length of a text read for the first time."""
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
            self._waiting = None  # no server: a test or a script

    def _collect(self) -> None:
        self._waiting = None
        if self._closed > _MUCH_CLOSED:
            self._closed = 0
            gc.unfreeze()
        gc.collect()
        gc.freeze()
