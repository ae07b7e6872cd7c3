"""Watches the process that started the server: a client that crashes sends no `exit`."""

import asyncio
import logging
import os
from collections.abc import Callable

__all__ = ["is_alive", "watch_parent"]

log = logging.getLogger("rubric")


async def watch_parent(process: int, gone: Callable[[], None], every: float = 3.0) -> None:
    """Call `gone` when the process has ended; checked each `every` seconds."""
    while is_alive(process):  # noqa: ASYNC110  # nothing tells when another process ends
        await asyncio.sleep(every)
    log.info("the client is gone (process %d)", process)
    gone()


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
