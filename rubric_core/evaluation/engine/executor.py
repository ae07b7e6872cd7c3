"""Where the cases of a run are executed: in this process by default. `Schedule` decides which cases start, and when."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.engine.events import Listener
from rubric_core.evaluation.engine.run import RunSession, run_in_session, session_of
from rubric_core.evaluation.model.result import CaseResult
from rubric_core.ports import Ports

__all__ = ["CaseRunner", "Executor", "InProcess"]


class CaseRunner(Protocol):
    """Runs single cases of a run that has been set up."""

    @property
    def slots(self) -> int:
        """How many cases may run at once; may change during a run."""

    async def run(self, case: Runnable) -> CaseResult:
        """Run a case and send its events, the first and the last of them exactly once. Cancelling ends its programs and requests.

        Whatever is wrong with the case is in its result. Any other exception ends the run.
        """

    def hold(self) -> None:
        """Start no further cases. The `run` of a case that has not started is cancelled, without an event."""


class Executor(Protocol):
    """Sets up what runs the cases of one run, and tears it down afterwards."""

    def around(
        self, cases: Sequence[Runnable], ports: Ports, on_event: Listener, workers: int
    ) -> AbstractAsyncContextManager[CaseRunner]:
        """Set up around the body of a `with` block, in which only some of the cases may be run.

        Args:
            cases: The cases of the run.
            ports: The ports of the process that started the run.
            on_event: Called with every event.
            workers: How many cases the suite or the user wants to run at once.
        """


class InProcess:
    """Runs cases in the process that started the run; the default `Executor`."""

    @asynccontextmanager
    async def around(
        self, cases: Sequence[Runnable], ports: Ports, on_event: Listener, workers: int
    ) -> AsyncIterator[CaseRunner]:
        """See `Executor.around`."""
        async with session_of(cases, ports, on_event) as session:
            yield _InSession(ports, on_event, session, workers)


class _InSession:
    """See `CaseRunner`."""

    def __init__(self, ports: Ports, on_event: Listener, session: RunSession, slots: int) -> None:
        self._ports, self._on_event, self._session = ports, on_event, session
        self.slots = slots

    async def run(self, case: Runnable) -> CaseResult:
        # A copy, so that what it caches while it runs is freed afterwards.
        return await run_in_session(case.copied(), self._ports, self._on_event, self._session)

    def hold(self) -> None:
        """Nothing to do: every case that was passed to `run` has started."""
