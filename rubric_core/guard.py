"""Programs end with the one that started them, even when that one is killed and can end nothing any more."""

import os
import subprocess
import sys
import weakref
from contextlib import suppress

__all__ = ["Guard"]

# A shell of its own session reads which process groups are at work. At the end of its input, whoever started them has
# gone, however it went: what is left is killed. It is put into the background, so that nobody has to wait for it.
_SCRIPT = """
exec 3<&0
{
  groups=
  while read -r what group; do
    case $what in
      +) groups="$groups $group" ;;
      -)
        kept=
        for each in $groups; do [ "$each" = "$group" ] || kept="$kept $each"; done
        groups=$kept
        ;;
    esac
  done
  for each in $groups; do kill -s KILL -- "-$each" 2>/dev/null; done
} <&3 3<&- &
"""


class Guard:
    """Remembers process groups outside of this process. Does nothing on Windows, or where there is no shell."""

    def __init__(self) -> None:
        self._pipe: int | None = None
        self._tried = sys.platform == "win32"

    def watch(self, group: int) -> None:
        """`group` is at work: it is killed, should this process end before it is released."""
        if not self._tried:
            self._tried = True
            self._begin()
        self._say(f"+ {group}")

    def release(self, group: int) -> None:
        """`group` has ended."""
        self._say(f"- {group}")

    def _begin(self) -> None:
        theirs, ours = os.pipe()
        weakref.finalize(self, os.close, ours)
        try:
            subprocess.run(  # noqa: S603  # a constant
                ["/bin/sh", "-c", _SCRIPT],
                stdin=theirs,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
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
