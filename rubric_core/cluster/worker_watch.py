"""Watches the workers of a run as they join, leave, or fall silent."""

import asyncio
from collections.abc import Callable

from rubric_core.cluster.connection import RunConnection
from rubric_core.cluster.errors import ClusterError
from rubric_core.cluster.remote_code import RemoteCode
from rubric_core.evaluation.engine.events import Listener, Noted

__all__ = ["WorkerWatch"]

#: Seconds between two checks of the workers, and the longest duration of one.
_PAUSE, _LONGEST = 2.0, 30.0


class WorkerWatch:
    """Keeps `RunConnection.threads` up to date.

    Args:
        connection: The run.
        code: Its `probe` reports the versions of a worker.
        silence: Seconds without a heartbeat after which a worker counts as lost.
        on_event: Receives notes on silent workers.
        on_workers: Called with the number of workers when it changes.
    """

    def __init__(
        self, connection: RunConnection, code: RemoteCode, silence: float, on_event: Listener, on_workers: Callable[[int], None]
    ) -> None:  # fmt: skip
        self._connection, self._probe, self._silence = connection, code.probe, silence
        self._on_event, self._on_workers = on_event, on_workers

    async def keep_checking(self, on_check: Callable[[], None], on_failure: Callable[[ClusterError], None]) -> None:
        """Check again and again. `on_check` is called after each check, `on_failure` once when one fails."""
        while True:
            await asyncio.sleep(_PAUSE)
            try:
                await asyncio.wait_for(self.check(), _LONGEST)
            except Exception as error:  # noqa: BLE001  # distributed raises what scheduler or workers raised, of any type
                on_failure(self._connection.failure_of(error))
                return
            on_check()

    async def check(self) -> None:
        """Compare the versions of new workers and retire silent ones. Raises ClusterError for a wrong version."""
        found = await self._connection.ask("workers")
        for worker, (seconds, _) in found.items():
            if seconds > self._silence:
                self._on_event(
                    Noted(f"the worker {worker} has been silent for {seconds:.0f} s; its cases run elsewhere")
                )
                await self._connection.ask("retire", worker=worker)
        threads = {worker: number for worker, (seconds, number) in found.items() if seconds <= self._silence}
        known = self._connection.threads
        new = [worker for worker in threads if worker not in known]
        if new and known:  # `open` has compared the first ones
            await self._connection.compare_versions(self._probe, new)
        if len(threads) != len(known):
            self._on_workers(len(threads))
        self._connection.threads = threads
