"""The cases of a run without a result, and how often each was lost with its worker."""

import asyncio
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from rubric_core.cluster.errors import ClusterError
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.engine.attempt import graders_of
from rubric_core.evaluation.engine.events import CaseDone, CaseStarted, Listener
from rubric_core.evaluation.engine.run import unrun_result
from rubric_core.evaluation.model.result import CaseResult
from rubric_core.lazy_compilation import replace
from rubric_core.loading.grading import default_name
from rubric_core.ports import Ports

__all__ = ["PendingCase", "PendingCases"]

#: A case that was lost this often is not sent again.
_MOST_LOST = 3


@dataclass(slots=True, eq=False)
class PendingCase:
    """A case that waits for its result."""

    case: Runnable
    #: Its number in the suite, and which of its variations it is; -1 for the case as a whole.
    place: tuple[int, int]
    result: "asyncio.Future[CaseResult]"
    #: How often a worker ended with it.
    lost: int = 0
    started: bool = False


class PendingCases:
    """The cases without a result, those to be sent and those in flight.

    Args:
        ports: Those of the client.
        on_event: Receives the start and the end of cases.
    """

    def __init__(self, ports: Ports, on_event: Listener) -> None:
        self._ports, self._on_event = ports, on_event
        #: Why the run ended; every case that waits raises it.
        self.failure: ClusterError | None = None
        #: All of them, sent or not.
        self.all: set[PendingCase] = set()
        self._unsent: deque[PendingCase] = deque()
        #: Cases that are sent alone because a worker ended with them.
        self._alone: deque[PendingCase] = deque()

    def add(self, case: Runnable, place: tuple[int, int]) -> PendingCase:
        """Queue a case. Raises ClusterError when the run has ended."""
        if self.failure is not None:
            raise self.failure
        added = PendingCase(case, place, asyncio.get_running_loop().create_future())
        self.all.add(added)
        self._unsent.append(added)
        return added

    def remove(self, pending: PendingCase) -> None:
        """Forget a case whose `run` has returned."""
        self.all.discard(pending)

    @property
    def unsent(self) -> int:
        """The number of cases that have not been sent."""
        return len(self._unsent) + len(self._alone)

    def batch(self, size: int) -> list[PendingCase]:
        """Take up to `size` cases to be sent together, without those that were cancelled."""
        if self._alone:
            taken = [self._alone.popleft()]
        else:
            taken = [self._unsent.popleft() for _ in range(min(size, len(self._unsent)))]
        return [each for each in taken if not each.result.done()]

    def start(self, pending: PendingCase) -> None:
        """Report once that a case runs."""
        if not pending.started:
            pending.started = True
            names = tuple(default_name(config) for config in graders_of(pending.case))
            self._on_event(CaseStarted(pending.case.id, names))

    def finish(self, pending: PendingCase, result: CaseResult) -> None:
        """Record the result of a case, unless it has one or was cancelled. An exception of the listener is raised from the case's `run`."""
        if pending.result.done():
            return
        try:
            self.start(pending)
            self._on_event(CaseDone(pending.case.id, result))
        except Exception as error:  # noqa: BLE001  # a listener may raise anything
            pending.result.set_exception(error)
        else:
            pending.result.set_result(result)

    def lose(self, cases: Iterable[PendingCase], why: str) -> None:
        """Send cases again whose worker ended; a case that was lost too often is unscored."""
        for pending in cases:
            if pending.result.done():
                continue
            pending.lost += 1
            if pending.lost < _MOST_LOST:
                self._alone.append(pending)
            else:
                base = unrun_result(pending.case, self._ports)
                reason = f"not scored: {_MOST_LOST} workers ended while they ran it, the last one because {why}"
                self.finish(pending, replace(base, reason=reason, at=self._ports.clock.now().isoformat(timespec="seconds")))  # fmt: skip

    @staticmethod
    def cancel(cases: Iterable[PendingCase]) -> None:
        """Cancel cases that will not be run."""
        for pending in cases:
            pending.result.cancel()

    def fail(self, error: ClusterError) -> None:
        """End the run: every case that waits raises this."""
        if self.failure is None:
            self.failure = error
        self._unsent.clear()
        self._alone.clear()
        for pending in self.all:
            if not pending.result.done():
                pending.result.set_exception(self.failure)
                pending.result.exception()  # retrieved: a cancelled case never awaits it
