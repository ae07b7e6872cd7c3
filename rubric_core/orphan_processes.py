"""Finds programs that left their process group, as daemons do, by their inherited environment.

They are marked by a variable and by a resource limit, which a child keeps even with another environment, session and
parent. Only Linux exposes these: on macOS, programs that leave the process group survive.
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
#: How many ancestors are examined.
_GENERATIONS = 32
#: Of the numbers that are set as a limit, one for each program: below 2^63 together with the part that they share.
_PROGRAMS = 1_000_000
_LOWEST, _HIGHEST = 10**11, 10**12


class LimitMark:
    """Numbers that mark the programs of one run, set as their limit of realtime CPU time.

    The limit is many thousand years, and hardly any program uses that scheduling or sets the limit. Nothing is marked
    on systems without this limit (all but Linux), or if there is one already: in a nested run, everything has the mark
    of the outer run.
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
    """Set the limit of this process; returns whether that worked: some sandboxes refuse it."""
    if not sys.platform.startswith("linux"):
        return False
    import resource  # noqa: PLC0415  # not there on Windows

    try:
        resource.setrlimit(resource.RLIMIT_RTTIME, (soft, hard))
    except (OSError, ValueError):
        return False
    return True


def environment_mark(mark: str) -> str:
    """The value of the variable for a program; one that runs this program keeps its own mark."""
    return f"{os.environ.get(MARK, '')}:{mark}"


def kill_orphans(mark: str, limit: str, program: int) -> None:
    """Kill every process that was started after `program` and has `mark` or, unless it is empty, the limit `limit`.

    A process that another thread started while this one briefly had the limit is left alone.
    """
    if not sys.platform.startswith("linux"):
        return
    variable, line = mark.encode(), f" {limit} ".encode()
    for _ in range(_PASSES):  # a killed process may just have started another one
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

    The program has a session of its own, and its orphans get another parent: the init process, which may be this one.
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
    """The processes that were started after `first`; process ids wrap around."""
    with open("/proc/loadavg", encoding="ascii") as file:  # noqa: PTH123
        last = int(file.read().split()[-1])
    ids = [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208  # names are all that is wanted
    return [pid for pid in ids if (first < pid <= last if first <= last else pid > first or pid <= last)]


def _has(pid: int, file: str, sign: bytes) -> bool:
    try:
        with open(f"/proc/{pid}/{file}", "rb") as found:  # noqa: PTH123  # a Path for each process is half of the time
            return sign in found.read()
    except OSError:
        return False  # gone, or of another user
