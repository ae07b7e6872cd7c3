"""The plugin that a run adds to Dask's scheduler: claimed batches, files, limits of targets, and silent workers.

Sent as code, see `remote_code`: it imports only the standard library, distributed, and `minute_window`, which is sent with it.
"""

import asyncio
import time
from typing import Any

from distributed.diagnostics.plugin import SchedulerPlugin

from rubric_core.evaluation.targets.minute_window import MinuteWindow

__all__ = ["NAME", "RubricRuns"]

#: The plugin's name at the scheduler. It changes with the plugin's interface.
NAME = "rubric-runs-3"


class _Run:
    """The state of one run in the scheduler."""

    def __init__(self, client: str, setup: bytes) -> None:
        self.client = client
        #: The setup for workers, opaque to the scheduler.
        self.setup = setup
        self.files: list[tuple[str, str, int]] = []
        self.contents: dict[str, bytes] = {}
        #: The keys of batches that a worker has begun.
        self.claimed: set[str] = set()
        #: Whether batches are no longer started.
        self.is_held = False
        self.windows: dict[str, MinuteWindow] = {}
        #: Requests that are not answered yet, by number.
        self.sent: dict[int, Any] = {}
        #: For each target: the holders of places by request number, and when the next request may start.
        self.places: dict[str, dict[int, str]] = {}
        self.next: dict[str, float] = {}
        #: For each target: set when a place becomes free.
        self.freed: dict[str, asyncio.Event] = {}
        #: For each target: the end of its quiet period.
        self.quiet_until: dict[str, float] = {}
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
    """The state of all runs in the scheduler."""

    name = NAME
    idempotent = True

    def __init__(self) -> None:
        self.runs: dict[str, _Run] = {}
        self.scheduler: Any = None

    async def start(self, scheduler: Any) -> None:
        """Register the handlers for requests of clients and workers."""
        self.scheduler = scheduler
        asked = ("open", "finish", "put", "content", "join", "files", "alive", "claim", "hold", "workers", "retire")
        limits = ("admit", "repeated", "answered", "enter", "leave", "left", "pause")
        scheduler.handlers.update({f"rubric_{name}": getattr(self, name) for name in (*asked, *limits)})

    # Runs

    def open(self, run: str, client: str, setup: bytes) -> None:
        """Register a run of a client."""
        self.runs[run] = _Run(client, setup)

    def finish(self, run: str) -> None:
        """Remove a run that is over, and release the requests that wait for a place."""
        known = self.runs.pop(run, None)
        for freed in known.freed.values() if known is not None else ():
            freed.set()

    def remove_client(self, scheduler: Any, client: str) -> None:  # noqa: ARG002  # distributed's signature
        """Remove the runs of a client that has disconnected."""
        for run in [run for run, each in self.runs.items() if each.client == client]:
            self.finish(run)

    def alive(self, run: str) -> bool:
        """Whether a run is going on."""
        return run in self.runs

    def join(self, run: str) -> tuple[bytes, dict[str, float]] | None:
        """The setup for a worker that joins a run, and the seconds of quiet periods by target; None when the run is over."""
        known = self.runs.get(run)
        if known is None:
            return None
        now = time.monotonic()
        return known.setup, {target: until - now for target, until in known.quiet_until.items() if until > now}

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
        """Whether a worker may begin a batch. Only the first claim succeeds; the client reassigns the batch of a lost worker."""
        known = self.runs.get(run)
        if known is None or known.is_held or key in known.claimed:
            return False
        known.claimed.add(key)
        self.scheduler.log_event(f"rubric-{run}", {"key": key, "worker": worker})
        return True

    def hold(self, run: str) -> list[str]:
        """Stop starting batches of a run; returns the keys of those that have been started."""
        known = self.runs[run]
        known.is_held = True
        return sorted(known.claimed)

    # Workers

    def workers(self) -> dict[str, tuple[float, int]]:
        """The seconds since each worker's last heartbeat, and the number of its threads."""
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
        """Count a request that was sent again."""
        known = self.runs[run]
        known.windows[target].count(known.sent[number].tokens, time.monotonic())

    def answered(self, run: str, target: str, number: int, tokens: int | None) -> None:
        """Record the answer to a request."""
        known = self.runs[run]
        request = known.sent.pop(number)
        if tokens is not None:
            known.windows[target].answered(request, tokens)

    async def enter(self, run: str, target: str, worker: str, most: int | None, delay: float) -> tuple[float, int]:
        """Wait for a place; returns the seconds to wait before sending the request with this number."""
        known = self.runs[run]
        held, freed = known.places.setdefault(target, {}), known.freed.setdefault(target, asyncio.Event())
        while most is not None and len(held) >= most and run in self.runs:
            freed.clear()
            await freed.wait()
        now = time.monotonic()
        begin = max(now, known.next.get(target, 0.0))
        known.next[target] = begin + delay
        known.numbers += 1
        if worker in self.scheduler.workers:  # it may have left while it waited
            held[known.numbers] = worker
        return begin - now, known.numbers

    async def pause(self, run: str, target: str, worker: str, seconds: float) -> None:
        """Begin a quiet period of a target on all other workers."""
        known = self.runs.get(run)
        if known is None:
            return
        known.quiet_until[target] = max(known.quiet_until.get(target, 0.0), time.monotonic() + seconds)
        await self.scheduler.broadcast(
            msg={"op": "rubric_pause", "run": run, "target": target, "seconds": seconds},
            workers=[each for each in self.scheduler.workers if each != worker],
            on_error="ignore",
        )

    def leave(self, run: str, target: str, number: int) -> None:
        """Release the place of a request."""
        known = self.runs.get(run)
        if known is not None:
            known.release(target, number)

    def left(self, run: str, worker: str) -> None:
        """Free the places of a worker whose engine has ended."""
        known = self.runs.get(run)
        if known is not None:
            known.free(worker)
