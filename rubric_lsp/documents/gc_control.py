"""Garbage collection, kept out of the way of typing.

A large suite is a million small objects that live until it is closed. A full collection walks all of them, which takes
longer than checking an edit; and while such a suite is first read, nothing that is made is garbage. So collections are put
off while an analysis is made, what lives is set aside afterwards, and the rest is collected when nobody waits.
"""

import asyncio
import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["GcControl"]

#: Seconds without work after which nobody is waiting.
_IDLE = 2.0
#: A first reading of this many characters makes enough objects to set them aside.
_LARGE = 20_000
# Collections of the youngest objects come ten times as seldom as by default: an analysis makes few cycles.
_THRESHOLDS = (20_000, 20, 50)


class GcControl:
    """Decides when to collect garbage. Call `started` once, when everything is imported."""

    def __init__(self) -> None:
        self._waiting: asyncio.TimerHandle | None = None
        self._thaw = False
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
            if fresh > _LARGE:
                gc.freeze()
            if not self._busy:
                gc.enable()
            self._later()

    def released(self) -> None:
        """A document was closed: some of what was set aside may be garbage now."""
        self._thaw = True
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
        if self._thaw:
            self._thaw = False
            gc.unfreeze()
        gc.collect()
        gc.freeze()
