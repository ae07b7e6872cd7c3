"""Waiting for work that may take too long."""

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

__all__ = ["run_apart", "run_within"]

T = TypeVar("T")


async def run_within(doing: Coroutine[Any, Any, T], seconds: float | None) -> T | None:
    """What `doing` gives, None when it takes longer. However this ends, `doing` has ended before."""
    if seconds is None:
        return await doing
    task = asyncio.ensure_future(doing)
    try:  # not `wait_for`, which may lose a cancellation before Python 3.12
        done, _ = await asyncio.wait({task}, timeout=seconds)
        return task.result() if done else None
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task})


async def run_apart(work: Callable[[], T]) -> T:
    """What `work` gives in its own thread, which nobody waits for when this is cancelled: nothing can end it.

    Raises what `work` raises; RuntimeError where that would end the program.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()

    def settle(result: T | None, error: BaseException | None) -> None:
        if future.done():
            return  # cancelled
        if error is None:
            future.set_result(result)  # type: ignore[arg-type]  # a result, whatever T is
        else:
            future.set_exception(error)

    def run() -> None:
        result, error = None, None
        try:
            result = context.run(work)
        except Exception as problem:  # noqa: BLE001  # for the one who waits
            error = problem
        except BaseException as problem:  # noqa: BLE001  # it is not for others' code to end the program
            error = RuntimeError(f"{type(problem).__name__}: {problem}")
        with suppress(RuntimeError):  # the loop is closed, nobody waits any more
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=run, name="apart", daemon=True).start()
    return await future
