"""Waiting for work that may take too long."""

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

__all__ = ["run_apart", "run_within", "untimed"]

T = TypeVar("T")


class _Deadline:
    """A deadline that is suspended while the work waits for its turn."""

    def __init__(self, seconds: float) -> None:
        self._loop = asyncio.get_running_loop()
        #: Done when the time is over.
        self.passed: asyncio.Future[None] = self._loop.create_future()
        self._left = seconds
        self._waiting = 0
        self._start()

    def stop(self) -> None:
        """Stop waiting: the work may not be ended any more."""
        self._timer.cancel()
        self.passed.cancel()

    def pause(self) -> None:
        """A part of the work begins to wait for its turn."""
        self._waiting += 1
        if self._waiting == 1:
            self._timer.cancel()
            self._left -= self._loop.time() - self._began

    def resume(self) -> None:
        """A part of the work has its turn."""
        self._waiting -= 1
        if not self._waiting and not self.passed.done():
            self._start()

    def is_of(self, loop: asyncio.AbstractEventLoop) -> bool:
        """Whether it may be paused in this loop."""
        return self._loop is loop

    def _start(self) -> None:
        self._began = self._loop.time()
        self._timer = self._loop.call_later(self._left, self._end)

    def _end(self) -> None:
        if not self.passed.done():
            self.passed.set_result(None)


#: Those of the work that this is a part of, the outermost first.
_deadlines: contextvars.ContextVar[tuple[_Deadline, ...]] = contextvars.ContextVar("deadlines", default=())


async def run_within(doing: Coroutine[Any, Any, T], seconds: float | None) -> T | None:
    """The result of `doing`, None if it takes longer.

    In any case, `doing` has ended. Time within `untimed` does not count.

    Time within `untimed` does not count.
    """
    if seconds is None:
        return await doing
    deadline = _Deadline(seconds)
    token = _deadlines.set((*_deadlines.get(), deadline))
    try:
        task = asyncio.ensure_future(doing)
    finally:
        _deadlines.reset(token)
    try:  # not `wait_for`, which may lose a cancellation before Python 3.12
        both: set[asyncio.Future[Any]] = {task, deadline.passed}
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        return task.result() if task.done() else None
    finally:
        deadline.stop()
        if not task.done():
            task.cancel()
            await asyncio.wait({task})


@contextmanager
def untimed() -> Iterator[None]:
    """Time within this context does not count towards an enclosing limit of `run_within`."""
    loop = asyncio.get_running_loop()
    # Those of another thread cannot be stopped from here.
    around = [each for each in _deadlines.get() if each.is_of(loop)]
    for each in around:
        each.pause()
    try:
        yield
    finally:
        for each in around:
            each.resume()


async def run_apart(work: Callable[[], T]) -> T:
    """Run `work` in its own thread and return its result. A cancelled caller does not wait for it: threads cannot be stopped.

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
        with suppress(RuntimeError):  # the event loop is closed, nobody waits any more
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=run, name="apart", daemon=True).start()
    return await future
