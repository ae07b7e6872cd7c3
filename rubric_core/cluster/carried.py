"""What schedulers and workers of a cluster are handed as code: a scheduler needs no rubric, and a worker without it can say so.

Imports only the standard library, distributed, and the arithmetic of limits, which is carried along.
"""

import asyncio
import time
from typing import Any

from distributed.diagnostics.plugin import SchedulerPlugin

from rubric_core.evaluation.targets.minute_window import MinuteWindow

__all__ = ["NAME", "RubricRuns", "call_worker", "probe", "run_batch"]

#: The plugin's name at the scheduler. It changes with the plugin's interface.
NAME = "rubric-runs-1"


class _Run:
    """The state of one run in the scheduler."""

    def __init__(self, client: str, setup: bytes) -> None:
        self.client = client
        #: The setup for workers, opaque to the scheduler.
        self.setup = setup
        self.files: list[tuple[str, str, int]] = []
        self.contents: dict[str, bytes] = {}
        #: The batches that were begun.
        self.claimed: set[str] = set()
        self.windows: dict[str, MinuteWindow] = {}
        #: Requests that are not answered yet, by number.
        self.sent: dict[int, Any] = {}
        #: For each target: the holders of places by request number, and when the next request may start.
        self.places: dict[str, dict[int, str]] = {}
        self.next: dict[str, float] = {}
        #: For each target: set when a place becomes free.
        self.freed: dict[str, asyncio.Event] = {}
        self.numbers = 0

    def free(self, worker: str) -> None:
        """Free all places that a worker held."""
        for target, held in self.places.items():
            for number in [number for number, holder in held.items() if holder == worker]:
                self.release(target, number)

    def release(self, target: str, number: int) -> None:
        """Free one place."""
        if self.places.get(target, {}).pop(number, None) is not None:
            self.freed[target].set()


