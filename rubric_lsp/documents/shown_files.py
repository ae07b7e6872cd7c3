"""The files whose text an editor displays: hovers and previews show nothing of what lies elsewhere."""

import errno
import os
from collections.abc import Callable, Iterable
from pathlib import Path

from rubric_core.containment import bounds_of, is_inside
from rubric_core.disk import OpenFiles
from rubric_core.environment_files import is_environment_file
from rubric_core.file_access import Files

__all__ = ["ShownFiles", "is_shown"]


def is_shown(path: Path, suite: Path, opened: Iterable[Path]) -> bool:
    """Whether the text of a file may be displayed: its real path is below the suite's folder or repository, or an open folder.

    A file of environment variables is not displayed, wherever it is.
    """
    bounds = (bounds_of(suite.parent), *map(os.path.realpath, opened))
    return not is_environment_file(path) and any(is_inside(path, each) for each in bounds)


class ShownFiles(OpenFiles):
    """Files of which only those are read that may be displayed."""

    def __init__(self, files: Files, may_show: Callable[[Path], bool]) -> None:
        super().__init__(files, lambda _: None)
        self._may_show = may_show

    def read(self, path: Path, limit: int | None = None) -> bytes:
        """See `ports.Files.read`. Also raises OSError for a file that may not be displayed."""
        if not self._may_show(path):
            raise OSError(errno.EACCES, "it leads out of the open folders", str(path))
        return super().read(path, limit)
