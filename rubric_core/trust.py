"""Which folders a person has said may run: a suite is code, and nothing runs because it was opened."""

import json
import os
from pathlib import Path

from rubric_core.homes import user_directory

__all__ = ["Trust", "real_path"]


def real_path(path: Path) -> Path:
    """A path with its links followed, as far as they lead anywhere: links in a circle and names that are too long stay."""
    return Path(os.path.realpath(path))  # `Path.resolve` raises for them


class Trust:
    """The folders whose suites may be run from an editor, kept in the user's state directory."""

    def __init__(self, file: Path | None = None) -> None:
        self._given = file

    @property
    def file(self) -> Path:
        """Where they are listed. Raises OSError for a user without a home."""
        return self._given or user_directory("XDG_STATE_HOME", ".local", "state") / "rubric" / "trust.json"

    def folders(self) -> list[Path]:
        """Every trusted folder; a file that cannot be read trusts nothing."""
        try:
            data = json.loads(self.file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return []
        listed = data.get("folders") if isinstance(data, dict) else None
        return [Path(f) for f in listed if isinstance(f, str)] if isinstance(listed, list) else []

    def allows(self, path: Path) -> bool:
        """Whether `path` is a trusted folder or lies in one; links are followed first."""
        real = real_path(path)
        return any(real == folder or folder in real.parents for folder in self.folders())

    def add(self, folder: Path) -> Path:
        """Trust a folder from now on. Raises OSError when that cannot be written down."""
        real = real_path(folder)
        self._write(sorted({*map(str, self.folders()), str(real)}))
        return real

    def remove(self, folder: Path) -> Path:
        """Trust a folder no longer."""
        real = real_path(folder)
        self._write(sorted({str(f) for f in self.folders()} - {str(real)}))
        return real

    def _write(self, folders: list[str]) -> None:
        file = self.file
        file.parent.mkdir(parents=True, exist_ok=True)
        draft = file.with_suffix(".new")
        draft.write_text(json.dumps({"folders": folders}, indent=2) + "\n", encoding="utf-8")
        draft.replace(file)
