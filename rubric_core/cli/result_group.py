"""Groups cases that end shortly after one another, so that they are stored and shown together."""

import asyncio
from collections.abc import Callable, Sequence

from rubric_core.evaluation.engine.events import CaseDone

__all__ = ["ResultGroup"]

#: The maximum size of a group: a transaction per case takes as long as everything else about storing it.
_MOST = 32
#: Seconds from the end of the first case of a group to the end of the group. The cases after those that ended have started
#: meanwhile, so that a group is stored while their answers are on their way.
_DELAY = 0.02


class ResultGroup:
    """Collects finished cases for a moment. None is shown before it is stored, and only those that are not shown can get lost.

    Args:
        hand_on: Stores and shows a group, in the order in which its cases ended.
        fail: Called if `hand_on` raises outside of `add` and `flush`; the next `flush` raises its error.
    """

    def __init__(self, hand_on: Callable[[Sequence[CaseDone]], None], fail: Callable[[], None]) -> None:
        self._hand_on, self._fail = hand_on, fail
        self._ended: list[CaseDone] = []
        self._timer: asyncio.TimerHandle | None = None
        self._error: Exception | None = None

    def add(self, done: CaseDone) -> None:
        """Add a finished case. Raises errors of `hand_on`, also for an earlier group."""
        self._ended.append(done)
        if len(self._ended) >= _MOST:
            self.flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_DELAY, self._end)

    def flush(self) -> None:
        """Hand on the group. Raises errors of `hand_on`, also for an earlier group."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._error is not None:
            error, self._error = self._error, None
            raise error
        ended, self._ended = self._ended, []
        if ended:
            self._hand_on(ended)

    def _end(self) -> None:
        self._timer = None
        try:
            self.flush()
        except Exception as error:  # noqa: BLE001  # the event loop would only log it: `flush` raises it later
            self._error = error
            self._fail()
