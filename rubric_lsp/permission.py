"""Permission to run suites: from the editor at start, or from the user, for a folder or just once."""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from rubric_core.trust import RunPlan, Trust, is_wide, real_path
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

    def home(self, suite: Path) -> Path:
        """The folder that remembers what a suite does: the trusted one, else the one that the editor trusts."""
        return self._trust.folder_of(suite) or self.folder_of(suite)

    def new_entries(self, folder: Path, plans: Sequence[RunPlan]) -> Mapping[str, str] | None:
        """See `Trust.new_entries`. Raises OSError."""
        return self._trust.new_entries(folder, plans)

    def allowed(self, folder: Path, plans: Sequence[RunPlan]) -> Mapping[str, str]:
        """See `Trust.allowed`. Raises OSError."""
        return self._trust.allowed(folder, plans)

    def roots(self, suite: Path) -> list[Path]:
        """The folders that a suite may use entirely: the trusted one, else the open ones, else its own."""
        if self._vouched(suite):
            return self._folders()
        trusted = self._trust.folder_of(suite)
        return [trusted if trusted is not None else self.folder_of(suite)]

    def remember(self, folder: Path, plans: Sequence[RunPlan]) -> None:
        """Remember what the user has allowed in a folder. Raises OSError."""
        self._trust.remember(folder, plans)

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
