"""The client's side of a cluster: connections, versions, and requests to the scheduler and the workers."""

import asyncio
import os
import platform
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from typing import Any

from rubric_core.cluster.errors import ClusterError, SchedulerLostError
from rubric_core.cluster.versions import catalogue_hash, rubric_version
from rubric_core.isolated_python import isolated_workers

__all__ = ["LOCAL", "RunConnection", "cluster_at", "connected", "required_distributed"]

#: The prefix of an address for a number of worker processes on this machine.
LOCAL = "local:"
#: Seconds to wait for an answer of the scheduler, and for the first worker.
_ANSWER, _FIRST = 10.0, 60.0
#: Seconds that no run takes.
_FOR_GOOD = 30 * 86_400.0


def required_distributed() -> Any:
    """Dask distributed. Raises ClusterError if it is not installed."""
    try:
        import distributed  # noqa: PLC0415  # an extra
    except ImportError:
        raise ClusterError("a cluster needs Dask: pip install distributed") from None
    return distributed


def _comm_closed_error() -> type[OSError]:
    found: type[OSError] = required_distributed().comm.CommClosedError
    return found


@contextmanager
def cluster_at(where: str, workers: int) -> Iterator[str]:
    """The address of a scheduler: `where` itself, or that of `local:N`, whose processes end with the block.

    Args:
        where: An address, or `local:` with the number of worker processes.
        workers: How many cases run at once on a cluster of this machine, all processes together.

    Raises ClusterError.
    """
    distributed = required_distributed()
    if not where.startswith(LOCAL):
        yield where
        return
    number = where.removeprefix(LOCAL)
    if not number.isdecimal() or not int(number):
        raise ClusterError(f"local:N takes the number of worker processes, as in local:4, found {where}")
    import dask  # noqa: PLC0415  # an extra

    # A lost worker is given up after this many seconds, even if it is being restarted.
    patience = dask.config.set({"distributed.deploy.lost-worker-timeout": _FOR_GOOD})
    with ExitStack() as stack:
        stack.enter_context(patience)
        stack.enter_context(isolated_workers())
        try:
            cluster = stack.enter_context(distributed.LocalCluster(
                n_workers=int(number), threads_per_worker=max(1, -(-workers // int(number))), processes=True, dashboard_address="127.0.0.1:0",
                silence_logs=50, memory_limit=0, preload=["rubric_core.cluster.local_worker"],
            ))  # fmt: skip
        except (RuntimeError, OSError, asyncio.TimeoutError):  # which of them depends on the moment
            raise SchedulerLostError(f"the worker processes of {where} ended while they were starting") from None
        yield cluster.scheduler_address


class RunConnection:
    """The client's connection to a cluster for one run."""

    def __init__(self, client: Any) -> None:
        self.client = client
        #: The name of the run.
        self.run = f"rubric-{uuid.uuid4().hex[:12]}"
        #: The threads of each worker.
        self.threads: dict[str, int] = {}

    @property
    def slots(self) -> int:
        """How many cases run at once."""
        return max(1, sum(self.threads.values()))

    async def ask(self, what: str, **arguments: Any) -> Any:
        """The reply of the scheduler's plugin to a request. Raises OSError when the scheduler is gone."""
        return await getattr(self.client.scheduler, f"rubric_{what}")(**arguments)

    def is_lost(self) -> bool:
        """Whether the connection to the scheduler is closed."""
        comm = self.client.scheduler_comm
        return self.client.status != "running" or comm is None or comm.comm.closed()

    @staticmethod
    def lost() -> SchedulerLostError:
        """The error of a scheduler that is gone."""
        return SchedulerLostError("the scheduler does not answer any more")

    def failure_of(self, error: Exception) -> ClusterError:
        """The error that ends a run: `SchedulerLostError` if the connection is lost, else one that describes `error`."""
        if isinstance(error, ClusterError):
            return error
        if (
            isinstance(error, ConnectionError | TimeoutError | asyncio.TimeoutError | _comm_closed_error())
            or self.is_lost()
        ):
            return self.lost()
        return ClusterError(f"the run on the cluster failed: {type(error).__name__}: {error}")

    async def on_workers(
        self, call: Callable[..., Any], *arguments: Any, seconds: float, workers: list[str] | None = None
    ) -> Any:
        """What each worker returns, by its address; empty if they do not answer in time."""
        coroutine = self.client.run(call, *arguments, on_error="return", workers=workers)
        try:
            return await asyncio.wait_for(coroutine, seconds)
        except asyncio.TimeoutError:
            return {}

    async def secret_names(self, call: Callable[[], list[str]]) -> set[str]:
        """The names of the environment variables of workers that hold secrets."""
        found = (await self.on_workers(call, seconds=_FIRST)).values()
        return {name for names in found if isinstance(names, list) for name in names}

    async def compare_versions(
        self, probe: Callable[[], tuple[str, str, str]], workers: list[str] | None = None
    ) -> None:
        """Raise ClusterError for a worker whose versions differ from those of this process."""
        python = ".".join(platform.python_version_tuple()[:2])
        own = (rubric_version(), python, catalogue_hash())
        for worker, found in (await self.on_workers(probe, seconds=_FIRST, workers=workers)).items():
            if isinstance(found, BaseException):
                raise ClusterError(f"the worker {worker} cannot report its versions: {found}")
            rubric, there, code = found
            if there != python:
                raise ClusterError(f"the worker {worker} runs Python {there}, here is {python}; both must be the same")
            if not rubric:
                raise ClusterError(f"the worker {worker} has no usable rubric ({code}); install the same version there")
            if rubric != own[0]:
                raise ClusterError(f"the worker {worker} has rubric {rubric}, here is {own[0]}; both must be the same")
            if code != own[2]:
                raise ClusterError(
                    f"the worker {worker} has a different build of rubric {rubric}: its language catalogue differs"
                )


@asynccontextmanager
async def connected(address: str) -> AsyncIterator[RunConnection]:
    """A connection for one run. Raises ClusterError if no scheduler answers or it has no workers."""
    distributed = required_distributed()
    try:
        client = await distributed.Client(
            address, asynchronous=True, set_as_default=False, name="rubric", timeout=_ANSWER, heartbeat_interval=2000
        )
    except (OSError, ValueError, asyncio.TimeoutError) as error:
        raise ClusterError(f"no scheduler answers at {address}: {error or type(error).__name__}") from None
    made = RunConnection(client)
    try:
        until = time.monotonic() + float(os.environ.get("RUBRIC_FIRST_WORKER", _FIRST))
        while not (await client.scheduler.identity())["workers"]:
            if time.monotonic() > until:
                raise ClusterError(f"the scheduler at {address} has no workers; start some: dask worker {address}")
            await asyncio.sleep(0.2)
        yield made
    finally:
        with suppress(Exception):  # the results have arrived: a failure to close does not change them
            await asyncio.wait_for(client.close(), 3)
