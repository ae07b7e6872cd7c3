"""How files are written so that nobody ever finds half of one: whole at once, or row by row as things come."""

import contextlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import IO, Any

from rubric_core.atomic_write import write_file
from rubric_core.disk import open_file

#: Bytes of a file of results: 20,000 cases have a tenth of it.
_LARGEST = 2_000_000_000
#: Bytes of a row.
_LONGEST_LINE = 64_000_000

__all__ = ["Journal", "json_text", "locked", "write_atomically"]


#: Who may read what holds answers: its owner alone.
_PRIVATE = 0o600


def write_atomically(path: Path, text: str | Iterable[str], *, private: bool = False) -> None:
    """Replace the content of a file at once or not at all; `text` may come in pieces. Raises OSError.

    A new file is for its owner alone, as it has answers in it; one that is there stays as open as it is, but where it is `private`.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(
        path, (piece.encode() for piece in ([text] if isinstance(text, str) else text)), _PRIVATE, private=private
    )


def _opened(name: str, flags: int) -> int:
    return os.open(name, flags, _PRIVATE)


def json_text(value: Any, indent: int | None = None) -> str:
    """JSON as people read it, on one line without `indent`; half of a pair of surrogates, which is no text, as its number."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, indent=indent)
    return text


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock file where the system has such locks. Raises OSError."""
    try:
        import fcntl  # noqa: PLC0415  # not on Windows
    except ImportError:
        yield
        return
    with open(path, "wb", buffering=0, opener=_opened) as file:  # `Path.open` takes no opener
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


class Journal:
    """Rows of JSON in a file, each there as soon as it is known: a program that is killed has lost none of them.

    Several programs may write at a time. Who puts the rows in their place and removes the journal holds its lock.
    """

    def __init__(self, path: Path, lock: Path) -> None:
        self.path = path
        self._lock = lock

    def __bool__(self) -> bool:
        """Whether there is one."""
        return self.path.exists()

    def append(self, row: Mapping[str, Any]) -> None:
        """Keep a row. Raises OSError."""
        # The last line of a program that was killed may be cut: a row of its own begins on a line of its own.
        line = f"\n{json_text(row)}\n".encode()
        try:
            self._write(line)
        except FileNotFoundError:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._write(line)

    def _write(self, line: bytes) -> None:
        with self.locked(), open(self.path, "ab", opener=_opened) as file:
            file.write(line)

    def locked(self) -> contextlib.AbstractContextManager[None]:
        """Keep others from writing. Raises OSError."""
        return locked(self._lock)

    @contextlib.contextmanager
    def opened(self) -> Iterator["Rows"]:
        """What is in it; nothing when it is not there, or cannot be read."""
        try:
            file: IO[bytes] | None = open_file(self.path, _LARGEST)
        except OSError:
            file = None
        with file or contextlib.nullcontext():
            yield Rows(file)

    def remove(self) -> None:
        """Take it away: what it held stands somewhere else. Raises OSError."""
        if self:
            self.path.unlink(missing_ok=True)


class Rows:
    """The rows of a journal, one at a time: what they hold together may be more than the memory should."""

    def __init__(self, file: IO[bytes] | None) -> None:
        self._file = file

    def __iter__(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Each row with the place at which it is found again; what is cut or damaged is left out."""
        if self._file is None:
            return
        place = 0
        for line in iter(
            partial(self._file.readline, _LONGEST_LINE), b""
        ):  # cut at line feeds alone: an answer may hold other characters that break lines
            row = _row(line)
            if row is not None:
                yield place, row
            place += len(line)

    def at(self, place: int) -> dict[str, Any]:
        """The row at a place that was given before."""
        if self._file is None:
            return {}
        self._file.seek(place)
        return _row(self._file.readline(_LONGEST_LINE)) or {}


def _row(line: bytes) -> dict[str, Any] | None:
    with contextlib.suppress(ValueError, RecursionError):
        row = json.loads(line)
        if isinstance(row, dict):
            return row
    return None
