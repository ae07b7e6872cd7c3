"""Put first on the path of a server as `sitecustomize`: writes down what it starts, connects to, writes and reads of the environment."""

import os
import sys
from typing import Any

_STARTS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "webbrowser.open")
_CONNECTS = ("socket.connect", "socket.bind", "socket.getaddrinfo")
_CHANGES = ("os.remove", "os.rename", "os.mkdir", "os.symlink", "os.chmod")
_LOG = os.open(os.environ["CHAOS_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)


def _writes(args: tuple[Any, ...]) -> bool:
    mode, flags = args[1], args[2]
    if isinstance(args[0], int) or str(args[0]) == os.devnull:
        return False
    return bool(isinstance(mode, str) and set(mode) & set("wax+")) or bool(isinstance(flags, int) and flags & 3)


def _hear(event: str, args: tuple[Any, ...]) -> None:
    if event in (*_STARTS, *_CONNECTS, *_CHANGES) or (event == "open" and _writes(args)):
        os.write(_LOG, f"{event} {args!r:.300}\n".encode("utf-8", "replace"))


class _Environment(type(os.environ)):  # type: ignore[misc]
    """Says which variables rubric reads."""

    def __getitem__(self, name: str) -> str:
        caller = sys._getframe(1)
        files = caller.f_code.co_filename + (caller.f_back.f_code.co_filename if caller.f_back else "")
        if "rubric_" in files:
            os.write(_LOG, f"variable {name}\n".encode("utf-8", "replace"))
        return super().__getitem__(name)  # type: ignore[no-any-return]


sys.addaudithook(_hear)
os.environ.__class__ = _Environment
