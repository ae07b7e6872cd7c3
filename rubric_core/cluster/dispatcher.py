"""Sends batches of cases to workers, with the files that they need, and collects the results."""

import asyncio
import pickle
from collections.abc import Mapping, Sequence
from typing import Any

from rubric_core.cluster.batches import BatchSize
from rubric_core.cluster.connection import RunConnection
from rubric_core.cluster.errors import ClusterError
from rubric_core.cluster.pending_cases import PendingCase, PendingCases
from rubric_core.cluster.remote_code import RemoteCode
from rubric_core.cluster.worker_files import WorkerFiles, differing
from rubric_core.evaluation.engine.events import Listener, Noted

__all__ = ["Dispatcher"]

#: Batches in flight per slot: one runs, the others queue at the worker so that it is never idle.
_BATCHES_PER_SLOT = 3


class Dispatcher:
    """The batches of one run.

    Args:
        connection: The run.
        code: The code that workers run.
        worker_files: The files of the suite.
        pending: The cases without a result.
        on_event: Receives the notes of workers.
    """

    def __init__(
        self,
        connection: RunConnection,
        code: RemoteCode,
        worker_files: WorkerFiles,
        pending: PendingCases,
        on_event: Listener,
    ) -> None:
        self._connection, self._code, self._worker_files = connection, code, worker_files
        self._pending, self._on_event = pending, on_event
        self._size = BatchSize()
        #: By key: the batches that were sent and have not returned.
        self._sent: dict[str, list[PendingCase]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._filling: asyncio.Task[None] | None = None
        self._count = 0
        #: The number of files that the scheduler has.
        self._files = 0
        #: Whether the sending of batches has stopped.
        self.is_held = False

    @property
    def slots(self) -> int:
        """How many cases may be in flight."""
        return _BATCHES_PER_SLOT * self._connection.slots * self._size.most()

    def fill_soon(self) -> None:
        """Send batches until enough are on their way."""
        if self._filling is None or self._filling.done():
            self._filling = self._keep(self._fill())

    def cancel(self, pending: PendingCase) -> None:
        """End a case on the worker that runs it."""
        self._keep(self._call_workers("cases", [pending.place]))

    def hold(self) -> None:
        """Stop sending batches, and cancel the cases of those that no worker has started."""
        if not self.is_held:
            self.is_held = True
            self._keep(self._hold())

    def close(self) -> None:
        """Stop sending and collecting."""
        for task in self._tasks:
            task.cancel()

    def heard_claim(self, event: tuple[float, Mapping[str, Any]]) -> None:
        """Handle the scheduler's event that a worker has begun a batch."""
        cases = self._sent.get(str(event[1].get("key")))
        if cases and not cases[0].result.done():
            self._pending.start(cases[0])

    def _keep(self, work: Any) -> "asyncio.Task[Any]":
        task = asyncio.ensure_future(self._guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _guarded(self, work: Any) -> None:
        """Run a background task; if it fails, the run fails, so that no case waits forever."""
        try:
            await work
        except Exception as error:  # noqa: BLE001  # distributed raises what scheduler or workers raised, of any type
            self._pending.fail(self._connection.failure_of(error))

    async def _call_workers(self, what: str, arguments: list[Any]) -> None:
        await self._connection.on_workers(self._code.call_worker, what, self._connection.run, arguments, seconds=5)

    async def _hold(self) -> None:
        begun = set(await self._connection.ask("hold", run=self._connection.run))
        running = {each for key, cases in self._sent.items() if key in begun for each in cases}
        self._pending.cancel(self._pending.all - running)

    async def _fill(self) -> None:
        await asyncio.sleep(0)  # batch the cases that the schedule starts at once
        most = _BATCHES_PER_SLOT * self._connection.slots
        while not self.is_held and self._pending.unsent and len(self._sent) < most:
            cases = self._pending.batch(self._size.size(self._pending.unsent, self._connection.slots))
            if cases:
                await self._send(cases)

    async def _send(self, cases: list[PendingCase]) -> None:
        self._count += 1
        key = f"{self._connection.run}-{self._count}"
        self._sent[key] = cases
        described = [(*each.place, each.case.id, self._worker_files.fingerprint(each.case)) for each in cases]
        await self._ship()
        future = self._connection.client.submit(
            self._code.run_batch, self._connection.run, key, described, self._files, key=key, pure=False
        )
        self._keep(self._collect(key, cases, future))

    async def _ship(self) -> None:
        files = self._worker_files.files()
        if files:
            # Files with equal contents share one.
            await self._connection.ask(
                "put", run=self._connection.run, files=[(each.path, each.key, each.mode) for each in files], contents={each.key: each.content for each in files}
            )  # fmt: skip
            self._files += len(files)

    async def _collect(self, key: str, cases: list[PendingCase], future: Any) -> None:
        try:
            what, value = await future
        except asyncio.CancelledError:
            if self._connection.is_lost():  # distributed cancels the futures of a lost scheduler
                raise self._connection.lost() from None
            raise
        except Exception as error:
            if type(error).__name__ != "KilledWorker":
                raise
            what, value = "lost", "its worker ended"
        finally:
            self._sent.pop(key, None)
            future.release()
        self._take(cases, what, value)
        self.fill_soon()

    def _take(self, cases: Sequence[PendingCase], what: str, value: Any) -> None:
        """Handle the outcome of a batch; see `run_batch`. Raises ClusterError if it ends the run."""
        if what == "lost" and self.is_held:
            self._pending.cancel(cases)
        elif what == "lost":
            self._pending.lose(cases, value)
        elif what == "differs":
            name, there = pickle.loads(value)  # noqa: S301  # a run trusts its workers
            case = next(each.case for each in cases if each.case.id == name)
            found = differing(self._worker_files.digests(case), there)
            raise ClusterError(f"{name} differs on a worker: {found[0] if found else 'the case itself differs'}")
        elif what == "failed":
            raise ClusterError(f"a worker cannot run the cases: {value}")
        else:
            rows, notes, seconds = pickle.loads(value)  # noqa: S301  # see above
            self._size.took(seconds, len(rows))
            for note in notes:
                self._on_event(Noted(note))
            for pending, row in zip(cases, rows, strict=True):
                if row is not None:
                    self._pending.finish(pending, pickle.loads(row))  # noqa: S301  # see above
