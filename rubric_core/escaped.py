"""Programs that left the process group of the program that started them, as daemons do: found by a variable that they still have."""

import os
import signal
import sys
from contextlib import suppress

__all__ = ["MARK", "kill_escaped", "marked"]

#: The variable by which the children of a program are known.
MARK = "RUBRIC_PROGRAM"
_PASSES = 5


def marked(mark: str) -> str:
    """The value of the variable for a program; one that runs this program goes on being known by its own mark."""
    return f"{os.environ.get(MARK, '')}:{mark}"


def kill_escaped(mark: str, first: int) -> None:
    """End everything that has `mark` and was started after the process `first`. Only Linux tells what processes have."""
    if not sys.platform.startswith("linux"):
        return
    sought = mark.encode()
    for _ in range(_PASSES):  # whoever is killed may just have started another one
        escaped = [pid for pid in _newer(first) if _has(pid, sought)]
        for pid in escaped:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if not escaped:
            return


def _newer(first: int) -> list[int]:
    """The processes that were started after `first`; their numbers begin anew behind the highest."""
    with open("/proc/loadavg", encoding="ascii") as file:  # noqa: PTH123
        last = int(file.read().split()[-1])
    ids = [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208  # names are all that is wanted
    return [pid for pid in ids if (first < pid <= last if first <= last else pid > first or pid <= last)]


def _has(pid: int, mark: bytes) -> bool:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:  # noqa: PTH123  # a Path for each process is half of the time
            return mark in file.read()
    except OSError:
        return False  # gone, or somebody else's
