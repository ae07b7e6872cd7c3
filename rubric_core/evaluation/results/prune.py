"""Removes old runs from the database."""

import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import NamedTuple

from rubric_core.evaluation.results.records import RunRecord, RunState

__all__ = ["PruneLimits", "remove_runs", "runs_beyond", "size_of"]

#: The approximate bytes of a result besides its packed part.
_ROW = 500
_OF_RUN = (
    "run = (SELECT number FROM runs WHERE id = ?1) AND number >= (SELECT first_result FROM runs WHERE id = ?1) "
    "AND number <= coalesce((SELECT last_result FROM runs WHERE id = ?1), number)"
)
_SIZE = f"SELECT coalesce(sum(length(content) + {_ROW}), 0) FROM details WHERE result IN (SELECT number FROM results WHERE {_OF_RUN})"  # noqa: S608  # our own words
_REMOVALS = (
    *(
        f"DELETE FROM {table} WHERE result IN (SELECT number FROM results WHERE {_OF_RUN})"  # noqa: S608  # our own words
        for table in ("details", "scores", "repeats")
    ),
    f"DELETE FROM results WHERE {_OF_RUN}",  # noqa: S608  # our own words
    "DELETE FROM run_suites WHERE run = (SELECT number FROM runs WHERE id = ?1)",
    "DELETE FROM runs WHERE id = ?1",
)
#: Deletes cases and files without results, and data of earlier versions about such cases.
_LEFT_OVER = (
    "DELETE FROM results WHERE run IS NULL AND case_number NOT IN (SELECT case_number FROM results WHERE run IS NOT NULL)",
    "DELETE FROM cases WHERE number NOT IN (SELECT case_number FROM results)",
    """\
    DELETE FROM files WHERE number NOT IN (
      SELECT suite FROM run_suites UNION SELECT suite FROM cases UNION SELECT file FROM cases WHERE file IS NOT NULL)""",
)


class PruneLimits(NamedTuple):
    """Limits on what is kept; None for no limit."""

    #: Older runs are removed.
    age: timedelta | None = None
    #: The number of newest runs that are kept.
    keep: int | None = None
    #: The approximate maximum size of the database in bytes.
    max_bytes: int | None = None


def runs_beyond(
    connection: sqlite3.Connection, runs: Sequence[RunRecord], kept: frozenset[str], limits: PruneLimits, now: datetime
) -> list[RunRecord]:
    """The runs to remove, oldest first, except those in progress and those whose ids are in `kept`. Raises sqlite3.Error.

    `runs` are all runs, newest first.
    """
    removed: list[RunRecord] = []
    left = size_of(connection)
    for place, run in reversed(list(enumerate(runs))):
        if run.state is RunState.RUNNING or run.id in kept:
            continue
        too_old = limits.age is not None and _is_older(run, now - limits.age)
        too_many = limits.keep is not None and place >= limits.keep
        too_large = limits.max_bytes is not None and left > limits.max_bytes
        if too_old or too_many or too_large:
            removed.append(run)
            left -= int(connection.execute(_SIZE, (run.id,)).fetchone()[0])
    return removed


def _is_older(run: RunRecord, moment: datetime) -> bool:
    try:
        return datetime.fromisoformat(run.started_at) < moment
    except (ValueError, TypeError):  # edited by another program
        return False


def remove_runs(connection: sqlite3.Connection, runs: Sequence[RunRecord]) -> None:
    """Remove runs with their results, one at a time so that others can write in between, and free their space. Raises sqlite3.Error."""
    for run in runs:
        _together(connection, _REMOVALS, (run.id,))
    _together(connection, _LEFT_OVER, ())
    connection.execute("VACUUM")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _together(connection: sqlite3.Connection, statements: Sequence[str], values: tuple[str, ...]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statement in statements:
            connection.execute(statement, values)
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):  # SQLite has rolled back already if the disk is full
            connection.execute("ROLLBACK")
        raise


def size_of(connection: sqlite3.Connection) -> int:
    """The bytes of a database without free pages. Raises sqlite3.Error."""
    pages, free, size = (
        int(connection.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size
