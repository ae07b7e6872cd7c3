"""Processes many files with several processes."""

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Generic, TypeVar

__all__ = ["parallel_map"]

T = TypeVar("T")
R = TypeVar("R")

#: The minimum number of items per process: with fewer, starting it costs more than it saves.
_FEWEST = 24
_MOST_PROCESSES = 8
#: Items are handed out in chunks: neighbours share facts about their folder, and all processes finish together.
_ITEMS = 8
_MOST_PARTS = 1024
#: The bytes of a ticket, the number of a chunk.
_TICKET = 2


def parallel_map(function: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """`function` of each item, in order. The results are sent between processes."""
    number = min(_processors(), len(items) // _FEWEST, _MOST_PROCESSES)
    if number < 2:
        return [function(item) for item in items]
    return _Work(function, items, number).done()


def _processors() -> int:
    # On other systems starting a process is as slow as a whole check, or forking is unsafe.
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1


class _Work(Generic[T, R]):
    """Chunks of items; each process takes the next one when it is finished with the last."""

    def __init__(self, function: Callable[[T], R], items: Sequence[T], processes: int) -> None:
        self._function = function
        self._items = items
        self._processes = processes
        parts = min(_MOST_PARTS, -(-len(items) // _ITEMS))
        bounds = [n * len(items) // parts for n in range(parts + 1)]
        self._parts = list(pairwise(bounds))
        # All tickets are in the pipe before the first is taken; an empty pipe means the end.
        self._tickets, full = os.pipe()
        os.write(full, b"".join(n.to_bytes(_TICKET, "little") for n in range(parts)))
        os.close(full)

    def done(self) -> list[R]:
        """All results."""
        helpers: list[_Helper[R]] = []
        try:
            helpers += (_Helper(self._computed_parts) for _ in range(1, self._processes))
            done = dict(self._computed_parts())
            for helper in helpers:
                done.update(helper.results())
        finally:
            os.close(self._tickets)
            for helper in helpers:
                helper.end()
        # Failed chunks of a child process are computed here, where an error is visible.
        return [each for n in range(len(self._parts)) for each in (done[n] if n in done else self._part(n))]

    def _computed_parts(self) -> Iterator[tuple[int, list[R]]]:
        while ticket := os.read(self._tickets, _TICKET):
            number = int.from_bytes(ticket, "little")
            yield number, self._part(number)

    def _part(self, number: int) -> list[R]:
        start, end = self._parts[number]
        return [self._function(item) for item in self._items[start:end]]


class _Helper(Generic[R]):
    """A forked process that computes chunks and sends the results."""

    def __init__(self, work: Callable[[], Iterator[tuple[int, list[R]]]]) -> None:
        ours, theirs = os.pipe()
        parent = os.getpid()
        self._process = os.fork()
        if self._process == 0:
            # With the parent's end open here too, writing would not fail after the reader has gone.
            os.close(ours)
            _send(work, theirs, parent)
        os.close(theirs)
        self._pipe = os.fdopen(ours, "rb")
        self._ended = False

    def results(self) -> dict[int, list[R]]:
        """The results by the numbers of their chunks; none from a failed process."""
        import pickle  # noqa: PLC0415  # few files need none of it

        sent = self._pipe.read()
        _, status = os.waitpid(self._process, 0)
        self._ended = True
        return dict(pickle.loads(sent)) if status == 0 else {}  # noqa: S301  # from a copy of ourselves

    def end(self) -> None:
        """Release the child process, so that it ends if this one has given up."""
        self._pipe.close()
        if not self._ended:
            self._ended = True
            with contextlib.suppress(OSError):
                os.kill(self._process, signal.SIGKILL)
                os.waitpid(self._process, 0)


def _send(work: Callable[[], Iterator[tuple[int, list[R]]]], pipe: int, parent: int) -> None:
    code = 1
    try:
        import pickle  # noqa: PLC0415

        _let_go_of_output()
        done = []
        for part in work():
            if os.getppid() != parent:
                return
            done.append(part)
        with os.fdopen(pipe, "wb") as out:
            pickle.dump(done, out, pickle.HIGHEST_PROTOCOL)
        code = 0
    finally:
        # Nothing of the parent process may be done twice.
        os._exit(code)


def _let_go_of_output() -> None:
    """Close the output: its readers wait for every process that could write to it, and a child process never does."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    os.close(nowhere)
