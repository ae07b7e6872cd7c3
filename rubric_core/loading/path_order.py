"""Ordered collections of paths, in which those below a folder are found quickly."""

import os
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from pathlib import Path

from rubric_core.loading.files import absolute

__all__ = ["SeenPaths", "SuitePaths"]


class SeenPaths:
    """Every path that something was found out from, by the folder that it is in, so that those below one are found at once."""

    def __init__(self) -> None:
        self._paths: dict[Path, Path] = {}
        #: The paths in each folder, and its subfolders with paths.
        self._inside: dict[Path, list[Path]] = {}
        #: The indexed paths, and those that wait for it: a check adds thousands and never queries them.
        self._placed: set[Path] = set()
        self._waiting: list[Path] = []

    def __bool__(self) -> bool:
        return bool(self._paths)

    def __contains__(self, path: Path) -> bool:
        return path in self._paths

    def add(self, path: Path) -> Path:
        """Add a path; returns the single object for it, so that thousands of sets share it."""
        known = self._paths.get(path)
        if known is None:
            known = self._paths[path] = path
            self._waiting.append(path)
        return known

    def settle(self) -> None:
        """Index the paths that were added."""
        for path in self._waiting:
            self._placed.add(path)
            if path not in self._inside:  # otherwise it was indexed as a folder
                self._place(path)
        self._waiting.clear()

    def _place(self, path: Path) -> None:
        while (folder := path.parent) != path:
            inside = self._inside.get(folder)
            if inside is not None:
                inside.append(path)
                return
            self._inside[folder] = [path]
            if folder in self._placed:
                return
            path = folder

    def below(self, path: Path) -> Iterator[Path]:
        """The path, and all paths below it."""
        self.settle()
        waiting = [path]
        while waiting:
            here = waiting.pop()
            yield here
            waiting += self._inside.get(here, ())


class SuitePaths:
    """Suites ordered by name, so that those below a folder are adjacent."""

    def __init__(self, paths: Iterable[Path] = ()) -> None:
        self.names = sorted({str(absolute(path)) for path in paths})
        self.paths = tuple(map(Path, self.names))

    def below(self, folder: Path) -> tuple[Path, ...]:
        """The suites below a folder."""
        inside = os.path.join(folder, "")  # noqa: PTH118  # with the separator at the end
        start = bisect_left(self.names, inside)
        return self.paths[start : bisect_left(self.names, inside[:-1] + chr(ord(inside[-1]) + 1), start)]
