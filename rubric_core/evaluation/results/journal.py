"""Writes files so that no reader sees a partial write: atomically, or row by row."""

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import IO, Any

from rubric_core.atomic_write import write_file
from rubric_core.control_characters import escape_json
from rubric_core.disk import open_file
from rubric_core.file_lock import OPEN_LOCK, locked, open_own_file, system_locks

#: Bytes of a file of results: 20,000 cases need a tenth of it.
_LARGEST = 2_000_000_000
#: Bytes of a row.
_LONGEST_LINE = 64_000_000

__all__ = ["Journal", "JournalRows", "json_text", "write_atomically"]


_ADD = OPEN_LOCK | os.O_APPEND
#: How often a deleted journal is reopened. On file systems without stable file identities, it is opened for each row.
_TRIES = 3
#: The mode of files with answers: readable by the owner alone.
_PRIVATE = 0o600


def write_atomically(path: Path, text: str | Iterable[str], *, private: bool = False) -> None:
    """Replace the content of a file atomically; `text` may be in pieces. Raises OSError.

    A new file is readable by its owner alone, as it contains answers; an existing file keeps its mode, unless
    `private`.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(
        path, (piece.encode() for piece in ([text] if isinstance(text, str) else text)), _PRIVATE, private=private
    )


_ON_ONE_LINE = json.JSONEncoder(ensure_ascii=False)


def json_text(value: Any, indent: int | None = None) -> str:
    """Readable JSON, on one line without `indent`; control characters and lone surrogates are escaped."""
    text = _ON_ONE_LINE.encode(value) if indent is None else json.dumps(value, ensure_ascii=False, indent=indent)
    return escape_json(text)


_LOCKS = system_locks()


class _Held:
    """An open journal and its lock, for one program that adds rows: opening them is most of the cost of a row."""

    def __init__(self, path: Path, lock: Path) -> None:
        """Raises OSError."""
        self._files: list[int] = []
        self._names = str(lock), str(path)
        for name, how in zip(self._names, (OPEN_LOCK, _ADD), strict=True):
            self._files.append(open_own_file(name, how))
        self._known = [_identity(os.fstat(file)) for file in self._files]

    @property
    def is_in_place(self) -> bool:
        """Whether these are still the files at these paths."""
        try:
            return [_identity(os.stat(name)) for name in self._names] == self._known  # noqa: PTH116  # four times as fast
        except FileNotFoundError:
            return False

    def write(self, line: bytes) -> bool:
        """Add a line; False if the files were deleted. Raises OSError, in which case a part of it may be written."""
        lock, journal = self._files
        _LOCKS.flock(lock, _LOCKS.LOCK_EX)
        try:
            if not self.is_in_place:  # nobody deletes them while this has the lock
                return False
            while line:
                line = line[os.write(journal, line) :]
            return True
        finally:
            _LOCKS.flock(lock, _LOCKS.LOCK_UN)

    def __del__(self) -> None:
        for file in self._files:
            os.close(file)


def _identity(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


class Journal:
    """JSON rows in a file, each written at once, so that a killed program loses none of them.

    Several programs may write at the same time. A program that moves the rows to their final place and removes the
    journal holds its lock. After the first row both files stay open until `close`, if the system has locks; they are
    created again if one was removed.

    Args:
        path: The file.
        lock: Its lock.
        prepare: Called before these two are opened, to create what they need. May raise OSError.
    """

    def __init__(self, path: Path, lock: Path, prepare: Callable[[], None] = lambda: None) -> None:
        self.path = path
        self._lock = lock
        self._prepare = prepare
        self._held: _Held | None = None

    def __bool__(self) -> bool:
        """Whether it exists, as far as can be seen: one in a folder without search permission does not."""
        return (self._held is not None and self._held.is_in_place) or os.path.exists(self.path)  # noqa: PTH110  # `Path.exists` raises there

    def close(self) -> None:
        """Close the files for now."""
        self._held = None

    def append(self, row: Mapping[str, Any]) -> None:
        """Store a row. Raises OSError."""
        # The last line of a killed program may be incomplete: a row starts on a line of its own.
        line = f"\n{json_text(row)}\n".encode()
        try:
            self._write(line)
        except FileNotFoundError:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._write(line)

    def _write(self, line: bytes) -> None:
        for _ in range(_TRIES if _LOCKS is not None else 0):
            if self._held is None:
                self._prepare()
                self._held = _Held(self.path, self._lock)
            if self._held.write(line):
                return
            self._held = None
        self._prepare()
        with self.locked(), open(self.path, "ab", opener=open_own_file) as file:
            file.write(line)

    def locked(self) -> contextlib.AbstractContextManager[None]:
        """Lock out other writers. Raises OSError."""
        return locked(self._lock)

    @contextlib.contextmanager
    def opened(self) -> Iterator["JournalRows"]:
        """Its rows; none if it does not exist or cannot be read."""
        try:
            file: IO[bytes] | None = open_file(self.path, _LARGEST)
        except OSError:
            file = None
        with file or contextlib.nullcontext():
            yield JournalRows(file)

    def remove(self) -> None:
        """Remove it: its rows are stored elsewhere. Raises OSError."""
        self.close()
        if self:
            self.path.unlink(missing_ok=True)


class JournalRows:
    """The rows of a journal, one at a time, as all together may not fit into memory."""

    def __init__(self, file: IO[bytes] | None) -> None:
        self._file = file

    def __iter__(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Each row with its offset; incomplete and damaged rows are left out."""
        if self._file is None:
            return
        place = 0
        for line in iter(
            partial(self._file.readline, _LONGEST_LINE), b""
        ):  # split at line feeds alone: an answer may contain other line breaks
            row = _row(line)
            if row is not None:
                yield place, row
            place += len(line)

    def at(self, place: int) -> dict[str, Any]:
        """The row at an offset that `__iter__` gave."""
        return _row(self._line(place)) or {}

    def _line(self, place: int) -> bytes:
        if self._file is None:
            return b""
        self._file.seek(place)
        return self._file.readline(_LONGEST_LINE)


def _row(line: bytes) -> dict[str, Any] | None:
    with contextlib.suppress(ValueError, RecursionError):
        row = json.loads(line)
        if isinstance(row, dict):
            return row
    return None
