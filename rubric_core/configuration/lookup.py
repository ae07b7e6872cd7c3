"""Finds the configuration of a file, and caches it until it changes on disk."""

# Paths as text: every folder upward of every file is looked at.
# ruff: noqa: PTH100, PTH116, PTH118, PTH120

import os
from pathlib import Path

from rubric_core.analysis import Language
from rubric_core.configuration.model import DEFAULT, Configuration
from rubric_core.containment import OUTSIDE, leads_outside
from rubric_core.loading.files import UnreadableError, read_text

__all__ = ["CONFIGURATION_FILES", "PYPROJECT", "Configurations", "FolderConfigurations"]

#: By precedence, if a folder has both.
CONFIGURATION_FILES = (".rubric.toml", "pyproject.toml")
PYPROJECT = CONFIGURATION_FILES[1]

_Stamp = tuple[int, int, int]


class Configurations:
    """Configurations by file. Each is read once, and again when its file changes."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._known: dict[str, tuple[_Stamp, Configuration | None]] = {}

    def for_file(self, path: Path | str) -> Configuration:
        """The nearest configuration from the folder of `path` upward."""
        return self.for_folder(os.path.dirname(os.path.abspath(path)))

    def for_folder(self, folder: Path | str) -> Configuration:
        """The nearest configuration from `folder` upward."""
        here = os.path.abspath(folder)
        while True:
            found = self.in_folder(here)
            if found is not None:
                return found
            above = os.path.dirname(here)
            if above == here:
                return DEFAULT
            here = above

    def in_folder(self, folder: Path | str) -> Configuration | None:
        """The configuration in that folder itself."""
        here = os.path.abspath(folder)
        for name in CONFIGURATION_FILES:
            found = self._at(os.path.join(here, name))
            if found is not None:
                return found
        return None

    def at(self, path: Path | str) -> Configuration | None:
        """The configuration in that file itself; None if it has no settings for rubric, or does not exist."""
        return self._at(os.path.abspath(path))

    def _at(self, path: str) -> Configuration | None:
        try:
            status = os.stat(path)
        except OSError:
            return None
        stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
        known = self._known.get(path)
        if known is None or known[0] != stamp:
            known = (stamp, self._read(Path(path)))
            self._known[path] = known
        return known[1]

    def _read(self, path: Path) -> Configuration | None:
        own = path.name != PYPROJECT
        if leads_outside(path):
            return self._unreadable(path, f"cannot be read: {OUTSIDE}") if own else None
        try:
            text = read_text(path)
        except UnreadableError as error:
            # A broken file of another program is not reported.
            return self._unreadable(path, str(error)) if own else None
        if not own and "rubric" not in text:
            return None
        # The TOML parser costs milliseconds, and most checks do not need it.
        from rubric_core.configuration.parse import read  # noqa: PLC0415

        return read(path, text, self._language)

    def _unreadable(self, path: Path, message: str) -> Configuration:
        from rubric_core.configuration.parse import unreadable_configuration  # noqa: PLC0415  # see above

        return unreadable_configuration(path, message.removeprefix(f"{path}").lstrip(":1234567890 "), self._language)


class FolderConfigurations:
    """The configurations of many files at one moment: each folder is searched once."""

    def __init__(self, configurations: Configurations) -> None:
        self._configurations = configurations
        self._known: dict[str, Configuration] = {}

    def of(self, path: Path | None) -> Configuration:
        """The nearest configuration from the folder of `path` upward; the default for no path."""
        return DEFAULT if path is None else self._in(os.path.dirname(path))

    def _in(self, folder: str) -> Configuration:
        known = self._known.get(folder)
        if known is None:
            above = os.path.dirname(folder)
            own = self._configurations.in_folder(folder)
            known = self._known[folder] = own or (DEFAULT if above == folder else self._in(above))
        return known
