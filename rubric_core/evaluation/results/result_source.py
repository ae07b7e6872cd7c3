"""Full results and histories, read one at a time from a database that others may write to."""

import errno
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rubric_core.evaluation.model.result import CaseResult
from rubric_core.evaluation.results.connection import read_without_trace
from rubric_core.evaluation.results.known_case import MOST_HISTORY
from rubric_core.evaluation.results.packed_result import unpack_result
from rubric_core.evaluation.results.result_reader import history_of
from rubric_core.evaluation.results.signatures import digest_of
from rubric_core.evaluation.results.store_errors import ResultStoreError, store_errors

__all__ = ["OpenResults", "StoredResults", "history_rows", "packed_content"]

_HISTORY = (
    "SELECT at, verdict, score, duration_ms, fingerprint FROM results WHERE number <= ?1 AND case_number = "
    "(SELECT case_number FROM results WHERE number = ?1) ORDER BY number DESC LIMIT ?2"
)
_FROM = "SELECT result, content FROM details WHERE result >= ? ORDER BY result LIMIT ?"
#: How many results, and bytes of packed ones, are read ahead: whoever iterates over a run needs the next one next.
_MOST_AHEAD = 256
_MOST_BYTES_AHEAD = 4_000_000
_NAMES = ("at", "verdict", "score", "duration_ms", "fingerprint")


class StoredResults:
    """Reads single results, each with a connection of its own, for occasional access. Thread-safe."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def result(self, number: int, digest: str) -> CaseResult:
        """See `ResultSource`."""
        packed = read_without_trace(self._path, lambda connection: packed_content(connection, number))
        return _unpacked(packed, self._path, digest)

    def history(self, number: int) -> tuple[Mapping[str, Any], ...]:
        """See `ResultSource`."""
        return read_without_trace(self._path, lambda connection: history_rows(connection, number)) or ()


class OpenResults:
    """Reads results in batches from an open database, and after it is closed."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection: sqlite3.Connection | None = connection
        self._path = path
        self._alone = StoredResults(path)
        #: Packed results by their numbers, and the last unpacked one, as several of its values are requested in turn.
        self._ahead: Mapping[int, bytes] = {}
        self._last: tuple[int, CaseResult] | None = None

    def closed(self) -> None:
        """The connection can no longer be used."""
        self._connection = None

    def result(self, number: int, digest: str) -> CaseResult:
        """See `ResultSource`."""
        last = self._last
        if last is not None and last[0] == number:
            return last[1]
        found = _unpacked(self._packed(number), self._path, digest)
        self._last = (number, found)
        return found

    def _packed(self, number: int) -> bytes | None:
        if self._connection is not None:
            with store_errors(self._path):
                return packed_content(self._connection, number)
        ahead = self._ahead
        if number not in ahead:
            ahead = read_without_trace(self._path, lambda connection: _packed_from(connection, number)) or {}
            self._ahead = ahead
        return ahead.get(number)

    def history(self, number: int) -> tuple[Mapping[str, Any], ...]:
        """See `ResultSource`."""
        return self._alone.history(number)


def _unpacked(packed: bytes | None, path: Path, digest: str) -> CaseResult:
    if packed is None:
        raise ResultStoreError(errno.ENOENT, f"{path} has no such result any more")
    if digest and not digest.startswith(digest_of(packed)):
        raise ValueError("this was changed after it was stored")
    return unpack_result(packed)


def packed_content(connection: sqlite3.Connection, number: int) -> bytes | None:
    """The packed result; None if it does not exist. Raises sqlite3.Error."""
    found = connection.execute("SELECT content FROM details WHERE result = ?", (number,)).fetchone()
    return found[0] if found is not None and isinstance(found[0], bytes) else None


def _packed_from(connection: sqlite3.Connection, number: int) -> Mapping[int, bytes]:
    """The packed result with a number, and some of the following ones. Raises sqlite3.Error."""
    found: dict[int, bytes] = {}
    size = 0
    for at, content in connection.execute(_FROM, (number, _MOST_AHEAD)):
        if isinstance(content, bytes):
            found[int(at)] = content
            size += len(content)
        if size > _MOST_BYTES_AHEAD:
            break
    return found


def history_rows(connection: sqlite3.Connection, number: int) -> tuple[Mapping[str, Any], ...]:
    """The results of a case up to one of them, oldest first. Raises sqlite3.Error."""
    found = connection.execute(_HISTORY, (number, MOST_HISTORY)).fetchall()
    return history_of([_row(each) for each in reversed(found)])


def _row(found: tuple[Any, ...]) -> dict[str, Any]:
    return {name: value for name, value in zip(_NAMES, found, strict=True) if value is not None}
