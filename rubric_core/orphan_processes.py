"""Orphaned programs that left their process group, as daemons do: found by their inherited environment.

A variable tells them, and so does a resource limit, which a child keeps that was given another environment, another session and
another parent. Only Linux tells what processes have: on macOS, what leaves the process group of a program outlives it.
"""

import os
import secrets
import signal
import sys
from contextlib import suppress

__all__ = ["MARK", "LimitMark", "environment_mark", "kill_orphans"]

#: The variable by which the children of a program are known.
MARK = "RUBRIC_PROGRAM"
_PASSES = 5
#: How many parents are looked at.
_GENERATIONS = 32
#: Of the numbers that are set as a limit, one for each program: below 2^63 together with the part that they share.
_PROGRAMS = 1_000_000
_LOWEST, _HIGHEST = 10**11, 10**12


class LimitMark:
    """Numbers by which the programs of one run are known, set as their limit of time under realtime scheduling.

    The limit is many thousand years, and hardly any program has that scheduling, or sets the limit. Nothing is marked where the
    system has no such limit (anything but Linux), or where there already is one: in a run within a run, everything is known by
    the mark of the outer one.
    """

    def __init__(self) -> None:
        #: What the numbers of all programs begin with.
        self.prefix = str(secrets.randbelow(_HIGHEST - _LOWEST) + _LOWEST)
        self._unmarked: tuple[int, int] | None = None
        if sys.platform.startswith("linux"):
            import resource  # noqa: PLC0415  # not there on Windows

            limits = resource.getrlimit(resource.RLIMIT_RTTIME)
            self._unmarked = limits if limits[0] == resource.RLIM_INFINITY else None

    def set(self, program: int) -> str:
        """Mark every process that this one starts until `unset`. Gives the mark; empty where limits cannot be set."""
        number = int(self.prefix) * _PROGRAMS + program % _PROGRAMS
        return str(number) if self._unmarked is not None and _limit(number, self._unmarked[1]) else ""

    def unset(self) -> None:
        """Mark nothing more."""
        if self._unmarked is not None:
            _limit(*self._unmarked)


def _limit(soft: int, hard: int) -> bool:
    """Limit this process, and say whether that could be done: some sandboxes refuse to set limits."""
    if not sys.platform.startswith("linux"):
        return False
    import resource  # noqa: PLC0415  # not there on Windows

    try:
        resource.setrlimit(resource.RLIMIT_RTTIME, (soft, hard))
    except (OSError, ValueError):
        return False
    return True


def environment_mark(mark: str) -> str:
    """The value of the variable for a program; one that runs this program goes on being known by its own mark."""
    return f"{os.environ.get(MARK, '')}:{mark}"


def kill_orphans(mark: str, limit: str, program: int) -> None:
    """End everything that was started after `program` and has `mark` or, unless it is empty, the limit `limit`.

    Another thread may start a process of its own while this one has the limit for a moment: that one is left alone.
    """
    if not sys.platform.startswith("linux"):
        return
    variable, line = mark.encode(), f" {limit} ".encode()
    for _ in range(_PASSES):  # whoever is killed may just have started another one
        escaped = [
            pid for pid in _newer(program)
            if _has(pid, "environ", variable) or (limit and _has(pid, "limits", line) and not _is_of_another_thread(pid, program))
        ]  # fmt: skip
        for pid in escaped:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if not escaped:
            return


def _is_of_another_thread(pid: int, program: int) -> bool:
    """Whether a process with the limit of `program` comes from this process and not from the program.

    The program has a session of its own, and what it leaves behind gets another parent: the first process, which may be this one.
    """
    own, session = os.getpid(), os.getsid(0)
    for _ in range(_GENERATIONS):
        parent, found = _parent_and_session(pid)
        if found == session:
            return True
        if parent == own:
            return pid != program and own != 1
        if parent <= 1:
            return False
        pid = parent
    return False


def _parent_and_session(pid: int) -> tuple[int, int]:
    """Both are 0 where the process is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123  # as below
            fields = file.read().rpartition(b") ")[2].split()
        return int(fields[1]), int(fields[3])
    except (OSError, IndexError, ValueError):
        return 0, 0


def _newer(first: int) -> list[int]:
    """The processes that were started after `first`; their numbers begin again behind the highest."""
    with open("/proc/loadavg", encoding="ascii") as file:  # noqa: PTH123
        last = int(file.read().split()[-1])
    ids = [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208  # names are all that is wanted
    return [pid for pid in ids if (first < pid <= last if first <= last else pid > first or pid <= last)]


def _has(pid: int, file: str, sign: bytes) -> bool:
    try:
        with open(f"/proc/{pid}/{file}", "rb") as found:  # noqa: PTH123  # a Path for each process is half of the time
            return sign in found.read()
    except OSError:
        return False  # gone, or somebody else's
