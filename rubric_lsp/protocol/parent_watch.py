"""The process that started the server: a client that crashes says no `exit`."""

import asyncio
import logging
import os
from collections.abc import Callable

__all__ = ["is_alive", "watch_parent"]

log = logging.getLogger("rubric")


async def watch_parent(process: int, gone: Callable[[], None], every: float = 3.0) -> None:
    """Call `gone` when the process is no more; looked at each `every` seconds."""
    while is_alive(process):  # noqa: ASYNC110  # nothing tells when another process ends
        await asyncio.sleep(every)
    log.info("the client is gone (process %d)", process)
    gone()


def is_alive(process: int) -> bool:
    """Whether there is such a process, as far as it can be seen from here."""
    if os.name == "nt":
        return True  # a signal of 0 would end the process there; the end of standard input has to do
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
