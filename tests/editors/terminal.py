"""A terminal of its own for a program, in tmux: keys in, and what is on the screen out."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from uuid import uuid4

from waiting import PATIENCE, until

__all__ = ["PATIENCE", "Terminal", "until"]


class Terminal:
    """A program on a screen."""

    def __init__(self, argv: Sequence[str], folder: Path, env: Mapping[str, str], size: tuple[int, int] = (112, 34)):
        """Start a program.

        Args:
            argv: The program with its arguments.
            folder: Where it works.
            env: Its whole environment.
            size: Columns and rows.
        """
        self._server = f"rubric-{uuid4().hex[:12]}"
        self._env = env
        columns, rows = map(str, size)
        # A session has the environment of its server, and this server has no other session.
        self._tmux("new-session", "-d", "-s", "s", "-x", columns, "-y", rows, "-c", str(folder), *argv)

    def _tmux(self, *arguments: str) -> str:
        argv = ["tmux", "-L", self._server, "-f", os.devnull, "-u", *arguments]
        done = subprocess.run(argv, env=self._env, capture_output=True, text=True, encoding="utf-8", check=True)
        return done.stdout

    def keys(self, *keys: str) -> None:
        """Type texts and keys, in tmux's notation (`Enter`, `Escape`, `Down`)."""
        self._tmux("send-keys", "-t", "s", *keys)

    def screen(self, *, colours: bool = False) -> str:
        """What is on the screen, with ANSI colours when asked for."""
        return self._tmux("capture-pane", "-p", *(["-e"] if colours else []), "-t", "s")

    def sees(self, text: str, patience: float = PATIENCE) -> str:
        """The screen, once it shows `text`."""
        try:
            return until(repr(text), lambda: now if text in (now := self.screen()) else "", patience)
        except AssertionError as missing:
            raise AssertionError(f"{missing}\n{self.screen()}") from None

    def close(self) -> None:
        """End it, whatever it does."""
        argv = ["tmux", "-L", self._server, "kill-server"]
        subprocess.run(argv, env=self._env, capture_output=True, check=False)
