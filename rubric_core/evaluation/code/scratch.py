"""Scratch directories for the files that a program of a run is given or writes."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rubric_core.lazy_compilation import dataclass
from rubric_core.ports import Directories

__all__ = ["Scratch", "scratch_directory"]


@dataclass(frozen=True, slots=True)
class Scratch:
    """A directory of its own for one start of a program."""

    path: Path
    directories: Directories

    def write(self, name: str, text: str) -> Path:
        """Write a file, and return its path."""
        file = self.path / name
        self.directories.write(file, text.encode("utf-8", "replace"))
        return file


@contextmanager
def scratch_directory(directories: Directories, *, keep: bool = False) -> Iterator[Scratch]:
    """A new scratch directory. It is removed afterwards, unless it is to be kept."""
    path = directories.create("rubric-")
    try:
        yield Scratch(path, directories)
    finally:
        if not keep:
            directories.remove(path)
