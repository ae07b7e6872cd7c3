"""Waiting for what another process or task does. Patience is for loaded machines: where all is well, nothing takes so long."""

import asyncio
import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

__all__ = ["PATIENCE", "alive", "seen", "until", "without_hanging"]

#: Seconds.
PATIENCE = 120.0
T = TypeVar("T")


def until(what: str, look: Callable[[], T], patience: float = PATIENCE) -> T:
    """The first true value that `look` gives."""
    end = time.monotonic() + patience
    while True:
        if found := look():
            return found
        if time.monotonic() > end:
            raise AssertionError(f"not seen within {patience:.0f} s: {what}")
        time.sleep(0.005)


async def seen(what: str, look: Callable[[], T]) -> T:
    """The same for other tasks of the same loop."""
    end = time.monotonic() + PATIENCE
    while True:
        if found := look():
            return found
        if time.monotonic() > end:
            raise AssertionError(f"not seen within {PATIENCE:.0f} s: {what}")
        await asyncio.sleep(0.005)


def alive(pid: int | str) -> bool:
    """Whether a process runs; one that has ended and that nobody has asked about does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@contextlib.contextmanager
def without_hanging() -> Iterator[None]:
    """What takes time that grows with the square of the text, or worse, does not end within our patience."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(*_: object) -> None:
        raise AssertionError(f"not done within {PATIENCE:.0f} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
