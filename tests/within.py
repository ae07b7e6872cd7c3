"""Runs a command for at most so many seconds, and then ends all that it has started.

Usage: within.py SECONDS COMMAND … The exit code is that of the command, or 124 when its time was over. It is interrupted as with
Ctrl-C first, so that pytest still says what has failed so far. Editors, servers and browsers leave the process group of the command,
so a signal to that would leave them running: on Linux this process has orphans for children instead of init having them, and ends
them by that.
"""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

#: For a summary after the interrupt, in seconds.
LAST_WORDS = 30
TIME_IS_OVER = 124
PR_SET_CHILD_SUBREAPER = 36


def main(seconds: float, command: list[str]) -> int:
    adopts = sys.platform == "linux" and ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    for each in (
        signal.SIGINT,
        signal.SIGTERM,
        signal.SIGHUP,
    ):  # the first also where it is ignored, as in a job in the background
        signal.signal(each, signal.default_int_handler)
    group = subprocess.Popen(command, start_new_session=True).pid
    status = None
    try:
        status = wait(group, seconds)
        if status is None:
            sys.stderr.write(f"\nended after {seconds:.0f} s: {' '.join(command)}\n")
            os.killpg(group, signal.SIGINT)
            wait(group, LAST_WORDS)
    finally:
        end_all(group, adopts=adopts)
    return TIME_IS_OVER if status is None else status


def wait(command: int, seconds: float) -> int | None:
    """The exit code of the command, or None when it does not end in time. Orphans that ended are cleared away."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == command:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code
        if not pid:
            time.sleep(0.1)
    return None


def end_all(group: int, *, adopts: bool) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
    while adopts:  # what a process started before it was ended is there in the next turn
        for pid in descendants():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                continue
        except ChildProcessError:
            return
        time.sleep(0.05)


def descendants() -> list[int]:
    parents = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(file.parent.name)] = int(file.read_text(errors="replace").rpartition(")")[2].split()[1])
        except OSError:
            continue  # it has ended meanwhile
    return [pid for pid in parents if pid != os.getpid() and is_below(pid, os.getpid(), parents)]


def is_below(pid: int, root: int, parents: dict[int, int]) -> bool:
    while pid and pid != root:
        pid = parents.get(pid, 0)
    return pid == root


if __name__ == "__main__":
    try:
        sys.exit(main(float(sys.argv[1]), sys.argv[2:]))
    except KeyboardInterrupt:
        sys.exit(130)
