"""Implementations of the ports: disk, clock, operating system, network. httpx is imported with the first request."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timezone
from itertools import count
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from rubric_core.disk import DiskFiles
from rubric_core.network import HttpxHttp
from rubric_core.orphan_processes import MARK, LimitMark, environment_mark, kill_orphans
from rubric_core.ports import Finished, Ports, Program
from rubric_core.process_guard import ProcessGuard
from rubric_core.sandbox.process import Sandbox

if TYPE_CHECKING:
    pass

__all__ = ["DiskFiles", "HttpxHttp", "OsProcesses", "SystemClock", "filtered", "system_ports"]

T = TypeVar("T")
_WINDOWS = sys.platform == "win32"
#: How long the output of a program's children is still read when the program itself has ended.
_LINGER = 0.5
#: Seconds in which a program that serves many has to be ready.
_LONGEST_START = 60.0
# What programs need to find themselves and each other. Anything else (keys, tokens) has to be named by the target.
_PASSED = frozenset(
    (  # noqa: SIM905  # fifty words read better without quotes
        "PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TERM TMPDIR TMP TEMP PWD DISPLAY VIRTUAL_ENV SYSTEMROOT SYSTEMDRIVE WINDIR "
        "COMSPEC PATHEXT PROGRAMFILES PROGRAMDATA APPDATA LOCALAPPDATA USERPROFILE USERNAME HOMEDRIVE HOMEPATH NUMBER_OF_PROCESSORS "
        "PROCESSOR_ARCHITECTURE SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE NODE_EXTRA_CA_CERTS NODE_PATH JAVA_HOME GOPATH GOROOT "
        "CARGO_HOME RUSTUP_HOME LD_LIBRARY_PATH DYLD_LIBRARY_PATH NO_COLOR"
    ).split()
)
_PASSED_PREFIXES = ("LC_", "XDG_", "PYTHON", "PYENV_", "CONDA_", "NVM_", "NIX_", "UV_")


def filtered(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that every program may have: where things are, and no secrets."""
    return {n: v for n, v in environment.items() if n.upper() in _PASSED or n.upper().startswith(_PASSED_PREFIXES)}


class SystemClock:
    """The clock of the machine."""

    def now(self) -> datetime:
        """See `ports.Clock.now`."""
        return datetime.now(timezone.utc)

    def seconds(self) -> float:
        """See `ports.Clock.seconds`."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """See `ports.Clock.sleep`."""
        await asyncio.sleep(seconds)


class _Watch(asyncio.SubprocessProtocol):
    """Collects a program's output up to a limit, and signals events."""

    def __init__(self, limit: int, mark: str) -> None:
        #: The marks of the program's child processes: a variable, and a limit, empty if there is none.
        self.mark = mark
        self.limit = ""
        self.output: dict[int, bytearray] = {1: bytearray(), 2: bytearray()}
        self.too_much = False
        self.exited = False
        self.closed = {0: False, 1: False, 2: False}
        self.gone = False
        self._limit = limit
        self.happened = asyncio.Event()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        kept = self.output[fd]
        room = self._limit - len(kept)
        kept += data[:room]
        if len(data) > room:
            self.too_much = True
            self.happened.set()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002  # asyncio's signature
        self.closed[fd] = True
        self.happened.set()

    def process_exited(self) -> None:
        self.exited = True
        self.happened.set()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  # asyncio's signature
        self.gone = True
        self.happened.set()

    def silent(self) -> bool:
        """Whether nobody can write any more."""
        return self.closed[1] and self.closed[2]

    def over(self) -> bool:
        """Whether there is nothing to wait for."""
        return self.too_much or self.exited

    async def until(self, done: Callable[[], bool], seconds: float) -> bool:
        """Wait until `done`; False when that takes longer."""
        deadline = time.monotonic() + seconds
        while not done():
            self.happened.clear()
            # Not `wait_for`, which may lose a cancellation before Python 3.12.
            hearing = asyncio.ensure_future(self.happened.wait())
            try:
                heard, _ = await asyncio.wait({hearing}, timeout=max(0.0, deadline - time.monotonic()))
            finally:
                hearing.cancel()
            if not heard:
                return done()
        return True


class _Conversation(_Watch):
    """Collects the replies of a program, each a line."""

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        super().pipe_data_received(fd, data)
        self.happened.set()

    def settled(self) -> bool:
        """Whether a reply is complete, or none will come."""
        return self.over() or self.output[1].endswith(b"\n")


