"""Runs the cases of a suite on a Dask cluster."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from rubric_core.cluster.connection import RunConnection, cluster_at, connected
from rubric_core.cluster.dispatcher import Dispatcher
from rubric_core.cluster.errors import ClusterError
from rubric_core.cluster.pending_cases import PendingCases
from rubric_core.cluster.remote_code import RemoteCode, remote_code
from rubric_core.cluster.run_setup import RunSetup
from rubric_core.cluster.worker_files import WorkerFiles
from rubric_core.cluster.worker_plan import plan_for_workers
from rubric_core.cluster.worker_watch import WorkerWatch
from rubric_core.dataclass_copies import replace_fields
from rubric_core.evaluation.cases.loaded_suite import LoadedSuite
from rubric_core.evaluation.cases.options import Options
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.events import Listener
from rubric_core.evaluation.engine.executor import CaseRunner, InProcess
from rubric_core.evaluation.engine.extensions import extensions_written
from rubric_core.evaluation.engine.guard import guarded
from rubric_core.evaluation.engine.run_plan import plan_run
from rubric_core.evaluation.model.plan import Plan
from rubric_core.evaluation.model.result import CaseResult
from rubric_core.evaluation.model.variables import Variables
from rubric_core.loading.directory_search import current_directory
from rubric_core.ports import Ports
from rubric_core.trust import Trust, real_path

__all__ = ["ClusterExecutor"]

#: The options that are sent to workers.
_OPTIONS = (
    "target", "targets", "grader_target", "threshold", "targets_file", "mode", "repeat", "evaluator", "time_limit", "allow_grader_errors",
)  # fmt: skip


class ClusterExecutor:
    """Runs cases of one suite on the workers of a Dask cluster; see `Executor`.

    Cases with errors, and those of suites with `extensions` or evaluators in Python, run in this process, as do those that read what
    earlier ones gave.

    Args:
        suite: The suite of the cases.
        where: The address of a scheduler, `tcp://host:8786`, or `local:N` for N processes of this machine.
        send: The names of variables of the run that workers get besides their own.
        shared_files: Whether workers see this machine's files at the same paths; else the files that cases depend on are sent.
        silence: Seconds without a heartbeat after which a worker, or the process in it that runs cases, counts as lost.
        on_workers: Called with the number of workers when it changes.
        on_dashboard: Called with the address of Dask's dashboard.
        on_plan: Called with the plan of the run, and the folder in which it reads, before anything is sent.
    """

    def __init__(
        self, suite: LoadedSuite, where: str, *, send: Iterable[str] = (), shared_files: bool = False, silence: float = 30.0,
        on_workers: Callable[[int], None] = lambda _: None, on_dashboard: Callable[[str], None] = lambda _: None,
        on_plan: Callable[[Plan, Path], None] = lambda *_: None,
    ) -> None:  # fmt: skip
        self._suite, self._where = suite, where
        self._send, self._shared_files = tuple(send), shared_files
        self._silence, self._on_workers = silence, on_workers
        self._on_dashboard, self._on_plan = on_dashboard, on_plan

    @asynccontextmanager
    async def around(
        self, cases: Sequence[Runnable], ports: Ports, on_event: Listener, workers: int
    ) -> AsyncIterator[CaseRunner]:
        """See `Executor.around`. Raises ClusterError."""
        here = [case for case in cases if _runs_in_process(case)]
        if cases and cases[0].options.answer_cache is not None:
            raise ClusterError("answers of targets are not cached on a cluster: leave the cache out")
        if cases and cases[0].options.mode in ("record", "refresh"):
            raise ClusterError("judges are not recorded on a cluster: record on this machine")
        if cases and cases[0].options.keep_workspaces != "never":
            raise ClusterError("workspaces are made on workers and not kept there: keep none")
        address_of = cluster_at(self._where, workers)
        address = await asyncio.to_thread(address_of.__enter__)
        try:
            async with connected(address) as connection:
                code = remote_code()
                await connection.compare_versions(code.probe)
                plan = await self._planned(cases, ports, await connection.secret_names(code.secret_names))
                async with InProcess().around(here, guarded(ports, plan), on_event, workers) as in_process:
                    files = WorkerFiles(self._suite, plan)
                    runner = _ClusterCaseRunner(self._suite, connection, code, files, ports, on_event, in_process)
                    self._on_dashboard(connection.client.dashboard_link)
                    async with runner.open(self._setup(ports.environment, plan), self._silence, self._on_workers):
                        yield runner
        finally:
            await asyncio.to_thread(address_of.__exit__, None, None, None)

    async def _planned(self, cases: Sequence[Runnable], ports: Ports, names: Iterable[str]) -> Plan:
        """The plan of the run, which is shown before anything is sent. Raises ClusterError if it is not known.

        Args:
            cases: The cases.
            ports: The outside world.
            names: The variables with secrets of workers, which count as set here.
        """
        environment = Variables(ports.environment, dict.fromkeys(names, secrets.token_hex()))
        folder = Trust().folder_of(self._suite.path) or real_path(current_directory() or self._suite.path.parent)
        plan = await plan_run(cases, replace_fields(ports, environment=environment), [folder])
        if plan.unknown:
            raise ClusterError(plan.unknown)
        self._on_plan(plan, folder)
        return plan

    def _setup(self, environment: Mapping[str, str], plan: Plan) -> RunSetup:
        options = self._suite.cases[0].options if self._suite.cases else Options()
        return RunSetup(
            suite=str(self._suite.path), directory=str(current_directory()), dialect=self._suite.analysis.dialect.name,
            options={name: getattr(options, name) for name in _OPTIONS}, generated=self._suite.generated,
            environment={name: environment[name] for name in self._send},
            plan=plan_for_workers(plan), shared_files=self._shared_files, silence=self._silence,
        )  # fmt: skip


def _runs_in_process(case: Runnable) -> bool:
    """Whether a case runs in this process: one with errors, or one that needs something only this process has."""
    return bool(case.problems or case.is_serial or extensions_written(case) or case.options.evaluators)


class _ClusterCaseRunner:
    """See `CaseRunner`."""

    def __init__(
        self, suite: LoadedSuite, connection: RunConnection, code: RemoteCode, files: WorkerFiles, ports: Ports, on_event: Listener,
        in_process: CaseRunner,
    ) -> None:  # fmt: skip
        self._connection, self._code, self._on_event = connection, code, on_event
        self._in_process = in_process
        self._room = asyncio.Semaphore(in_process.slots)
        #: By identity; see `PendingCase.place`.
        self._places = {id(case): (place, -1) for place, case in enumerate(suite.cases)}
        for place, case in enumerate(suite.cases):
            self._places |= {id(each): (place, number) for number, each in enumerate(variations(case))}
        self._pending = PendingCases(ports, on_event)
        self._dispatcher = Dispatcher(connection, code, files, self._pending, on_event)

    @property
    def slots(self) -> int:
        """See `CaseRunner.slots`."""
        return self._dispatcher.slots

    async def run(self, case: Runnable) -> CaseResult:
        """See `CaseRunner.run`. Raises ClusterError."""
        if _runs_in_process(case):
            async with self._room:
                if self._dispatcher.is_held:
                    raise asyncio.CancelledError
                return await self._in_process.run(case)
        place = self._places.get(id(case))
        if place is None:
            raise TypeError(f"{case.id} is not a case of the suite that this executor was made for")
        pending = self._pending.add(case, place)
        self._dispatcher.fill_soon()
        if self._dispatcher.is_held:
            pending.result.cancel()
        try:
            return await pending.result
        except asyncio.CancelledError:
            if pending.started and self._pending.failure is None:
                self._dispatcher.cancel(pending)
            raise
        finally:
            self._pending.remove(pending)

    def hold(self) -> None:
        """See `CaseRunner.hold`."""
        self._dispatcher.hold()

    @asynccontextmanager
    async def open(self, setup: RunSetup, silence: float, on_workers: Callable[[int], None]) -> AsyncIterator[None]:
        """Begin the run, and end it on every worker. Raises ClusterError."""
        connection, client = self._connection, self._connection.client
        try:
            await client.register_plugin(self._code.plugin)
        except Exception as error:  # noqa: BLE001  # distributed raises what the scheduler raised, of any type
            raise ClusterError(f"the scheduler rejects rubric's plugin: {error}") from None
        await connection.ask("open", run=connection.run, client=client.id, setup=setup.packed())
        client.subscribe_topic(f"rubric-{connection.run}", self._dispatcher.heard_claim)
        watch = WorkerWatch(connection, self._code, silence, self._on_event, on_workers)
        await watch.check()
        watching = asyncio.ensure_future(watch.keep_checking(self._dispatcher.fill_soon, self._pending.fail))
        try:
            yield
        finally:
            watching.cancel()
            self._dispatcher.close()
            with suppress(Exception):  # without a scheduler, workers end the run by themselves
                await connection.on_workers(self._code.call_worker, "end", connection.run, [], seconds=5)
                await asyncio.wait_for(connection.ask("finish", run=connection.run), 2)
