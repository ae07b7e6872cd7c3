"""The engine: a process of a worker that runs cases of one suite, the module `rubric_core.cluster.engine`.

A separate process gives each run its own current directory and environment, and can be killed together with all programs
that its cases started. It reads messages of its worker from standard input, and ends when that is closed.
"""

import asyncio
import os
import pickle
import sys
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO

from rubric_core.adapters import SystemClock, system_ports
from rubric_core.cluster.frames import encode, receive
from rubric_core.cluster.leases import LeasedRateLimits
from rubric_core.cluster.relocation import Relocation
from rubric_core.cluster.run_setup import RunSetup
from rubric_core.cluster.worker_plan import WorkerStarts, plan_on_worker
from rubric_core.dataclass_copies import replace_fields
from rubric_core.evaluation.cases.load import load_suite, with_origins
from rubric_core.evaluation.cases.options import Options
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.attempt import targets_of
from rubric_core.evaluation.engine.events import Event, Noted
from rubric_core.evaluation.engine.fingerprint import digests_of, fingerprint
from rubric_core.evaluation.engine.guard import guarded
from rubric_core.evaluation.engine.run import RunSession, run_in_session, session_of
from rubric_core.evaluation.model.result import CaseResult
from rubric_core.lazy_compilation import replace
from rubric_core.ports import Ports

__all__ = ["main"]


