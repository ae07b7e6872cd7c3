"""The latest result of each case of a suite, for editors and for `--failed` and `--resume`."""

import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from rubric_core.evaluation.results.json_import import is_imported
from rubric_core.evaluation.results.known_case import KnownCase, ResultSource
from rubric_core.evaluation.results.row_reader import BAD_ROW, SUMMARY_COLUMNS, relative_name, summary_in
from rubric_core.evaluation.results.signatures import is_signed_result, signature_columns, signing_key

__all__ = ["LatestResults", "latest_results", "most_rows"]

#: The least bytes of a row: a forged file may contain cycles, and claim more rows than it can hold.
_SHORTEST_ROW = 8
_LATEST = (
    f"SELECT c.id, c.target, r.run, r.number, s.path, f.path, {SUMMARY_COLUMNS}, {{proof}} FROM cases c JOIN results r ON r.number = (SELECT max(number) FROM results WHERE case_number = c.number) "  # noqa: S608  # our own words
    "JOIN files s ON s.number = c.suite LEFT JOIN files f ON f.number = c.file "
    "WHERE c.{column} = (SELECT number FROM files WHERE path = ?1) {newer} LIMIT ?2"
)
#: Where the columns of the proof begin.
_SUMMARY_END = 13
#: For every target of a case that has a newer result.
_NEWER = (
    "AND c.id IN (SELECT o.id FROM results n JOIN cases o ON o.number = n.case_number "
    "WHERE n.number > ?3 AND o.{column} = (SELECT number FROM files WHERE path = ?1))"
)


class LatestResults(NamedTuple):
    """The latest results of the cases of a file."""

    #: By the id of the case, or `id@target`.
    known: dict[str, KnownCase]
    #: Whether results that an earlier version stored are included.
    is_complete: bool
    #: The highest number of a result.
    last: int


class _Row(NamedTuple):
    id: str
    target: str
    run: int
    number: int
    case: KnownCase


def latest_results(
    connection: sqlite3.Connection, name: str, suite: Path, source: ResultSource, after: int = 0
) -> LatestResults:
    """The latest results of the suite or case file with this name in the database, for cases with results numbered above `after`.

    All of them if no result has the number `after`, because then it is another database. Raises sqlite3.Error.
    """
    last = int(connection.execute("SELECT coalesce(max(number), 0) FROM results").fetchone()[0])
    after = after if last >= after else 0
    rows = [row for column in ("suite", "file") for row in _rows(connection, column, name, source, after)]
    return LatestResults(_by_name(rows), is_imported(suite, connection), last)


def most_rows(connection: sqlite3.Connection) -> int:
    """A number of rows that a database of its size cannot reach. Raises sqlite3.Error."""
    (pages,), (size,) = (connection.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "page_size"))
    return int(pages) * int(size) // _SHORTEST_ROW


def _rows(connection: sqlite3.Connection, column: str, name: str, source: ResultSource, after: int) -> Iterator[_Row]:
    newer = _NEWER.format(column=column) if after else ""
    values = (name, most_rows(connection), after) if after else (name, most_rows(connection))
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    query = _LATEST.format(column=column, newer=newer, proof=signature_columns(int(version)))
    key = signing_key()
    for row in connection.execute(query, values):
        with suppress(*BAD_ROW):
            case, target, run, number, suite, file, *summary = row[:_SUMMARY_END]
            # Rows of a suite name the case file; rows of a case file name the suite.
            if column == "suite":
                said = summary_in(tuple(summary), file=relative_name(file, suite) if file is not None else "")
            else:
                said = summary_in(tuple(summary), suite=relative_name(suite, file))
            yield _Row(
                str(case),
                str(target),
                int(run or 0),
                int(number),
                KnownCase(
                    str(case),
                    str(target),
                    said,
                    source=source,
                    number=number,
                    digest=str(row[-2]),
                    proof=partial(_is_own, key, row),
                ),
            )


def _is_own(key: bytes, row: tuple[Any, ...]) -> bool:
    case, target, run, number, suite, _, *rest = row
    return is_signed_result(key, (suite, case, target), number, run, rest)


def _by_name(rows: list[_Row]) -> dict[str, KnownCase]:
    """Of a case with several targets, the first one of its last run has the name of the case."""
    rows.sort(key=lambda row: row.number)
    last: dict[str, int] = {}
    for row in rows:
        last[row.id] = max(last.get(row.id, 0), row.run)
    known: dict[str, KnownCase] = {}
    for row in rows:
        name = row.id if row.run == last[row.id] and row.id not in known else f"{row.id}@{row.target}"
        known[name] = row.case
    return known
