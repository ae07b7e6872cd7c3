"""Whole results and histories, read one at a time from a database that others may write to meanwhile."""

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
from rubric_core.evaluation.results.store_errors import ResultStoreError, store_errors

__all__ = ["OpenResults", "StoredResults", "history_rows", "packed_content"]

_HISTORY = (
    "SELECT at, verdict, score, duration_ms, fingerprint FROM results WHERE number <= ?1 AND case_number = "
    "(SELECT case_number FROM results WHERE number = ?1) ORDER BY number DESC LIMIT ?2"
)
_FROM = "SELECT result, content FROM details WHERE result >= ? ORDER BY result LIMIT ?"
#: Results, and bytes of packed ones, that are read ahead: who goes through a run asks for the next one next.
_MOST_AHEAD = 256
_MOST_BYTES_AHEAD = 4_000_000
_NAMES = ("at", "verdict", "score", "duration_ms", "fingerprint")


class StoredResults:
    """Reads single results of a database, each by itself: for one that shows a case now and then. Any thread may read."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def result(self, number: int) -> CaseResult:
        """See `ResultSource`."""
        packed = read_without_trace(self._path, lambda connection: packed_content(connection, number))
        return _unpacked(packed, self._path)

    def history(self, number: int) -> tuple[Mapping[str, Any], ...]:
        """See `ResultSource`."""
        return read_without_trace(self._path, lambda connection: history_rows(connection, number)) or ()


class OpenResults:
    """Reads results of a database that is open, and of one that was closed meanwhile, a few at a time."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection: sqlite3.Connection | None = connection
        self._path = path
        self._alone = StoredResults(path)
        #: Packed results by their numbers, and the one that was unpacked last: of a case, several things are asked in turn.
        self._ahead: Mapping[int, bytes] = {}
        self._last: tuple[int, CaseResult] | None = None

    def closed(self) -> None:
        """The connection is used no more."""
        self._connection = None

    def result(self, number: int) -> CaseResult:
        """See `ResultSource`."""
        last = self._last
        if last is not None and last[0] == number:
            return last[1]
        found = _unpacked(self._packed(number), self._path)
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


def _unpacked(packed: bytes | None, path: Path) -> CaseResult:
    if packed is None:
        raise ResultStoreError(errno.ENOENT, f"{path} has no such result any more")
    return unpack_result(packed)


def packed_content(connection: sqlite3.Connection, number: int) -> bytes | None:
    """A whole result as it is packed; None where it is not there. Raises sqlite3.Error."""
    found = connection.execute("SELECT content FROM details WHERE result = ?", (number,)).fetchone()
    return found[0] if found is not None and isinstance(found[0], bytes) else None


def _packed_from(connection: sqlite3.Connection, number: int) -> Mapping[int, bytes]:
    """The packed result of a number, and some of those after it. Raises sqlite3.Error."""
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
