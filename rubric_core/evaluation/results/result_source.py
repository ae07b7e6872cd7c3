"""Whole results and histories, read one at a time from a database that others may write to meanwhile."""

import errno
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rubric_core.evaluation.model.result import CaseResult
from rubric_core.evaluation.results.connection import ResultStoreError, read_without_trace, store_errors
from rubric_core.evaluation.results.known_case import MOST_HISTORY
from rubric_core.evaluation.results.packed_result import unpack_result
from rubric_core.evaluation.results.result_reader import history_of

__all__ = ["OpenResults", "StoredResults", "history_rows", "packed_content"]

_HISTORY = (
    "SELECT at, verdict, score, duration_ms, fingerprint FROM results WHERE number <= ?1 AND case_number = "
    "(SELECT case_number FROM results WHERE number = ?1) ORDER BY number DESC LIMIT ?2"
)
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
    """Reads results of a database that is open, and of one that was closed meanwhile one by one."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection: sqlite3.Connection | None = connection
        self._path = path
        self._alone = StoredResults(path)

    def closed(self) -> None:
        """The connection is used no more."""
        self._connection = None

    def result(self, number: int) -> CaseResult:
        """See `ResultSource`."""
        if self._connection is None:
            return self._alone.result(number)
        with store_errors(self._path):
            packed = packed_content(self._connection, number)
        return _unpacked(packed, self._path)

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


def history_rows(connection: sqlite3.Connection, number: int) -> tuple[Mapping[str, Any], ...]:
    """The results of a case up to one of them, oldest first. Raises sqlite3.Error."""
    found = connection.execute(_HISTORY, (number, MOST_HISTORY)).fetchall()
    return history_of([_row(each) for each in reversed(found)])


def _row(found: tuple[Any, ...]) -> dict[str, Any]:
    return {name: value for name, value in zip(_NAMES, found, strict=True) if value is not None}
