"""The directories in which programs of a run work, on disk."""

import os
import shutil
import stat
import tempfile
from pathlib import Path
from typing import BinaryIO

from rubric_core.disk import open_file

__all__ = ["DiskDirectories"]

#: Results of earlier runs are not copied: agents would find answers there, and closing a copied database in the process
#: that writes to it would release its locks.
_RESULTS = shutil.ignore_patterns(".rubric")


class DiskDirectories:
    """See `ports.Directories`."""

    def create(self, prefix: str) -> Path:
        """See `ports.Directories.create`."""
        return Path(tempfile.mkdtemp(prefix=prefix))

    def make(self, path: Path) -> None:
        """See `ports.Directories.make`."""
        path.mkdir()

    def write(self, path: Path, content: bytes) -> None:
        """See `ports.Directories.write`."""
        path.write_bytes(content)

    def entries(self, path: Path) -> "list[os.DirEntry[str]]":
        """See `ports.Directories.entries`."""
        with os.scandir(path) as found:
            return sorted(found, key=lambda entry: entry.name)

    def open(self, path: Path) -> BinaryIO:
        """See `ports.Directories.open`."""
        return open_file(path)

    def copy_file(self, source: Path, target: Path) -> None:
        """See `ports.Directories.copy_file`."""
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        shutil.copy2(source, target, follow_symlinks=False)

    def copy(self, source: Path, target: Path) -> None:
        """See `ports.Directories.copy`."""
        try:
            shutil.copytree(source, target, symlinks=True, ignore=_RESULTS, dirs_exist_ok=True)
        except shutil.Error as error:
            raise OSError(f"{error.args[0][0][0]} cannot be copied: {error.args[0][0][2]}") from None

    def remove(self, path: Path) -> None:
        """See `ports.Directories.remove`."""
        if path.is_symlink() or not path.is_dir():
            path.unlink(missing_ok=True)
            return
        for folder, _, _ in os.walk(path):
            os.chmod(folder, stat.S_IRWXU)  # noqa: PTH101  # it is text
        shutil.rmtree(path, ignore_errors=True)
