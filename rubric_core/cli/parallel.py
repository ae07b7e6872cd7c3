"""Many files on several processors."""

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Generic, TypeVar

__all__ = ["mapped"]

T = TypeVar("T")
R = TypeVar("R")

#: What another process has to have to do before it is worth its start.
_FEWEST = 24
_MOST_PROCESSES = 8


def mapped(function: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """`function` of each item, in their order. The results have to be such that they can be sent between processes."""
    number = min(_processors(), len(items) // _FEWEST, _MOST_PROCESSES)
    if number < 2:
        return _each(function, items)
    parts = [partial(_each, function, items[start::number]) for start in range(number)]
    helpers = [_Helper(part) for part in parts[1:]]
    done = [parts[0](), *(helper.results() for helper in helpers)]
    return [done[n % number][n // number] for n in range(len(items))]


def _each(function: Callable[[T], R], items: Sequence[T]) -> list[R]:
    return [function(item) for item in items]


def _processors() -> int:
    # Elsewhere a process starts as slowly as a whole check does, or must not be copied.
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1


class _Helper(Generic[R]):
    """A copy of this process that does a part of the work and sends what came out."""

    def __init__(self, work: Callable[[], list[R]]) -> None:
        self._do = work
        self._ours, theirs = os.pipe()
        self._process = os.fork()
        if self._process == 0:
            self._send(theirs)
        os.close(theirs)

    def _send(self, pipe: int) -> None:
        code = 1
        try:
            import pickle  # noqa: PLC0415  # few files need none of it

            with os.fdopen(pipe, "wb") as out:
                pickle.dump(self._do(), out, pickle.HIGHEST_PROTOCOL)
            code = 0
        finally:
            # Nothing of the process that this is a copy of may be done twice.
            os._exit(code)

    def results(self) -> list[R]:
        """What came out; what did not is worked out here, where an error is seen."""
        import pickle  # noqa: PLC0415

        with os.fdopen(self._ours, "rb") as pipe:
            sent = pipe.read()
        _, status = os.waitpid(self._process, 0)
        return list(pickle.loads(sent)) if status == 0 else self._do()  # noqa: S301  # from a copy of ourselves
