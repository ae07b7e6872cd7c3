"""Runs the cases of a suite on a Dask cluster."""

import asyncio
import pickle
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

from rubric_core.cluster.batches import BatchSize
from rubric_core.cluster.connection import RunConnection, cluster_at, connected, required_distributed
from rubric_core.cluster.errors import ClusterError, SchedulerLostError
from rubric_core.cluster.run_setup import RunSetup
from rubric_core.cluster.shipment import Shipment, differing
from rubric_core.evaluation.cases.loaded_suite import LoadedSuite
from rubric_core.evaluation.cases.options import Options
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.attempt import graders_of
from rubric_core.evaluation.engine.events import CaseDone, CaseStarted, Listener, Noted
from rubric_core.evaluation.engine.executor import CaseRunner, InProcess
from rubric_core.evaluation.engine.extensions import extensions_written
from rubric_core.evaluation.engine.run import unrun_result
from rubric_core.evaluation.model.result import CaseResult
from rubric_core.loading.directory_search import current_directory
from rubric_core.loading.grading import default_name
from rubric_core.ports import Ports

__all__ = ["ClusterExecutor"]

#: Batches sent per slot: one runs and the others queue behind it, so that no worker waits for the network.
_AHEAD = 3
#: How often a case may end its worker before it is given up.
_MOST_LOST = 3
#: Seconds between two looks at the workers.
_LOOK = 2.0
#: The options that are passed on to workers.
_OPTIONS = (
    "target", "targets", "grader_target", "threshold", "targets_file", "mode", "repeat", "evaluator", "time_limit", "allow_grader_errors",
)  # fmt: skip


@dataclass(slots=True, eq=False)
class _Job:
    """A case that waits for its result."""

    case: Runnable
    #: Its number in the suite, and which of its variations it is.
    place: tuple[int, int]
    result: "asyncio.Future[CaseResult]"
    #: How often a worker ended with it.
    lost: int = 0
    started: bool = False


class ClusterExecutor:
    """Runs cases of one suite on the workers of a Dask cluster; see `Executor`.

    Cases with errors, and those of suites with `extensions` or evaluators in Python, run in this process.

    Args:
        suite: The suite, all of whose cases may be run.
        where: The address of a scheduler, `tcp://host:8786`, or `local:N` for N processes of this machine.
        send: Variables that workers get, by name; they have no others than their own.
        shared_files: Whether workers see the files of this machine at the same paths; else those that cases depend on travel.
        silence: Seconds after which a worker that is not heard of is taken for lost.
        on_workers: Called with the number of workers when it changes.
        on_dashboard: Called with the address of Dask's page about the cluster.
    """

    def __init__(
        self, suite: LoadedSuite, where: str, *, send: Mapping[str, str] | None = None, shared_files: bool = False, silence: float = 30.0,
        on_workers: Callable[[int], None] = lambda _: None, on_dashboard: Callable[[str], None] = lambda _: None,
    ) -> None:  # fmt: skip
        self._suite, self._where = suite, where
        self._send, self._shared_files = dict(send or {}), shared_files
        self._silence, self._on_workers, self._on_dashboard = silence, on_workers, on_dashboard

    @asynccontextmanager
    async def around(
        self, cases: Sequence[Runnable], ports: Ports, on_event: Listener, workers: int
    ) -> AsyncIterator[CaseRunner]:
        """See `Executor.around`. Raises ClusterError."""
        here = [case for case in cases if _runs_here(case)]
        if cases and cases[0].options.answer_cache is not None:
            raise ClusterError("answers of targets are not cached on a cluster: leave --cache out")
        if cases and cases[0].options.mode in ("record", "refresh"):
            raise ClusterError("judges are not recorded on a cluster: record on this machine, without --on")
        if cases and cases[0].options.keep_workspaces != "never":
            raise ClusterError("workspaces are made on workers and not kept there: leave --keep-workspaces out")
        address_of = cluster_at(self._where, workers)
        address = await asyncio.to_thread(address_of.__enter__)
        try:
            async with (
                InProcess().around(here, ports, on_event, workers) as in_process,
                connected(address) as connection,
            ):
                runner = _ClusterRunner(self._suite, connection, ports, on_event, in_process)
                self._on_dashboard(connection.client.dashboard_link)
                async with runner.open(self._setup(), self._silence, self._on_workers):
                    yield runner
        finally:
            await asyncio.to_thread(address_of.__exit__, None, None, None)

    def _setup(self) -> RunSetup:
        options = self._suite.cases[0].options if self._suite.cases else Options()
        return RunSetup(
            suite=str(self._suite.path), directory=str(current_directory()), dialect=self._suite.analysis.dialect.name,
            options={name: getattr(options, name) for name in _OPTIONS}, generated=self._suite.generated, environment=self._send,
            shared_files=self._shared_files,
        )  # fmt: skip


