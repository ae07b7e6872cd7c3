"""Programs of ours, started as real processes without the second that imports take: forked off one that has them already.

A process of its own, its pipes, its signals and its exit code are those of a program that was started from nothing. What is
shared is what the import of its modules leaves behind. Where even that is not there (Windows, coverage of the programs), or when
`RUBRIC_COLD_STARTS` is set, a program is started from nothing.
"""

import atexit
import contextlib
import importlib
import io
import json
import os
import select
import selectors
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO, NoReturn, cast

__all__ = ["COLD", "WarmProcess", "start", "warm_starts"]

#: The variable that has every program started from nothing.
COLD = "RUBRIC_COLD_STARTS"
#: Programs, and what one of them imports before long.
_MODULES = {
    "rubric_lsp": ("rubric_lsp.__main__", "rubric_lsp.routes", "rubric_lsp.protocol.client_log"),
}


def warm_starts() -> bool:
    """Whether programs are forked."""
    return hasattr(os, "pidfd_open") and not os.environ.get(COLD)


def start(
    module: str, arguments: Sequence[str], *, cwd: Path | None = None, env: Mapping[str, str]
) -> "WarmProcess | subprocess.Popen[bytes]":
    """`python -m module`, with pipes."""
    if not warm_starts() or any(name.startswith("PYTHON") and os.environ.get(name) != env[name] for name in env):
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [sys.executable, "-m", module, *arguments], stdin=pipe, stdout=pipe, stderr=pipe, cwd=cwd, env=env
        )
    return _parent(module).start(arguments, cwd or Path.cwd(), env)


class WarmProcess:
    """As much of `subprocess.Popen` as tests use.

    Args:
        pid: The process.
        pipes: Our ends: of its input, output, errors, and of one on which its exit code comes.
    """

    def __init__(self, pid: int, pipes: Sequence[int]) -> None:
        self.pid = pid
        self.stdin: IO[bytes] = os.fdopen(pipes[0], "wb")
        self.stdout: IO[bytes] = os.fdopen(pipes[1], "rb")
        self.stderr: IO[bytes] = os.fdopen(pipes[2], "rb")
        self._ended: IO[bytes] = os.fdopen(pipes[3], "rb")
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """The exit code, if it has ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """The exit code. Raises TimeoutExpired; ValueError when the process that forks has ended itself."""
        if self.returncode is None:
            if not select.select([self._ended], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0)
            self.returncode = int(self._ended.read())
            self._ended.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal to it, unless it has ended."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """End it."""
        self.send_signal(signal.SIGKILL)


class _Parent:
    """A process that has the modules of a program, and forks."""

    def __init__(self, module: str) -> None:
        self._ours, theirs = socket.socketpair()
        path = os.pathsep.join(filter(None, (str(Path(__file__).parent), os.environ.get("PYTHONPATH"))))
        command = [sys.executable, __file__, module, str(theirs.fileno())]
        with theirs:
            self._process = subprocess.Popen(
                command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": path}
            )
        atexit.register(self.end)

    def start(self, arguments: Sequence[str], cwd: Path, env: Mapping[str, str]) -> WarmProcess:
        pipes = [os.pipe() for _ in range(4)]
        theirs = [pipes[0][0], *(write for _, write in pipes[1:])]
        ours = [pipes[0][1], *(read for read, _ in pipes[1:])]
        request = json.dumps({"arguments": list(arguments), "cwd": str(cwd), "env": dict(env)}).encode()
        socket.send_fds(self._ours, [len(request).to_bytes(4, "big")], theirs)
        self._ours.sendall(request)
        for each in theirs:
            os.close(each)
        return WarmProcess(int.from_bytes(_received(self._ours, 4), "big"), ours)

    def end(self) -> None:
        self._ours.close()
        self._process.wait()


@cache
def _parent(module: str) -> _Parent:
    return _Parent(module)


def _received(connection: socket.socket, size: int) -> bytes:
    data = connection.recv(size, socket.MSG_WAITALL)
    if len(data) < size:
        raise EOFError
    return data


# -- in the process that forks ----------------------------------------------------------------------------------------


def _serve(module: str, connection: socket.socket) -> None:
    """Fork whenever somebody asks for it, and tell how each process ended, until the other side closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of an interrupt at the terminal, those that ask hear as well
    for each in _MODULES[module]:
        importlib.import_module(each)
    waiting = selectors.DefaultSelector()
    waiting.register(connection, selectors.EVENT_READ, None)
    while True:
        for key, _ in waiting.select():
            if key.data is None:
                with contextlib.suppress(EOFError):
                    _fork(module, connection, waiting)
                    continue
                return
            pid, answer = key.data
            waiting.unregister(key.fd)
            os.close(key.fd)
            status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            with contextlib.suppress(BrokenPipeError):
                os.write(answer, str(status).encode())
            os.close(answer)


def _fork(module: str, connection: socket.socket, waiting: selectors.BaseSelector) -> None:
    """Start one process. Raises EOFError."""
    head, pipes, _, _ = socket.recv_fds(connection, 4, 4)
    if not head:
        raise EOFError
    request = json.loads(_received(connection, int.from_bytes(head, "big")))
    pid = os.fork()
    if pid == 0:
        for key in list(waiting.get_map().values()):
            if key.data is not None:
                os.close(key.fd)
                os.close(key.data[1])
        waiting.close()
        connection.close()
        _become(module, request, pipes)
    for each in pipes[:3]:
        os.close(each)
    waiting.register(os.pidfd_open(pid), selectors.EVENT_READ, (pid, pipes[3]))
    connection.sendall(pid.to_bytes(4, "big"))


def _become(module: str, request: Mapping[str, object], pipes: Sequence[int]) -> NoReturn:
    """What `python -m module` does, in the process that was just forked."""
    for number, each in enumerate(pipes[:3]):
        os.dup2(each, number)
    for each in pipes:
        os.close(each)
    sys.stdin, sys.stdout, sys.stderr = (
        io.TextIOWrapper(os.fdopen(number, mode, closefd=False), encoding="utf-8", line_buffering=number == 2)
        for number, mode in ((0, "rb"), (1, "wb"), (2, "wb"))
    )
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environ.update(cast("Mapping[str, str]", request["env"]))
    os.chdir(cast("str", request["cwd"]))
    sys.argv = [module, *cast("Sequence[str]", request["arguments"])]
    sys.exit(importlib.import_module(_MODULES[module][0]).main())


if __name__ == "__main__":
    _serve(sys.argv[1], socket.socket(fileno=int(sys.argv[2])))
