"""Permission to run suites: from the editor at start, or from the user, for a folder or just once."""

import contextlib
import os
from collections.abc import Collection, Iterable
from pathlib import Path

from rubric_core.trust import Trust, is_wide, real_path
from rubric_lsp.protocol.uris import path_of

__all__ = ["Permission"]


class Permission:
    """What may be run for this client."""

    def __init__(self, trust: Trust | None = None) -> None:
        #: Whether the editor trusts the folders that it has open.
        self.editor_trusts = False
        #: Whether the client is connected by a socket: then it cannot grant trust.
        self.remote = False
        #: The URIs of the open folders.
        self.folders: Iterable[str] = ()
        self._trust = trust or Trust()

    def allows(self, suite: Path) -> bool:
        """Whether a suite may be run. Reads the list of trusted folders each time: `rubric trust` may just have changed it."""
        return self._vouched(suite) or self._trust.allows(suite)

    def _vouched(self, suite: Path) -> bool:
        real, folders = real_path(suite), self._folders()
        return self.editor_trusts and not self.remote and (not folders or any(real.is_relative_to(f) for f in folders))

    def covers(self, suite: Path, cases: Collection[str], does: Collection[str], *, outside: bool) -> bool:
        """Whether the effects of a suite's cases are allowed. First runs in a trusted folder are, and are remembered.

        Args:
            suite: Their file.
            cases: Their ids.
            does: The identities of all their effects.
            outside: Whether they read files outside of the trusted folders, such as the targets of a parent.
        """
        if self._vouched(suite):
            return not outside
        known = self._trust.known(suite, cases)
        if known is None and outside:
            return False
        if known is not None and not set(does) <= known:
            return False
        with contextlib.suppress(OSError):  # so that the user is asked again
            self._trust.allow(suite, cases, does)
        return True

    def run_before(self, suite: Path) -> frozenset[str]:
        """The cases of a suite, in a trusted folder, that were allowed to run before."""
        return self._trust.run_before(suite)

    def known(self, suite: Path, cases: Collection[str]) -> frozenset[str] | None:
        """The effects of a suite's cases that were allowed before; None if none were."""
        return None if self._vouched(suite) else self._trust.known(suite, cases)

    def roots(self, suite: Path) -> list[Path]:
        """The folders that a suite may use entirely: the trusted one, else the open ones, else its own."""
        if self._vouched(suite):
            return self._folders()
        trusted = self._trust.folder_of(suite)
        return [trusted if trusted is not None else self.folder_of(suite)]

    def allow(self, suite: Path, cases: Collection[str], does: Collection[str]) -> None:
        """Remember the effects of cases that the user has seen. Raises OSError."""
        self._trust.allow(suite, cases, does)

    def add(self, folder: Path) -> Path:
        """Trust a folder permanently, in every editor. Raises OSError, and ValueError for a folder that holds too much."""
        if self.remote:
            raise ValueError(
                f"a client connected by a socket cannot allow runs: `rubric trust {folder}` in a terminal does"
            )
        if is_wide(folder):
            raise ValueError(
                f"{folder} holds more than suites: `rubric trust --yes {folder}` in a terminal would allow it anyway"
            )
        return self._trust.add(folder)

    def folder_of(self, path: Path) -> Path:
        """The folder to trust for `path`: itself, else the open folder that holds it, else its parent."""
        if os.path.isdir(path):  # noqa: PTH112  # `Path.is_dir` raises for a name that is too long
            return path
        real = real_path(path)
        held = [f for f in self._folders() if real.is_relative_to(f)]
        return max(held, key=lambda f: len(f.parts)) if held else real.parent

    def _folders(self) -> list[Path]:
        return [real_path(path) for uri in self.folders if (path := path_of(uri)) is not None]
