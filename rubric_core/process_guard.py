"""Ensures that programs end with the process that started them, even if that is killed."""

import os
import subprocess
import sys
import weakref
from contextlib import suppress
from uuid import uuid4

__all__ = ["ProcessGuard"]

# A shell of its own session reads which programs are to come (?), which came to nothing (!), and which process groups are
# at work (+) or have ended (-). At the end of its input, whoever started them has gone, however it went: what is left is
# killed. The marks find what was never told of, and what left its group; a child holds the input open until it has
# become the program with these marks, so that none slips through. A process with the limit that is still in the session
# of the run was started by another thread at the same moment, and is left alone. The shell works in the background, so
# that the run does not wait for it.
_SCRIPT = """
exec 3<&0
{
  groups= coming=0
  while read -r what group; do
    case $what in
      '?') coming=$((coming + 1)) ;;
      '!') coming=$((coming - 1)) ;;
      +)
        coming=$((coming - 1))
        groups="$groups $group"
        ;;
      -)
        kept=
        for each in $groups; do [ "$each" = "$group" ] || kept="$kept $each"; done
        groups=$kept
        ;;
    esac
  done
  [ "$coming$groups" = 0 ] && exit
  for each in $groups; do kill -s KILL -- "-$each" 2>/dev/null; done
  session_of() { set -- ${1##*) }; echo "$4"; }
  for pause in 0 0.1 0.5; do
    sleep $pause
    for each in $(grep -lsF "$1" /proc/[0-9]*/environ) $(grep -lsF " $2" /proc/[0-9]*/limits); do
      process=${each#/proc/} process=${process%/*}
      case $each in
        */limits) [ "$(session_of "$(cat "/proc/$process/stat" 2>/dev/null)")" = "$3" ] && continue ;;
      esac
      kill -s KILL "$process" 2>/dev/null
    done
  done
} <&3 3<&- &
"""


class ProcessGuard:
    """A shell process that kills the programs of this process when this process ends, even by SIGKILL.

    Does nothing on Windows, or without a shell. Except on Linux, where the variables of other processes can be read, a
    program survives if this process is killed in the microseconds between the start of the program and `watch`.
    """

    def __init__(self, limit: str) -> None:
        #: The variable that every program has, followed by a value that identifies it.
        self.mark = uuid4().hex
        #: What the mark among its limits begins with, see `orphan_processes.LimitMark`.
        self._limit = limit
        self._pipe: int | None = None
        self._tried = sys.platform == "win32"

    def expect(self) -> None:
        """Announce that a program is about to be started; `watch` or `forget` must follow."""
        if not self._tried:
            self._tried = True
            self._begin()
        self._say("?")

    def forget(self) -> None:
        """The announced program could not be started."""
        self._say("!")

    def watch(self, group: int) -> None:
        """The announced program was started and leads the process group `group`, which is killed with this process."""
        self._say(f"+ {group}")

    def release(self, group: int) -> None:
        """Stop watching `group`: it has ended."""
        self._say(f"- {group}")

    def _begin(self) -> None:
        theirs, ours = os.pipe()
        weakref.finalize(self, os.close, ours)
        try:
            subprocess.run(  # noqa: S603  # a constant
                ["/bin/sh", "-c", _SCRIPT, "rubric-guard", self.mark, self._limit, str(os.getsid(0))],
                stdin=theirs,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,
                check=False,
            )
            self._pipe = ours
        except OSError:
            pass  # without a shell, programs outlive only a killed server
        finally:
            os.close(theirs)

    def _say(self, line: str) -> None:
        if self._pipe is not None:
            with suppress(OSError):  # the guard itself was killed
                os.write(self._pipe, f"{line}\n".encode())