class OsProcesses:
    """Programs of the operating system. Close it in the event loop that used it."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._environment = filtered(os.environ if environment is None else environment)
        self._limits = LimitMark()
        self._guard = ProcessGuard(self._limits.prefix)
        self._numbers = count(1)
        #: Programs that serve many and are waiting for a message.
        self._idle: dict[tuple[Any, ...], list[tuple[asyncio.SubprocessTransport, _Conversation]]] = {}
        self._turn = asyncio.Semaphore(os.cpu_count() or 1)

    async def run(self, program: Program) -> Finished:
        """See `ports.Processes.run`."""
        began = time.monotonic()
        number = next(self._numbers)
        watch = _Watch(program.output_limit, f"{self._guard.mark}.{number}.")
        transport = await self._started(program, watch, number)
        stopped: Literal["", "time", "output"] = ""
        try:
            self._feed(transport, program.stdin)
            if not await watch.until(watch.over, program.time_limit):
                stopped = "time"
            elif watch.too_much:
                stopped = "output"
            else:
                await watch.until(watch.silent, _LINGER)
            seconds = time.monotonic() - began
        finally:
            await self._end(transport, watch)
        code = transport.get_returncode()
        return Finished(
            -signal.SIGTERM if code is None else code,
            bytes(watch.output[1]),
            bytes(watch.output[2]),
            seconds,
            stopped,
        )

    async def serve(self, program: Program) -> Finished:
        """See `ports.Processes.serve`. No more of them are at work than there are processors."""
        key = (program.argv, program.cwd, tuple(sorted(program.environment.items())), program.executable, program.says)
        async with self._turn:
            idle = self._idle.setdefault(key, [])
            while idle and idle[-1][1].exited:
                await self._end(*idle.pop())
            transport, watch = idle.pop() if idle else await self._serving(program)
            began, is_whole = time.monotonic(), False
            stopped: Literal["", "time", "output"] = ""
            try:
                if not watch.exited:
                    watch.output[1].clear()
                    self._feed(transport, program.stdin, last=False)
                    stopped = "" if await watch.until(watch.settled, program.time_limit) else "time"
                if watch.too_much:
                    stopped = "output"
                reply, code = bytes(watch.output[1]), transport.get_returncode()
                is_whole = not stopped and not watch.exited and reply.endswith(b"\n")
            finally:
                if is_whole:
                    idle.append((transport, watch))
                else:
                    await self._end(transport, watch)
            ended = -signal.SIGKILL if code is None else code
            return Finished(0 if is_whole else ended, reply, b"", time.monotonic() - began, stopped)

    async def _serving(self, program: Program) -> tuple[asyncio.SubprocessTransport, _Conversation]:
        """A program that is ready, or has ended."""
        number = next(self._numbers)
        watch = _Conversation(program.output_limit, f"{self._guard.mark}.{number}.")
        transport = await self._started(program, watch, number)
        is_ready = False
        try:
            is_ready = await watch.until(watch.settled, _LONGEST_START)
        finally:
            if not is_ready:
                await self._end(transport, watch)
        return transport, watch

    async def close(self) -> None:
        """End the programs that wait for messages."""
        for transport, watch in [each for waiting in self._idle.values() for each in waiting]:
            await self._end(transport, watch)
        self._idle.clear()

    async def _started(self, program: Program, watch: _Watch, number: int) -> asyncio.SubprocessTransport:
        """The running program. Cancelled half way, asyncio would wait for its end: it is started whole, then ended."""
        starting = asyncio.ensure_future(self._start(program, watch, number))
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            with suppress(OSError):
                await self._end(await starting, watch)
            raise

    async def _end(self, transport: asyncio.SubprocessTransport, watch: _Watch) -> None:
        _kill(transport)
        kill_orphans(watch.mark, watch.limit, transport.get_pid())
        self._guard.release(transport.get_pid())
        # Closed before asyncio has noticed the end, the transport would take the exit code from it, and asyncio complain.
        await watch.until(lambda: watch.exited, _LINGER)
        transport.close()
        await watch.until(lambda: watch.gone, _LINGER)  # the group is dead; the event loop has to notice

    async def _start(self, program: Program, watch: _Watch, number: int) -> asyncio.SubprocessTransport:
        # The constant exists on Windows only.
        group = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
        options: dict[str, Any] = {"creationflags": group} if _WINDOWS else {"start_new_session": True}
        environment = {**self._environment, **program.environment, MARK: environment_mark(watch.mark)}
        if isinstance(watch, _Conversation):
            options["stderr"] = None  # that of this process
        if program.executable:
            options["executable"] = program.executable
        loop = asyncio.get_running_loop()
        self._guard.expect()
        watch.limit = self._limits.set(number)
        loop.call_soon(self._limits.unset)  # the program is started before the loop does anything else
        try:
            transport, _ = await loop.subprocess_exec(
                lambda: watch, *program.argv, cwd=program.cwd, env=environment, **options
            )
        except Exception:  # not by cancellation, which would leave a program behind
            self._guard.forget()
            raise
        self._guard.watch(transport.get_pid())
        return transport

    @staticmethod
    def _feed(transport: asyncio.SubprocessTransport, stdin: bytes, *, last: bool = True) -> None:
        pipe = transport.get_pipe_transport(0)
        if isinstance(pipe, asyncio.WriteTransport):
            pipe.write(stdin)
            if last:
                pipe.close()  # closes when everything is written


def _kill(transport: asyncio.SubprocessTransport) -> None:
    """End the program and everything that it started in its group."""
    pid = transport.get_pid()
    if _WINDOWS:
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(pid)], capture_output=True, check=False)  # noqa: S603, S607  # Windows has no process groups to signal
        return
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


@asynccontextmanager
async def system_ports(environment: Mapping[str, str] | None = None) -> AsyncIterator[Ports]:
    """The real ports, for one event loop; connections are closed at the end."""
    http = HttpxHttp()
    variables = os.environ if environment is None else environment
    processes = OsProcesses(variables)
    with Sandbox() as sandbox:
        try:
            yield Ports(DiskFiles(), SystemClock(), processes, http, variables, sandbox=sandbox, proxy_of=http.proxy_of)
        finally:
            await processes.close()
            await http.close()
