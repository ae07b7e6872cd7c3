"""Who said that a suite may be run: the editor when it started the server, or a person, for a folder or just once."""

import os
from collections.abc import Iterable
from pathlib import Path

from rubric_core.trust import Trust, real_path
from rubric_lsp.uris import path_of

__all__ = ["Permission"]


class Permission:
    """What may be run in this conversation."""

    def __init__(self, trust: Trust | None = None) -> None:
        #: Whether the editor vouches for the folders that it has open.
        self.editor_trusts = False
        #: The URIs of the open folders.
        self.folders: Iterable[str] = ()
        self._trust = trust or Trust()

    def given(self, suite: Path) -> bool:
        """Whether a suite may be run. Reads the list of trusted folders each time: `rubric trust` may just have changed it."""
        real = real_path(suite)
        if self.editor_trusts:
            folders = self._folders()
            if not folders or any(real.is_relative_to(f) for f in folders):
                return True
        return self._trust.allows(real)

    def add(self, folder: Path) -> Path:
        """Trust a folder from now on, in every editor. Raises OSError."""
        return self._trust.add(folder)

    def folder_of(self, path: Path) -> Path:
        """The folder that a person means by trusting `path`: itself, else the open folder that holds it, else its own."""
        if os.path.isdir(path):  # noqa: PTH112  # `Path.is_dir` raises for a name that is too long
            return path
        real = real_path(path)
        held = [f for f in self._folders() if real.is_relative_to(f)]
        return max(held, key=lambda f: len(f.parts)) if held else real.parent

    def _folders(self) -> list[Path]:
        return [real_path(path) for uri in self.folders if (path := path_of(uri)) is not None]
