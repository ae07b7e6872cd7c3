"""Runs computations in processes that are killed when they take too long or too much memory.

A process is started when the first request needs one, and reused. It has no environment variables, and its own limits
of CPU time and memory, so that it ends even if the process that started it is killed.
"""

import json
import signal
import sys
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from rubric_core.isolated_python import module_folders

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

__all__ = ["Sandbox", "SandboxError"]

T = TypeVar("T")

_PROGRAM = Path(__file__).with_name("worker.py")
#: Bytes of a reply.
_LARGEST = 50_000_000
#: The maximum waiting time as a multiple of the allowed CPU time.
_PATIENCE = 4
#: The exit code of a process that used up its time.
_TIMED_OUT = -signal.SIGPROF if sys.platform != "win32" else None
#: A request of the computation for a value: its kind and its name.
Question = Callable[[str, Any], Any]


class SandboxError(Exception):
    """A computation was ended or failed; the message says why, as a verb ("took longer than 5 s")."""

    def __init__(self, message: str, *, told: bool = False, slow: bool = False) -> None:
        super().__init__(message)
        #: Whether it took too long.
        self.slow = slow
        #: Whether the message is a full sentence of the computation itself.
        self.told = told


class _ProcessNeededError(Exception):
    """Raised where a process is called for on an event loop, which does not wait for it."""


class Sandbox:
    """Processes that compute. Safe to be used by several threads at a time."""

    def __init__(self) -> None:
        self._idle: list[_Process] = []
        self._busy: set[_Process] = set()
        self._threads: ThreadPoolExecutor | None = None
        from threading import local  # noqa: PLC0415  # a check computes nothing here

        #: The processes of a thread of `threaded`, so that no others are ended with it.
        self._of_thread = local()
        weakref.finalize(self, _end, self._idle)

    def call(self, request: Mapping[str, Any], seconds: float, answer: Question | None = None) -> Any:
        """The result of a request. Blocks; on an event loop, use `compute` or a thread.

        Args:
            request: See `worker`.
            seconds: The allowed time, without the start of a process.
            answer: Answers requests of the process; its errors end the computation, and are raised.

        Raises SandboxError.
        """
        if getattr(self._of_thread, "is_loop", False):
            raise _ProcessNeededError
        process = self._ready()
        own: set[_Process] = getattr(self._of_thread, "busy", set())
        self._busy.add(process)
        own.add(process)
        try:
            return process.reply(request, seconds, answer)
        finally:
            self._busy.discard(process)
            own.discard(process)
            if process.is_idle:
                self._idle.append(process)
            else:
                process.end()

    def _ready(self) -> "_Process":
        """A process that waits for a request. One that was ended from outside meanwhile is replaced."""
        while self._idle:
            with suppress(IndexError):  # another thread took the last one
                process = self._idle.pop()
                if process.is_alive():
                    return process
                process.end()
        return _Process()

    async def compute(self, request: Mapping[str, Any], seconds: float) -> Any:
        """As `call`, without blocking; cancelling ends the computation at once. Raises SandboxError."""
        return await self.threaded(lambda: self.call(request, seconds))

    async def computed(self, work: Callable[[], T]) -> T:
        """The result of `work`: at once if it calls for no process, else in a thread, from the beginning; see `threaded`."""
        import asyncio  # noqa: PLC0415  # a check needs none of it

        await asyncio.sleep(0)  # whoever waits, as for the end of a run's time, has a turn between two of them
        self._of_thread.is_loop = True
        try:
            return work()
        except _ProcessNeededError:
            pass
        finally:
            self._of_thread.is_loop = False
        made: T = await self.threaded(work)
        return made

    async def threaded(self, work: Callable[[], Any]) -> Any:
        """The result of `work`, which uses this sandbox in a thread; cancelling ends its computations and thread."""
        import asyncio  # noqa: PLC0415  # a check needs none of it
        from contextvars import copy_context  # noqa: PLC0415

        busy: set[_Process] = set()

        def apart() -> Any:
            self._of_thread.busy = busy
            try:
                return work()
            finally:
                del self._of_thread.busy

        submitted = self._pool().submit(copy_context().run, apart)
        working = asyncio.wrap_future(submitted)
        try:
            return await asyncio.shield(working)
        except asyncio.CancelledError:
            if submitted.cancel():  # it has not begun
                raise
            while not working.done():
                _kill(busy)
                await asyncio.wait({working}, timeout=0.05)
            working.exception()  # seen
            raise

    def _pool(self) -> "ThreadPoolExecutor":
        """Threads for computations: each keeps one for seconds, so those of the loop stay free for others."""
        if self._threads is None:
            from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  # only here

            self._threads = ThreadPoolExecutor(thread_name_prefix="sandbox")
        return self._threads

    def stop(self) -> None:
        """End the running computations."""
        _kill(self._busy)

    def close(self) -> None:
        """End every process."""
        self.stop()
        _end(self._idle)
        if self._threads is not None:
            self._threads.shutdown(wait=False)
            self._threads = None

    def __enter__(self) -> "Sandbox":  # noqa: PYI034  # Python 3.10 has no `Self`
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        self.close()


