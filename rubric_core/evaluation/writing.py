"""How files are written so that nobody ever finds half of one: whole at once, or row by row as things come."""

import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any
from uuid import uuid4

__all__ = ["Journal", "json_text", "locked", "write_atomically"]


def write_atomically(path: Path, text: str | Iterable[str]) -> None:
    """Replace the content of a file at once or not at all; `text` may come in pieces. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{uuid4().hex[:12]}")
    try:
        with temporary.open("x", encoding="utf-8", newline="\n") as file:
            file.writelines([text] if isinstance(text, str) else text)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


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
    with path.open("w") as file:
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
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = json_text(row)
        with self.locked(), self.path.open("a", encoding="utf-8", newline="\n") as file:
            # The last line of a program that was killed may be cut: a row of its own begins on a line of its own.
            file.write(f"\n{line}\n")

    def locked(self) -> contextlib.AbstractContextManager[None]:
        """Keep others from writing. Raises OSError."""
        return locked(self._lock)

    @contextlib.contextmanager
    def opened(self) -> Iterator["Rows"]:
        """What is in it; nothing when it is not there, or cannot be read."""
        try:
            file: IO[bytes] | None = self.path.open("rb")
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
        for line in self._file:  # cut at line feeds alone: an answer may hold other characters that break lines
            row = _row(line)
            if row is not None:
                yield place, row
            place += len(line)

    def at(self, place: int) -> dict[str, Any]:
        """The row at a place that was given before."""
        if self._file is None:
            return {}
        self._file.seek(place)
        return _row(self._file.readline()) or {}


def _row(line: bytes) -> dict[str, Any] | None:
    with contextlib.suppress(ValueError, RecursionError):
        row = json.loads(line)
        if isinstance(row, dict):
            return row
    return None
