"""Groups cases that end shortly after one another, so that they are stored and shown together."""

import asyncio
from collections.abc import Callable, Sequence

from rubric_core.evaluation.engine.events import CaseDone

__all__ = ["ResultGroup"]

#: The maximum size of a group: a transaction per case takes as long as everything else about storing it.
_MOST = 8
#: A group ends after this many turns of the event loop in which no case ends. Cases without waiting end sooner.
_QUIET_TURNS = 4
#: A case with a longer duration in milliseconds ends its group: answers of models are stored at once.
_SLOW = 100.0


class ResultGroup:
    """Collects finished cases until no other one ends right after them. None is shown before it is stored.

    Args:
        hand_on: Stores and shows a group, in the order in which its cases ended.
        fail: Called if `hand_on` raises outside of `add` and `flush`; the next `flush` raises its error.
    """

    def __init__(self, hand_on: Callable[[Sequence[CaseDone]], None], fail: Callable[[], None]) -> None:
        self._hand_on, self._fail = hand_on, fail
        self._ended: list[CaseDone] = []
        self._quiet = 0
        self._is_watching = False
        self._error: Exception | None = None

    def add(self, done: CaseDone) -> None:
        """Add a finished case. Raises errors of `hand_on`, also for an earlier group."""
        self._ended.append(done)
        self._quiet = 0
        if len(self._ended) >= _MOST or (done.result.duration_ms or 0.0) >= _SLOW:
            self.flush()
        elif not self._is_watching:
            self._is_watching = True
            asyncio.get_running_loop().call_soon(self._watch)

    def flush(self) -> None:
        """Hand on the group. Raises errors of `hand_on`, also for an earlier group."""
        if self._error is not None:
            error, self._error = self._error, None
            raise error
        ended, self._ended = self._ended, []
        if ended:
            self._hand_on(ended)

    def _watch(self) -> None:
        """Check for the end of a group in each turn of the loop."""
        self._quiet += 1
        if self._ended and self._quiet <= _QUIET_TURNS:
            asyncio.get_running_loop().call_soon(self._watch)
            return
        self._is_watching = False
        try:
            self.flush()
        except Exception as error:  # noqa: BLE001  # the event loop would only log it: `flush` raises it later
            self._error = error
            self._fail()