class _Process:
    """One process. It ends with its standard input."""

    def __init__(self) -> None:
        import subprocess  # noqa: PLC0415  # most commands compute nothing here

        try:
            self._process: subprocess.Popen[bytes] = subprocess.Popen(  # noqa: S603  # a program of rubric's
                [sys.executable, "-I", "-S", str(_PROGRAM)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={},
                start_new_session=True,  # Ctrl-C is handled by the parent
            )
        except OSError as error:
            raise SandboxError(f"could not be computed: {error.strerror or error}") from None
        self._expired = False
        #: Whether it waits for the next request.
        self.is_idle = True
        self._send({"path": module_folders()})

    def reply(self, request: Mapping[str, Any], seconds: float, answer: Question | None) -> Any:
        """The reply to a request. Raises SandboxError."""
        from threading import Timer  # noqa: PLC0415

        # The process limits its own CPU time; on a busy machine, the wall-clock time is longer, but bounded.
        timer = Timer(_PATIENCE * seconds, self._expire)
        timer.daemon, self.is_idle = True, False
        timer.start()
        try:
            self._send({**request, "seconds": seconds})
            while True:
                told = self._receive(seconds)
                self.is_idle = "ask" not in told
                if "value" in told:
                    return told["value"]
                if "error" in told:
                    raise SandboxError(str(told["error"]), told=bool(told.get("told")))
                if answer is None:
                    raise SandboxError("uses an undefined value")
                self._send({"answer": answer(str(told.get("ask")), told.get("about"))})
        finally:
            timer.cancel()

    def _expire(self) -> None:
        self._expired = True
        self.kill()

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message, default=str).encode() + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            return  # it has ended, which shows when reading
        except RecursionError:
            raise SandboxError("is nested too deeply") from None

    def _receive(self, seconds: float) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = b""
        with suppress(OSError, ValueError):
            line = self._process.stdout.readline(_LARGEST)
        if len(line) >= _LARGEST:
            raise SandboxError(f"returns more than {_LARGEST:,} bytes")
        if not line.endswith(b"\n"):
            raise self._trouble(seconds)
        told = json.loads(line)
        assert isinstance(told, dict), "what `worker` sends"
        return told

    def _trouble(self, seconds: float) -> SandboxError:
        """Why there is no reply."""
        self.end()
        code = self._process.returncode
        slow = self._expired or code == _TIMED_OUT
        if slow:
            return SandboxError(f"took longer than {seconds:g} s", slow=True)
        how = (
            f"was ended by {signal.Signals(-code).name}"
            if -code in set(signal.Signals)
            else f"ended with exit code {code}"
        )
        return SandboxError(f"could not be computed: the process that computes it {how}")

    def is_alive(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def kill(self) -> None:
        """Kill it; callers that wait for its reply get an error."""
        with suppress(OSError):
            self._process.kill()

    def end(self) -> None:
        """End it, and release its resources."""
        self.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()


def _kill(processes: "set[_Process]") -> None:
    for process in list(processes):
        process.kill()


def _end(processes: "list[_Process]") -> None:
    while processes:
        processes.pop().end()
