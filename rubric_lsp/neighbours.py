"""What lies around a suite: the names that it may refer to. Reads file names and target files, and nothing else."""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from rubric_core.adapters import DiskFiles
from rubric_core.loading.targets import find_targets, read_targets

__all__ = ["names_around"]

_SKIPPED = frozenset({"node_modules", "__pycache__", "dist", "build", "venv"})
#: A folder with more than this is no place to look for a prompt in.
_MOST_VISITED = 2_000
_MOST_OFFERED = 300


def names_around(suite: Path | None) -> Callable[[str], Sequence[str]]:
    """Gives the names of targets, files or directories that a suite can refer to, by what they are."""

    def names(kind: str) -> Sequence[str]:
        if suite is None:
            return ()
        if kind == "target":
            return _targets(suite.parent)
        if kind in ("file", "directory"):
            return list(_paths(suite, folders=kind == "directory"))
        return ()

    return names


def _targets(folder: Path) -> Sequence[str]:
    files = DiskFiles()
    path = find_targets(folder, files)
    try:
        return [entry.name for entry in read_targets(path, files).entries] if path is not None else ()
    except (OSError, ValueError):
        return ()


def _paths(suite: Path, *, folders: bool) -> Iterator[str]:
    """Paths below the folder of a suite as they are written in it, the nearest first."""
    waiting, visited, offered = deque([""]), 0, 0
    while waiting and visited < _MOST_VISITED and offered < _MOST_OFFERED:
        here = waiting.popleft()
        for entry in _listed(suite.parent / here):
            visited += 1
            if entry.name.startswith(".") or entry.name in _SKIPPED or entry.name == suite.name:
                continue
            path = f"{here}{entry.name}"
            is_folder = entry.is_dir(follow_symlinks=False)
            if is_folder:
                waiting.append(f"{path}/")
            if is_folder == folders and offered < _MOST_OFFERED:
                offered += 1
                yield path


def _listed(folder: Path) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda e: e.name)
    except OSError:
        return []