def _runs_here(case: Runnable) -> bool:
    """Whether a case runs in this process: one that is not run at all, or that needs something only this machine has."""
    return bool(case.problems or extensions_written(case) or case.options.evaluators)


class _ClusterRunner:
    """See `CaseRunner`."""

    def __init__(
        self, suite: LoadedSuite, connection: RunConnection, ports: Ports, on_event: Listener, in_process: CaseRunner
    ) -> None:
        from rubric_core.cluster import carried  # noqa: PLC0415  # it needs the extra

        self._carried = carried
        self._connection, self._ports, self._on_event = connection, ports, on_event
        self._in_process = in_process
        self._room = asyncio.Semaphore(in_process.slots)
        #: By identity: the number of a case, and which of its variations it is; -1 for the case as a whole.
        self._places = {id(case): (place, -1) for place, case in enumerate(suite.cases)}
        for place, case in enumerate(suite.cases):
            self._places |= {id(each): (place, number) for number, each in enumerate(variations(case))}
        self._shipment = Shipment(suite)
        self._size = BatchSize()
        self._ready: deque[_Job] = deque()
        #: Cases that run alone because a worker ended with them.
        self._alone: deque[_Job] = deque()
        self._batches: dict[str, list[_Job]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._numbers = 0
        self._files = 0
        self._failure: ClusterError | None = None
        self._filling: asyncio.Task[None] | None = None
        self._run_batch: Any = None

    @property
    def slots(self) -> int:
        """See `CaseRunner.slots`."""
        return _AHEAD * self._connection.slots * self._size.most()

    async def run(self, case: Runnable) -> CaseResult:
        """See `CaseRunner.run`. Raises ClusterError."""
        if _runs_here(case):
            async with self._room:
                return await self._in_process.run(case)
        if self._failure is not None:
            raise self._failure
        place = self._places.get(id(case))
        if place is None:
            raise TypeError(f"{case.id} is not a case of the suite that this executor was made for")
        job = _Job(case, place, asyncio.get_running_loop().create_future())
        self._ready.append(job)
        self._fill_soon()
        try:
            return await job.result
        except asyncio.CancelledError:
            if job.started and self._failure is None:
                self._keep(self._end_case(job))
            raise

    @asynccontextmanager
    async def open(self, setup: RunSetup, silence: float, on_workers: Callable[[int], None]) -> AsyncIterator[None]:
        """Begin the run, and end it on every worker."""
        connection, client = self._connection, self._connection.client
        plugin, self._run_batch, call, probe = _by_value(self._carried)
        await connection.compare_versions(probe)
        try:
            await client.register_plugin(plugin)
        except Exception as error:  # noqa: BLE001  # distributed raises what the scheduler raised, of any type
            raise ClusterError(f"the scheduler does not take what rubric adds to it: {error}") from None
        await connection.ask("open", run=connection.run, client=client.id, setup=setup.packed())
        client.subscribe_topic(f"rubric-{connection.run}", self._heard_claim)
        self._call = call
        await self._look(silence, on_workers, probe)
        watching = asyncio.ensure_future(self._watch(silence, on_workers, probe))
        try:
            yield
        finally:
            watching.cancel()
            for task in [*self._tasks, *([self._filling] if self._filling else [])]:
                task.cancel()
            with suppress(Exception):  # a scheduler that is gone has nothing to end; workers notice by themselves
                await connection.on_workers(call, "end", connection.run, [], seconds=5)
                await asyncio.wait_for(connection.ask("finish", run=connection.run), 2)

    # Batches

    def _fill_soon(self) -> None:
        if self._filling is None or self._filling.done():
            self._filling = asyncio.ensure_future(self._fill())
            self._filling.add_done_callback(self._fill_ended)

    def _fill_ended(self, task: "asyncio.Task[None]") -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            self._fail(_as_lost(error))

    async def _fill(self) -> None:
        """Give batches to the cluster until enough are on their way."""
        await asyncio.sleep(0)  # the cases that the schedule starts at once are there now
        while (self._ready or self._alone) and len(self._batches) < _AHEAD * self._connection.slots:
            jobs = [self._alone.popleft()] if self._alone else self._next()
            jobs = [job for job in jobs if not job.result.done()]
            if jobs:
                await self._submit(jobs)

    def _next(self) -> list[_Job]:
        size = self._size.size(len(self._ready), self._connection.slots)
        return [self._ready.popleft() for _ in range(min(size, len(self._ready)))]

    async def _submit(self, jobs: list[_Job]) -> None:
        self._numbers += 1
        key = f"{self._connection.run}-{self._numbers}"
        self._batches[key] = jobs
        cases = [(*job.place, job.case.id, self._shipment.fingerprint(job.case)) for job in jobs]
        await self._ship()
        future = self._connection.client.submit(
            self._run_batch, self._connection.run, key, cases, self._files, key=key, pure=False
        )
        self._keep(self._collect(key, jobs, future))

    async def _ship(self) -> None:
        files = self._shipment.files()
        if files:
            # The same content travels once, wherever it stands.
            await self._connection.ask(
                "put", run=self._connection.run, files=[(each.path, each.key, each.mode) for each in files], contents={each.key: each.content for each in files}
            )  # fmt: skip
            self._files += len(files)

    def _keep(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _collect(self, key: str, jobs: list[_Job], future: Any) -> None:
        try:
            what, value = await future
            self._take(jobs, what, value)
        except asyncio.CancelledError:
            if not self._is_lost():
                raise
            self._fail(_as_lost(None))
        except OSError as error:  # of the way to the scheduler: what a worker reports is no exception
            self._fail(_as_lost(error))
        except Exception as error:  # noqa: BLE001  # what distributed raises, of any type
            if type(error).__name__ == "KilledWorker":
                self._retry(jobs, "its worker ended")
            else:
                self._fail(
                    _as_lost(error)
                    if self._is_lost()
                    else ClusterError(f"a worker failed: {type(error).__name__}: {error}")
                )
        finally:
            self._batches.pop(key, None)
            future.release()
            self._fill_soon()

    def _is_lost(self) -> bool:
        comm = self._connection.client.scheduler_comm
        return self._connection.client.status != "running" or comm is None or comm.comm.closed()

    def _take(self, jobs: Sequence[_Job], what: str, value: Any) -> None:
        if what == "lost":
            self._retry(jobs, value)
        elif what == "differs":
            name, there = pickle.loads(value)  # noqa: S301  # who takes work may answer anything
            job = next(each for each in jobs if each.case.id == name)
            found = differing(self._shipment.digests(job.case), there)
            self._fail(
                ClusterError(f"{name} is another case on a worker: {found[0] if found else 'the case itself differs'}")
            )
        elif what == "failed":
            self._fail(ClusterError(f"a worker cannot run the cases: {value}"))
        else:
            rows, notes, seconds = pickle.loads(value)  # noqa: S301  # see above
            self._size.took(seconds, len(rows))
            for note in notes:
                self._on_event(Noted(note))
            for job, row in zip(jobs, rows, strict=True):
                if row is not None and not job.result.done():
                    self._done(job, pickle.loads(row))  # noqa: S301  # see above

    def _retry(self, jobs: Sequence[_Job], why: str) -> None:
        for job in jobs:
            if job.result.done():
                continue
            job.lost += 1
            if job.lost < _MOST_LOST:
                self._alone.append(job)
            else:
                base = unrun_result(job.case, self._ports)
                reason = f"not scored: {_MOST_LOST} workers ended while they ran it, the last one because {why}"
                self._done(job, replace(base, reason=reason, at=self._ports.clock.now().isoformat(timespec="seconds")))

    def _done(self, job: _Job, result: CaseResult) -> None:
        self._start(job)
        job.result.set_result(result)
        self._on_event(CaseDone(job.case.id, result))

    def _start(self, job: _Job) -> None:
        if not job.started:
            job.started = True
            names = tuple(default_name(config) for config in graders_of(job.case))
            self._on_event(CaseStarted(job.case.id, names))

    def _heard_claim(self, event: tuple[float, Mapping[str, Any]]) -> None:
        """A worker has begun a batch."""
        jobs = self._batches.get(str(event[1].get("key")))
        if jobs and not jobs[0].result.done():
            self._start(jobs[0])

    async def _end_case(self, job: _Job) -> None:
        await self._connection.on_workers(self._call, "cases", self._connection.run, [job.place], seconds=5)

    def _fail(self, error: ClusterError) -> None:
        """End the run: every case that waits raises this."""
        if self._failure is None:
            self._failure = error
        waiting = [*self._ready, *self._alone, *(job for jobs in self._batches.values() for job in jobs)]
        self._ready.clear()
        self._alone.clear()
        for job in waiting:
            if not job.result.done():
                job.result.set_exception(self._failure)
                job.result.exception()  # a case that was called off asks no more

    # Workers

    async def _watch(self, silence: float, on_workers: Callable[[int], None], probe: Any) -> None:
        while self._failure is None:
            await asyncio.sleep(_LOOK)
            try:
                await asyncio.wait_for(self._look(silence, on_workers, probe), 30)
            except ClusterError as error:
                self._fail(error)
            except Exception as error:  # noqa: BLE001  # see `_collect`
                self._fail(_as_lost(error))

    async def _look(self, silence: float, on_workers: Callable[[int], None], probe: Any) -> None:
        found = await self._connection.ask("workers")
        for worker, (seconds, _) in found.items():
            if seconds > silence:
                self._on_event(
                    Noted(f"the worker {worker} has not been heard of for {seconds:.0f} s; its cases run elsewhere")
                )
                await self._connection.ask("retire", worker=worker)
        threads = {worker: number for worker, (seconds, number) in found.items() if seconds <= silence}
        new = [worker for worker in threads if worker not in self._connection.threads]
        if new and self._connection.threads:
            await self._connection.compare_versions(probe, new)
        if len(threads) != len(self._connection.threads):
            on_workers(len(threads))
        self._connection.threads = threads
        self._fill_soon()


def _as_lost(error: BaseException | None) -> ClusterError:
    if isinstance(error, ClusterError):
        return error
    return SchedulerLostError("the scheduler does not answer any more")


def _by_value(carried: Any) -> tuple[Any, Any, Any, Any]:
    """The plugin for the scheduler and the functions for workers, which travel as code: who takes them needs no rubric for that."""
    required_distributed()
    import cloudpickle  # type: ignore[import-untyped]  # noqa: PLC0415  # it comes with distributed, untyped

    from rubric_core.evaluation.targets import minute_window  # noqa: PLC0415  # carried along

    for module in (carried, minute_window):
        cloudpickle.register_pickle_by_value(module)
    made = carried.RubricRuns(), carried.run_batch, carried.call_worker, carried.probe
    # Copies are not what their modules have under these names, so that no pickle can refer to them.
    copies: tuple[Any, Any, Any, Any] = pickle.loads(cloudpickle.dumps(made))  # noqa: S301  # made in this line
    return copies
