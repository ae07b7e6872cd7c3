"""File access, apart from the other adapters, so that a check does not import what only runs need."""

import errno
import os
import stat
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from rubric_core.environment_files import refuse_environment_file

if TYPE_CHECKING:
    from rubric_core.file_access import Files

__all__ = ["DiskFiles", "OpenFiles", "open_file", "read_beginning", "read_file", "read_stream"]

#: Where the streams are that a program was handed, as by `<(command)` of a shell.
_HANDED = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
#: What is neither a file nor a folder; a pipe without a writer would be waited for without end, some devices have no end.
_OTHERS = (
    (stat.S_ISFIFO, "this is a named pipe, not a file"),
    (stat.S_ISSOCK, "this is a socket, not a file"),
    (stat.S_ISCHR, "this is a device, not a file"),
    (stat.S_ISBLK, "this is a device, not a file"),
)


#: Most files are shorter, in bytes. Memory for as much as a file may hold would be taken and given back for each of thousands.
_MOSTLY = 1 << 16


def read_file(path: Path, limit: int | None = None) -> bytes:
    """The content of a file, or of a stream that this program was handed, such as `/dev/stdin`.

    Raises OSError, also for pipes and devices that are called by a name, and for more than `limit` bytes.
    """
    with open_file(path, limit) as file:
        return read_stream(file, path.name, limit)


def read_beginning(path: Path, most: int) -> str | None:
    """Up to `most` bytes of a file as text, whatever its encoding is; None if it cannot be read."""
    try:
        with open_file(path) as file:
            return file.read(most).decode("utf-8", "replace")
    except OSError:
        return None


def open_file(path: Path, limit: int | None = None) -> BinaryIO:
    """A file, to be read piece by piece, or a stream that this program was handed.

    Raises OSError, also for pipes and devices that are called by a name, and for files of more than `limit` bytes.
    """
    if path.as_posix().startswith(_HANDED):
        return path.open("rb")
    _refuse(path, path.stat(), limit)
    # The path may lead to another file by now: it is checked again, and opening a pipe does not block.
    file = os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)), "rb")
    try:
        _refuse(path, os.fstat(file.fileno()), limit)
    except BaseException:
        file.close()
        raise
    return file


def _refuse(path: Path, found: os.stat_result, limit: int | None) -> None:
    other = next((words for is_so, words in _OTHERS if is_so(found.st_mode)), None)
    if other is not None:
        raise OSError(errno.EINVAL, other, str(path))
    if limit is not None and stat.S_ISREG(found.st_mode) and found.st_size > limit:
        raise _too_long(path.name, limit)


def read_stream(stream: BinaryIO, name: str, limit: int | None = None) -> bytes:
    """The content of `stream`. Raises OSError, which names `name`, for more than `limit` bytes."""
    if limit is None:
        return _ready(stream.read(), name)
    content = _ready(stream.read(min(_MOSTLY, limit + 1)), name)
    if len(content) == _MOSTLY <= limit:
        content += _ready(stream.read(limit + 1 - _MOSTLY), name)
    if len(content) > limit:
        raise _too_long(name, limit)
    return content


def _ready(content: bytes | None, name: str) -> bytes:
    """The data read. None if the system would have blocked: some files of `/proc` are regular and block like a pipe."""
    if content is None:
        raise OSError(errno.EAGAIN, "there is nothing to read yet", name)
    return content


def _too_long(name: str, limit: int) -> OSError:
    return OSError(errno.EFBIG, f"{name} is longer than {limit:,} bytes")


_NOTHING: frozenset[str] = frozenset()


class DiskFiles:
    """Files on disk."""

    def read(self, path: Path, limit: int | None = None) -> bytes:
        """See `ports.Files.read`."""
        refuse_environment_file(path)
        return read_file(path, limit)

    def read_variables(self, path: Path, limit: int | None = None) -> bytes:
        """See `ports.Files.read_variables`."""
        return read_file(path, limit)

    def is_file(self, path: Path) -> bool:
        """See `ports.Files.is_file`."""
        return os.path.isfile(path)  # noqa: PTH113  # half as long as `Path.is_file`, and asked thousands of times

    def is_directory(self, path: Path) -> bool:
        """See `ports.Files.is_directory`."""
        return os.path.isdir(path)  # noqa: PTH112  # as above

    def present(self, path: Path, names: Mapping[str, Sequence[str]]) -> frozenset[str]:
        """See `ports.Files.present`."""
        try:
            # Names that some disk may take for one of those.
            listed = {name.lower() for name in os.listdir(path)}  # noqa: PTH208  # names are wanted, not paths
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return frozenset()
        except OSError:  # files can be opened in a folder that may not be listed
            listed = set(names)
        found = names.keys() & listed
        return frozenset(n for first in found for n in names[first] if self.is_file(path / n)) if found else _NOTHING

    def names(self, path: Path) -> tuple[str, ...]:
        """See `ports.Files.names`."""
        with suppress(OSError, ValueError):
            return tuple(sorted(os.listdir(path)))  # noqa: PTH208  # names are wanted, not paths
        return ()


class OpenFiles:
    """Files on disk, overlaid by the documents that an editor has open."""

    def __init__(self, files: "Files", opened: Callable[[Path], str | None]) -> None:
        """`opened` gives the text of an open document, None for other files."""
        self._files = files
        self._opened = opened

    def read(self, path: Path, limit: int | None = None) -> bytes:
        """See `ports.Files.read`."""
        refuse_environment_file(path)
        text = self._opened(path)
        return self._files.read(path, limit) if text is None else text.encode("utf-8", "surrogatepass")

    def read_variables(self, path: Path, limit: int | None = None) -> bytes:
        """See `ports.Files.read_variables`: from disk, as programs read it."""
        return self._files.read_variables(path, limit)

    def is_file(self, path: Path) -> bool:
        """See `ports.Files.is_file`."""
        return self._opened(path) is not None or self._files.is_file(path)

    def is_directory(self, path: Path) -> bool:
        """See `ports.Files.is_directory`."""
        return self._files.is_directory(path)

    def present(self, path: Path, names: Mapping[str, Sequence[str]]) -> frozenset[str]:
        """See `ports.Files.present`."""
        opened = (name for those in names.values() for name in those if self._opened(path / name) is not None)
        return self._files.present(path, names).union(opened)

    def names(self, path: Path) -> tuple[str, ...]:
        """See `ports.Files.names`."""
        return self._files.names(path)
