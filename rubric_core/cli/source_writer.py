"""Writes the files of a command. Nothing is written outside of the folders that were named, or of their repositories."""

import errno
import os
from collections.abc import Iterable
from pathlib import Path

from rubric_core.atomic_write import write_file
from rubric_core.containment import OUTSIDE, bounds_of, is_inside
from rubric_core.loading.files import absolute

__all__ = ["SourceWriter"]

_MAGIC = frozenset("*?[{")


class SourceWriter:
    """Writes files that the names on a command line stand for. A file that is named itself may be a link to anywhere: the user wrote it."""

    def __init__(self, names: Iterable[str]) -> None:
        self._named: set[Path] = set()
        self._bounds: set[str] = set()
        for name in filter(None, names):
            if os.path.isdir(name):  # noqa: PTH112  # a name that is too long is no error
                folder = Path(name)
            elif os.path.lexists(name) or not _MAGIC & set(name):
                self._named.add(absolute(name))
                folder = absolute(name).parent
            else:
                parts = Path(name).parts
                folder = Path(*parts[: next(n for n, part in enumerate(parts) if _MAGIC & set(part))])
            self._bounds.add(bounds_of(folder))

    def write(self, path: Path, content: bytes) -> None:
        """Replace the content of a file. Raises OSError, also for one that leads outside."""
        # Written where it was looked at: another link in its place since then is replaced, not followed.
        write_file(self.permitted(path), content)

    def permitted(self, path: Path) -> Path:
        """The real path of a file that may be written. Raises OSError for one that leads outside."""
        whole = absolute(path)
        real = Path(os.path.realpath(whole))
        if whole not in self._named and not any(is_inside(real, each) for each in self._bounds):
            raise OSError(errno.EACCES, OUTSIDE, str(path))
        return real