class _Link:
    """The connection to the worker, and through it to the scheduler."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._numbers = count(1)
        self._requests: dict[int, asyncio.Future[Any]] = {}

    def send(self, *message: Any) -> None:
        """Send a message to the worker; where it has gone, the end of standard input ends this process."""
        with suppress(BrokenPipeError):
            self._out.write(encode(message))
            self._out.flush()

    async def ask(self, what: str, **arguments: Any) -> Any:
        """See `SchedulerLink.ask`."""
        number = next(self._numbers)
        answer = self._requests[number] = asyncio.get_running_loop().create_future()
        self.send("ask", number, what, arguments)
        try:
            return await asyncio.shield(answer)
        except asyncio.CancelledError:
            if what == "enter":  # release the place once the scheduler grants it
                answer.add_done_callback(
                    lambda done: self.tell("leave", target=arguments["target"], number=done.result()[1])
                )
            raise

    def tell(self, what: str, **arguments: Any) -> None:
        """See `SchedulerLink.tell`."""
        self.send("ask", 0, what, arguments)

    def resolve(self, number: int, value: Any) -> None:
        """Handle an answer of the scheduler."""
        request = self._requests.pop(number, None)
        if request is not None and not request.done():
            request.set_result(value)


class _Engine:
    """The cases of one run on one worker."""

    def __init__(self, setup: RunSetup, home: str, link: _Link) -> None:
        self._setup, self._link = setup, link
        self._relocation = Relocation(home)
        self._limits = LeasedRateLimits(link, home)
        self._stack = AsyncExitStack()
        self._running: dict[tuple[int, int], asyncio.Task[CaseResult]] = {}
        self._batches: set[asyncio.Task[None]] = set()
        self._notes: list[str] = []
        self._ready: asyncio.Future[None] | None = None
        self._cases: Sequence[Runnable] = ()
        self._ports: Ports
        self._session: RunSession

    def handle(self, what: str, *arguments: Any) -> None:
        """Handle a message about cases or targets."""
        if what == "run":
            self._begin(*arguments)
        elif what == "cancel":
            self._cancel(*arguments)
        else:
            target, seconds = arguments
            self._limits.pause(target, seconds, SystemClock())

    def _begin(self, number: int, cases: Sequence[tuple[int, int, str, str]]) -> None:
        """Run a batch whose files have arrived."""
        task = asyncio.ensure_future(self._batch(number, cases))
        self._batches.add(task)
        task.add_done_callback(self._batches.discard)

    def _cancel(self, cases: Sequence[tuple[int, int]]) -> None:
        """Cancel these cases if they are running."""
        for each in cases:
            if each in self._running:
                self._running[each].cancel()

    async def close(self) -> None:
        """Cancel all batches and close the session."""
        for task in self._batches:
            task.cancel()
        await asyncio.gather(*self._batches, return_exceptions=True)
        await self._stack.aclose()

    async def _open(self) -> None:
        setup = self._setup
        path = self._relocation.inside(setup.suite)
        targets_file = setup.options.get("targets_file")
        options = Options(
            **{
                **setup.options,
                "targets_file": None if targets_file is None else self._relocation.inside(str(targets_file)),
            },
            rate_limits=self._limits,
        )
        suite = await asyncio.to_thread(  # pings are answered meanwhile
            load_suite, path, options=options, dialect=setup.dialect, generated=setup.generated
        )
        # The client has checked the suite; files that no case has needed so far may still be missing here.
        suite = with_origins(replace(suite, cases=tuple(replace_fields(case, problems=()) for case in suite.cases)))
        self._cases = suite.cases
        outside = await self._stack.enter_async_context(system_ports())
        plan = plan_on_worker(setup.plan, self._relocation, outside.environment)
        self._ports = guarded(outside, plan, WorkerStarts(self._relocation))
        self._session = await self._stack.enter_async_context(session_of(suite.cases[:1], self._ports, self._on_event))

    def _on_event(self, event: Event) -> None:
        if isinstance(event, Noted):
            self._notes.append(self._relocation.with_client_paths(event.message))

    async def _batch(self, number: int, cases: Sequence[tuple[int, int, str, str]]) -> None:
        rows: list[bytes | None] = []
        began = time.monotonic()
        try:
            if self._ready is None:
                self._ready = asyncio.ensure_future(self._open())
            await asyncio.shield(self._ready)
            for place, variation, name, expected in cases:
                case = self._case(place, variation)
                other = self._difference(case, name, expected)
                if other is not None:
                    self._link.send("over", number, "differs", pickle.dumps((name, other)))
                    return
                rows.append(await self._row((place, variation), case))
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001  # reported to the client, which ends the run
            self._link.send("over", number, "failed", f"{type(error).__name__}: {error}")
        else:
            notes, self._notes = self._notes, []
            self._link.send("over", number, "done", pickle.dumps((rows, notes, time.monotonic() - began)))

    def _case(self, place: int, variation: int) -> Runnable | None:
        if place >= len(self._cases):
            return None
        if variation < 0:
            return self._cases[place]
        several = variations(self._cases[place])
        return several[variation] if variation < len(several) else None

    def _difference(self, case: Runnable | None, name: str, expected: str) -> dict[str, str] | None:
        """The digests of the case's files if its fingerprint differs here; None if it is the same case."""
        if case is None or case.id != name:
            return {}
        targets = targets_of(case, self._ports)
        if fingerprint(case, self._ports.files, targets) == expected:
            return None
        return digests_of(case, self._ports.files, targets)

    async def _row(self, key: tuple[int, int], case: Runnable | None) -> bytes | None:
        assert case is not None
        task = self._running[key] = asyncio.ensure_future(
            run_in_session(case.copied(), self._ports, self._on_event, self._session)
        )
        try:
            await asyncio.wait({task})
        finally:
            task.cancel()  # if the batch was cancelled
            del self._running[key]
        return None if task.cancelled() else self._relocation.packed(task.result())


def _enter_directory(directory: str) -> None:
    Path(directory).mkdir(parents=True, exist_ok=True)
    os.chdir(directory)


async def _serve(out: BinaryIO) -> None:
    loop = asyncio.get_running_loop()
    stream = asyncio.StreamReader(limit=1 << 24)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stream), sys.stdin.buffer)
    link = _Link(out)
    link.send("pong")  # ready for messages
    engine: _Engine | None = None
    try:
        while (message := await receive(stream)) is not None and message[0] != "end":
            if message[0] == "open":
                _, setup, home = message
                _enter_directory(f"{home}{setup.directory}")
                engine = _Engine(setup, home, link)
            elif message[0] == "ping":
                link.send("pong")
            elif message[0] == "answer":
                link.resolve(*message[1:])
            elif engine is not None:
                engine.handle(*message)
    finally:
        if engine is not None:
            await engine.close()


def main() -> None:
    """Serve the worker that started this process until the worker ends."""
    # Closing fails, too, where the worker has gone.
    with suppress(KeyboardInterrupt, BrokenPipeError), os.fdopen(os.dup(sys.stdout.fileno()), "wb") as out:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # keep stray prints out of the messages
        asyncio.run(_serve(out))


if __name__ == "__main__":
    main()
