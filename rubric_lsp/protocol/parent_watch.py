"""Watches the process that started the server: a client that crashes sends no `exit`."""

import asyncio
import logging
import os
from collections.abc import Callable

__all__ = ["is_alive", "watch_parent"]

log = logging.getLogger("rubric")


async def watch_parent(process: int, gone: Callable[[], None], every: float = 5.0) -> None:
    """Call `gone` when the process has ended; checked each `every` seconds where the system does not tell."""
    try:
        await _end_of(process)
    except (AttributeError, OSError, NotImplementedError):  # no Linux of today, or a loop without readers
        while is_alive(process):  # noqa: ASYNC110  # nothing tells when another process ends
            await asyncio.sleep(every)
    log.info("the client is gone (process %d)", process)
    gone()


async def _end_of(process: int) -> None:
    """Wait for the end of a process without waking up before. Raises OSError where the system cannot tell, AttributeError elsewhere."""
    try:
        handle = os.pidfd_open(process)
    except ProcessLookupError:
        return
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    try:
        loop.add_reader(handle, ended.set)
        try:
            await ended.wait()
        finally:
            loop.remove_reader(handle)
    finally:
        os.close(handle)


def is_alive(process: int) -> bool:
    """Whether a process exists, as far as this process can tell."""
    if os.name == "nt":
        return True  # signal 0 would end the process there; the end of standard input has to do
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