class RubricRuns(SchedulerPlugin):
    """In the scheduler: which batches were begun, the files and limits of runs, and which workers are silent."""

    name = NAME
    idempotent = True

    def __init__(self) -> None:
        self.runs: dict[str, _Run] = {}
        self.scheduler: Any = None

    async def start(self, scheduler: Any) -> None:
        """Register the handlers for requests of clients and workers."""
        self.scheduler = scheduler
        asked = ("open", "finish", "put", "content", "join", "files", "alive", "claim", "workers", "retire")
        limits = ("admit", "repeated", "answered", "enter", "leave", "left")
        scheduler.handlers.update({f"rubric_{name}": getattr(self, name) for name in (*asked, *limits)})

    # Runs

    def open(self, run: str, client: str, setup: bytes) -> None:
        """Register a run that a client begins."""
        self.runs[run] = _Run(client, setup)

    def finish(self, run: str) -> None:
        """Remove a run that is over."""
        self.runs.pop(run, None)

    def remove_client(self, scheduler: Any, client: str) -> None:  # noqa: ARG002  # distributed's signature
        """Remove the runs of a client that has disconnected."""
        for run in [run for run, each in self.runs.items() if each.client == client]:
            del self.runs[run]

    def alive(self, run: str) -> bool:
        """Whether a run goes on."""
        return run in self.runs

    def join(self, run: str) -> bytes | None:
        """The setup that a worker needs to join a run; None when the run is over."""
        known = self.runs.get(run)
        return known.setup if known is not None else None

    def put(self, run: str, files: list[Any], contents: dict[str, bytes]) -> None:
        """Files of a run: paths with the hashes of their contents and their modes; and contents by hash."""
        self.runs[run].files += [tuple(each) for each in files]
        self.runs[run].contents |= contents

    def files(self, run: str, first: int, end: int) -> list[tuple[str, str, int]]:
        """Some of the files of a run."""
        return self.runs[run].files[first:end]

    def content(self, run: str, key: str) -> bytes:
        """The content with a hash."""
        return self.runs[run].contents[key]

    def claim(self, run: str, key: str, worker: str) -> bool:
        """Whether a worker may begin a batch: only the first one may. Who started the run decides what happens to the others."""
        known = self.runs.get(run)
        if known is None or key in known.claimed:
            return False
        known.claimed.add(key)
        self.scheduler.log_event(f"rubric-{run}", {"key": key, "worker": worker})
        return True

    # Workers

    def workers(self) -> dict[str, tuple[float, int]]:
        """The seconds since each worker was last heard of, and the number of its threads."""
        now = time.time()
        return {address: (now - each.last_seen, each.nthreads) for address, each in self.scheduler.workers.items()}

    async def retire(self, worker: str) -> None:
        """Treat a silent worker as lost."""
        await self.scheduler.remove_worker(worker, stimulus_id=f"rubric-silent-{time.time()}")

    def remove_worker(self, scheduler: Any, worker: str, **_: Any) -> None:  # noqa: ARG002  # distributed's signature
        """Free the places held by a worker that has gone."""
        for known in self.runs.values():
            known.free(worker)

    # Limits of targets, over the whole cluster

    def admit(self, run: str, target: str, limits: list[int | None], characters: int) -> tuple[float, int]:
        """Seconds after which to ask again; 0 with the number of the request when it may be sent."""
        known = self.runs[run]
        window = known.windows.setdefault(target, MinuteWindow(*limits))
        expected, now = window.expected(characters), time.monotonic()
        seconds = window.wait(expected, now)
        if seconds > 0:
            return seconds, 0
        known.numbers += 1
        known.sent[known.numbers] = window.count(expected, now)
        return 0.0, known.numbers

    def repeated(self, run: str, target: str, number: int) -> None:
        """A request was sent again."""
        known = self.runs[run]
        known.windows[target].count(known.sent[number].tokens, time.monotonic())

    def answered(self, run: str, target: str, number: int, tokens: int | None) -> None:
        """A request was answered."""
        known = self.runs[run]
        request = known.sent.pop(number)
        if tokens is not None:
            known.windows[target].answered(request, tokens)

    async def enter(self, run: str, target: str, worker: str, most: int | None, delay: float) -> tuple[float, int]:
        """Wait for a place; returns the seconds to wait before sending the request with this number."""
        known = self.runs[run]
        held, freed = known.places.setdefault(target, {}), known.freed.setdefault(target, asyncio.Event())
        while most is not None and len(held) >= most:
            freed.clear()
            await freed.wait()
        now = time.monotonic()
        begin = max(now, known.next.get(target, 0.0))
        known.next[target] = begin + delay
        known.numbers += 1
        if worker in self.scheduler.workers:  # else it ended while it waited
            held[known.numbers] = worker
        return begin - now, known.numbers

    def leave(self, run: str, target: str, number: int) -> None:
        """A request that had a place is over."""
        known = self.runs.get(run)
        if known is not None:
            known.release(target, number)

    def left(self, run: str, worker: str) -> None:
        """The engine of a worker ended."""
        known = self.runs.get(run)
        if known is not None:
            known.free(worker)


async def run_batch(run: str, key: str, cases: list[tuple[int, int, str, str]], files: int) -> tuple[str, Any]:
    """The task of a worker: some cases of a run, after the first `files` files have come.

    Returns what became of it with a value: "done" with what the engine sent, or "lost" or "failed" with the reason.
    """
    from distributed import get_worker  # noqa: PLC0415  # this function travels as code; what it needs is there, not here

    worker = get_worker()
    try:
        is_first = await worker.scheduler.rubric_claim(run=run, key=key, worker=worker.address)
    except OSError as error:
        return "lost", f"it did not reach the scheduler: {error}"
    if not is_first:
        return "lost", "its worker ended"
    from rubric_core.cluster.worker import run_cases_of  # noqa: PLC0415  # see above

    outcome: tuple[str, Any] = await run_cases_of(worker, run, cases, files)
    return outcome


async def call_worker(what: str, run: str, arguments: list[Any], dask_worker: Any = None) -> Any:
    """Have a worker end a run, or some of its cases."""
    from rubric_core.cluster.worker import end_cases, end_run  # noqa: PLC0415  # see above

    return await (end_run(dask_worker, run) if what == "end" else end_cases(dask_worker, run, arguments))


def probe() -> tuple[str, str, str]:
    """The versions of rubric and Python on a worker, and a hash of its catalogue; empty without rubric, and the reason."""
    import platform  # noqa: PLC0415  # see above

    python = ".".join(platform.python_version_tuple()[:2])
    try:
        from rubric_core.cluster.versions import catalogue_hash, rubric_version  # noqa: PLC0415  # see above
    except ImportError as error:
        return "", python, str(error)
    return rubric_version(), python, catalogue_hash()
