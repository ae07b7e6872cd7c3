"""Results of an earlier version, which kept them as JSON: taken over into the database once for each suite."""

import os
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.evaluation.results.records import RunState
from rubric_core.evaluation.results.result_rows import ResultRows
from rubric_core.evaluation.results.store import ResultStore, StoredCase, results_path

__all__ = ["earlier_cases", "is_taken_over", "take_over"]

_RUN = (
    "INSERT INTO runs (id, started_at, state, process, git_commit, dirty, command, dialects, targets, judges, rubric_version) "
    "VALUES (?, '', ?, '', '', 0, '[]', '[]', '[]', '[]', '')"
)
_TOTALS = (
    "UPDATE runs SET id = ?, started_at = ?, ended_at = ?, passed = ?, borderline = ?, failed = ?, unscored = ?, grader_errors = ? "
    "WHERE number = ?"
)


def earlier_cases(suite: Path) -> Iterator[tuple[str, StoredCase]]:
    """What an earlier version has stored for a suite, or for a file with cases."""
    return ResultStore.of(suite).cases()


def is_taken_over(suite: Path, connection: sqlite3.Connection) -> bool:
    """Whether the database has what an earlier version stored for a suite. Raises sqlite3.Error."""
    name = results_path(suite).name
    return connection.execute("SELECT 1 FROM imports WHERE file = ?", (name,)).fetchone() is not None


def take_over(suite: Path, connection: sqlite3.Connection, rows: ResultRows) -> None:
    """Add what an earlier version stored for a suite, as a run of its own, unless that was done before. Its files stay.

    For the transaction of a caller. Raises sqlite3.Error.
    """
    if is_taken_over(suite, connection):
        return
    connection.execute("INSERT INTO imports (file) VALUES (?)", (results_path(suite).name,))
    if not any(os.path.lexists(results_path(suite).with_suffix(end)) for end in (".json", ".jsonl")):
        return
    taking = _Import(connection, rows, suite)
    for _, case in earlier_cases(suite):
        if not case.latest.suite:  # another suite ran it, and has it, too
            taking.add(case)
    taking.end()


class _Import:
    def __init__(self, connection: sqlite3.Connection, rows: ResultRows, suite: Path) -> None:
        self._connection, self._rows, self._suite = connection, rows, suite
        self._run = connection.execute(_RUN, (os.urandom(8).hex(), RunState.DONE.value)).lastrowid or 0
        self._verdicts: Counter[Verdict] = Counter()
        self._grader_errors = 0
        self._moments: set[str] = set()

    def add(self, case: StoredCase) -> None:
        latest, number = case.latest, self._rows.case(case.latest, self._suite)
        for row in case.history[:-1]:
            self._rows.add_summary(None, number, _past(latest, row))
        self._rows.add(self._run, latest, self._suite, (), {})
        self._verdicts[latest.verdict] += 1
        self._grader_errors += len(latest.grader_errors)
        self._moments = {min(self._moments | {latest.at}), max(self._moments | {latest.at})}

    def end(self) -> None:
        if not self._moments:
            self._connection.execute("DELETE FROM runs WHERE number = ?", (self._run,))
            return
        first, last = min(self._moments), max(self._moments)
        verdicts = [
            self._verdicts[each] for each in (Verdict.PASSED, Verdict.BORDERLINE, Verdict.FAILED, Verdict.UNSCORED)
        ]
        columns = (_run_id(last), first, last, *verdicts, self._grader_errors, self._run)
        self._connection.execute(_TOTALS, columns)
        self._rows.add_suite(self._run, self._suite)


def _past(latest: CaseResult, row: Mapping[str, Any]) -> CaseResult:
    """A row of the history as a result of which nothing else is known."""
    return CaseResult(
        id=latest.id, target=latest.target, verdict=Verdict(row.get("verdict", Verdict.UNSCORED.value)), score=row.get("score"),
        at=row.get("at", ""), duration_ms=row.get("duration_ms"), fingerprint=row.get("fingerprint", ""),
    )  # fmt: skip


def _run_id(at: str) -> str:
    try:
        moment = datetime.fromisoformat(at).astimezone(timezone.utc)
    except (ValueError, OverflowError):  # written by a person
        moment = datetime.now(tz=timezone.utc)
    return f"{moment:%Y%m%d-%H%M%S}-{os.urandom(2).hex()}"
