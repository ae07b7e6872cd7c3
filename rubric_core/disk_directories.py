"""The directories in which programs of a run work, on disk."""

import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from rubric_core.disk import open_file
from rubric_core.environment_files import is_environment_file

__all__ = ["DiskDirectories"]

#: Results of earlier runs are not copied: agents would find answers there, and closing a copied database in the process
#: that writes to it would release its locks.
_LEFT_OUT = frozenset({".rubric"})
_RESULTS = shutil.ignore_patterns(*_LEFT_OUT)
#: The largest number of files that are looked at behind the links of a directory.
_MOST_LINKED = 100_000


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
        for link in self.links(source, ()):
            written = str(link.readlink())
            copied = target / link.relative_to(source)
            if not os.path.isabs(written) and copied.is_symlink():  # noqa: PTH117  # the text of the link
                copied.unlink()
                copied.symlink_to(
                    os.path.normpath(f"{os.path.realpath(link.parent)}/{written}")
                )  # one that leads to a link still does

    def links(self, path: Path, roots: Sequence[Path]) -> Mapping[Path, Path]:
        """See `ports.Directories.links`."""
        whole = os.path.realpath(path)
        found: dict[Path, Path] = {}
        seen, left, count = {whole}, [(str(path), True)], 0
        while left:
            folder, is_own = left.pop()
            try:
                entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
            except OSError:
                continue  # copying it says why
            for entry in entries:
                count += not is_own
                if count > _MOST_LINKED:
                    raise OSError(errno.EFBIG, f"its links lead to more than {_MOST_LINKED:,} files", str(path))
                if entry.name in _LEFT_OUT:
                    continue
                if not entry.is_symlink():
                    if entry.is_dir(follow_symlinks=False):
                        left.append((entry.path, is_own))
                    elif not is_own and is_environment_file(Path(entry.path)):
                        found[Path(entry.path)] = Path(entry.path)
                    continue
                real = os.path.realpath(entry.path)
                if _is_below(real, whole):
                    continue
                found[Path(entry.path)] = Path(real)
                if real not in seen and any(_is_below(real, str(root)) for root in roots) and os.path.isdir(real):  # noqa: PTH112  # it is text
                    seen.add(real)
                    left.append((real, False))
        return found

    def remove(self, path: Path) -> None:
        """See `ports.Directories.remove`."""
        if path.is_symlink() or not path.is_dir():
            path.unlink(missing_ok=True)
            return
        for folder, _, _ in os.walk(path):
            os.chmod(folder, stat.S_IRWXU)  # noqa: PTH101  # it is text
        shutil.rmtree(path, ignore_errors=True)


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder.rstrip(os.sep)}{os.sep}")
