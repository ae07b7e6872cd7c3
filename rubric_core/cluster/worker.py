"""Runs on a worker: the engine process and the files of each."""

import asyncio
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import rubric_core
from rubric_core.cluster.frames import encode, receive
from rubric_core.cluster.run_setup import RunSetup
from rubric_core.isolated_python import module_argv

__all__ = ["end_cases", "end_run", "run_cases_of"]

#: Seconds between two checks that a run is still going on and that its engine answers.
_PAUSE = 2.0
#: Seconds that an engine has to end before it is killed.
_PATIENCE = 3.0


class RunOnWorker:
    """One run on one worker."""

    def __init__(self, worker: Any, run: str) -> None:
        self._worker, self._run = worker, run
        self._home = ""
        self._files = 0
        self._lock = asyncio.Lock()
        self._numbers = count(1)
        self._waiting: dict[int, asyncio.Future[tuple[str, Any]]] = {}
        self._process: asyncio.subprocess.Process | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        #: For each target: the end of its quiet period, in seconds of the monotonic clock.
        self.quiet_until: dict[str, float] = {}
        #: Pings since the last message of the engine; None before its first.
        self._unanswered: int | None = None
        self._silence = 0.0
        #: Why the engine was killed; empty if it ended by itself.
        self._killed_because = ""
        self._over = False
        self._watched = False

    async def batch(self, cases: Sequence[tuple[int, int, str, str]], files: int) -> tuple[str, Any]:
        """Run cases once their files have arrived."""
        async with self._lock:
            if self._process is None and not self._over:
                await self._begin()
            await self._fetch_files(files)
        if self._process is None or self._over:
            return "lost", "the run is over"
        number = next(self._numbers)
        outcome = self._waiting[number] = asyncio.get_running_loop().create_future()
        self._send("run", number, cases)
        answer: tuple[str, Any] = await outcome
        return answer

    def cancel(self, cases: Sequence[tuple[int, int]]) -> None:
        """End some cases."""
        if self._process is not None:
            self._send("cancel", cases)

    def pause(self, target: str, seconds: float) -> None:
        """Make the engine pause its requests to a target for a while; also applies to an engine that starts later."""
        self.quiet_until[target] = max(self.quiet_until.get(target, 0.0), time.monotonic() + seconds)
        if self._process is not None:
            self._send("pause", target, seconds)

    async def end(self) -> None:
        """End all running cases, and remove the files."""
        self._over = True
        process = self._process
        if process is not None and process.returncode is None:
            with suppress(OSError, RuntimeError):
                self._send("end")
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(process.wait(), _PATIENCE)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        for task in self._tasks - {asyncio.current_task()}:
            task.cancel()
        self._lose("the run is over")
        if self._home:
            await asyncio.to_thread(shutil.rmtree, self._home, ignore_errors=True)

    async def _begin(self) -> None:
        joined = await self._worker.scheduler.rubric_join(run=self._run)
        if joined is None:
            self._over = True
            return
        content, pauses = joined
        for target, seconds in pauses.items():
            self.pause(target, seconds)
        self._files, before = 0, self._home  # discard what a previous engine has left
        if before:
            await asyncio.to_thread(shutil.rmtree, before, ignore_errors=True)
        setup = RunSetup.unpacked(content)
        self._silence, self._unanswered, self._killed_because = setup.silence, None, ""
        if not setup.shared_files:
            self._home = await asyncio.to_thread(_new_home, self._worker.local_directory)
        package = Path(rubric_core.__file__).parents[1]
        self._process = await asyncio.create_subprocess_exec(
            *module_argv("rubric_core.cluster.engine"), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, cwd=package,
            env={**os.environ, **setup.environment}, start_new_session=True, limit=1 << 24,
        )  # fmt: skip
        self._send("open", RunSetup(**{**vars(setup), "environment": {}}), self._home)
        for target, until in self.quiet_until.items():
            if (seconds := until - time.monotonic()) > 0:
                self._send("pause", target, seconds)
        self._keep(self._hear(self._process))
        if not self._watched:
            self._watched = True
            self._keep(self._watch())

    def _keep(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _send(self, *message: Any) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(encode(message))

    async def _hear(self, process: asyncio.subprocess.Process) -> None:
        """Handle the engine's messages until it ends."""
        assert process.stdout is not None
        while (message := await receive(process.stdout)) is not None:
            self._unanswered = 0
            if message[0] == "over":
                waiting = self._waiting.pop(message[1], None)
                if waiting is not None and not waiting.done():
                    waiting.set_result((message[2], message[3]))
            elif message[0] == "ask":
                self._keep(self._ask(*message[1:]))
        code = await process.wait()
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        if self._process is process:
            self._process = None
        self._lose(self._killed_because or f"its process ended with {code}")
        with suppress(OSError):
            await self._worker.scheduler.rubric_left(run=self._run, worker=self._worker.address)

    def _lose(self, why: str) -> None:
        lost, self._waiting = self._waiting, {}
        for waiting in lost.values():
            if not waiting.done():
                waiting.set_result(("lost", why))

    async def _ask(self, number: int, what: str, arguments: dict[str, Any]) -> None:
        if what in ("enter", "pause"):
            arguments["worker"] = self._worker.address
        answer = await getattr(self._worker.scheduler, f"rubric_{what}")(run=self._run, **arguments)
        if number and self._process is not None:
            self._send("answer", number, answer)

    async def _watch(self) -> None:
        """End the run when the client has finished it or the scheduler is gone."""
        while not self._over:
            await asyncio.sleep(_PAUSE)
            self._ping()
            try:
                is_alive = await self._worker.scheduler.rubric_alive(run=self._run)
            except OSError:
                is_alive = False
            if not is_alive:
                runs_of(self._worker).pop(self._run, None)
                await self.end()

    def _ping(self) -> None:
        """Kill the engine if it has not answered the last pings, else send it the next one."""
        if self._process is None or self._unanswered is None:
            return
        # Pings are counted, not seconds: a machine that was suspended has sent none.
        if self._unanswered * _PAUSE > self._silence:
            self._killed_because = f"its process did not answer for {self._unanswered * _PAUSE:.0f} s"
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._unanswered += 1
            self._send("ping")

    async def _fetch_files(self, upto: int) -> None:
        """Fetch the first files of the run, each content once."""
        if not self._home or self._files >= upto:
            return
        listed = await self._worker.scheduler.rubric_files(run=self._run, first=self._files, end=upto)
        keys = {key for _, key, _ in listed}
        known = {key: await self._worker.scheduler.rubric_content(run=self._run, key=key) for key in keys}
        await asyncio.to_thread(_write, self._home, listed, known)
        self._files = upto


def _new_home(directory: str) -> str:
    """A directory for the files of a run that only this user can read, with symbolic links resolved."""
    return os.path.realpath(tempfile.mkdtemp(prefix="rubric-", dir=directory))


def _write(home: str, listed: Sequence[tuple[str, str, int]], known: Mapping[str, bytes]) -> None:
    """Files below a directory."""
    for path, key, mode in listed:
        place = Path(f"{home}{path}")
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        place.write_bytes(known[key])
        place.chmod(mode)


def runs_of(worker: Any) -> dict[str, RunOnWorker]:
    """The runs of a worker. They are kept on the worker, since a process may have several."""
    if "rubric_runs" in vars(worker):
        kept: dict[str, RunOnWorker] = worker.rubric_runs
        return kept
    runs: dict[str, RunOnWorker] = {}

    def pause(run: str, target: str, seconds: float) -> None:  # distributed logs the names of handlers: no partial
        if run in runs:
            runs[run].pause(target, seconds)

    worker.rubric_runs = runs
    worker.handlers["rubric_pause"] = pause
    return runs


async def run_cases_of(
    worker: Any, run: str, cases: Sequence[tuple[int, int, str, str]], files: int
) -> tuple[str, Any]:
    """Run cases on a worker."""
    runs = runs_of(worker)
    if run not in runs:
        runs[run] = RunOnWorker(worker, run)
    try:
        return await runs[run].batch(cases, files)
    except OSError as error:
        return "lost", f"{type(error).__name__}: {error}"


async def end_run(worker: Any, run: str) -> None:
    """End a run on a worker."""
    known = runs_of(worker).pop(run, None)
    if known is not None:
        await known.end()


async def end_cases(worker: Any, run: str, cases: Sequence[tuple[int, int]]) -> None:
    """End some cases of a run on a worker."""
    known = runs_of(worker).get(run)
    if known is not None:
        known.cancel([(place, variation) for place, variation in cases])
