"""SIGINT and SIGTERM as events: an exception in the middle of a step could leave other steps waiting forever."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["TerminationSignal"]

#: The number of signals after which the process ends without cleaning up.
_IMPATIENT = 3


class TerminationSignal:
    """The signal that asked the run to end, if any."""

    def __init__(self) -> None:
        #: 0 for none.
        self.signal = 0
        self._times = 0

    @contextmanager
    def cancels_this_task(self) -> Iterator[None]:
        """Inside this context, the first signal cancels the task of the caller. Without signals, Ctrl-C stays an exception."""
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        heard = []
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and task is not None:
                with contextlib.suppress(NotImplementedError):  # Windows
                    loop.add_signal_handler(number, self._on_signal, number, task)
                    heard.append(number)
        try:
            yield
        finally:
            for number in heard:
                loop.remove_signal_handler(number)
                if self.signal:  # the first signal is enough: the rest of the work is reporting
                    signal.signal(number, signal.SIG_IGN)

    def _on_signal(self, number: int, task: "asyncio.Task[Any]") -> None:
        self._times += 1
        if self._times == 1:
            self.signal = number
            task.cancel()
        elif self._times == _IMPATIENT:
            os._exit(128 + number)  # running programs are ended by the guard
