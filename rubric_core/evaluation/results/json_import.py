"""Imports results of earlier versions, which stored JSON, into the database, once for each suite."""

import os
import sqlite3
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.evaluation.results.json_results import JsonCase, json_cases, json_path
from rubric_core.evaluation.results.records import RunState
from rubric_core.evaluation.results.result_rows import ResultRows, storable_text
from rubric_core.evaluation.results.run_totals import close_run

__all__ = ["is_imported", "take_over"]

_RUN = (
    "INSERT INTO runs (id, started_at, state, process, git_commit, dirty, command, dialects, targets, judges, rubric_version, first_result) "
    "VALUES (?, '', ?, '', '', 0, '[]', '[]', '[]', '[]', '', (SELECT coalesce(max(number), 0) + 1 FROM results))"
)


def is_imported(suite: Path, connection: sqlite3.Connection) -> bool:
    """Whether the results that an earlier version stored for a suite were imported. Raises sqlite3.Error."""
    return connection.execute("SELECT 1 FROM imports WHERE file = ?", (_name(suite),)).fetchone() is not None


def take_over(suite: Path, connection: sqlite3.Connection, rows: ResultRows) -> None:
    """Import the results that an earlier version stored for a suite, as one run, once. The files are kept. Call within a transaction. Raises sqlite3.Error."""
    if is_imported(suite, connection):
        return
    connection.execute("INSERT INTO imports (file) VALUES (?)", (_name(suite),))
    if not any(os.path.lexists(json_path(suite).with_suffix(end)) for end in (".json", ".jsonl")):
        return
    taking = _Import(connection, rows, suite)
    for _, case in json_cases(suite):
        if not case.latest.suite:  # another suite ran it and has its result, too
            taking.add(case)
    taking.end()


def _name(suite: Path) -> str:
    return storable_text(json_path(suite).name)


class _Import:
    def __init__(self, connection: sqlite3.Connection, rows: ResultRows, suite: Path) -> None:
        self._connection, self._rows, self._suite = connection, rows, suite
        self._run = connection.execute(_RUN, (os.urandom(8).hex(), RunState.DONE.value)).lastrowid or 0
        self._moments: set[str] = set()

    def add(self, case: JsonCase) -> None:
        latest, number = case.latest, self._rows.case(case.latest, self._suite)
        for row in case.history[:-1]:
            self._rows.add_past(number, _past(latest, row))
        # An entry that is also in the journal is the result of an earlier run.
        self._connection.execute("UPDATE results SET run = NULL WHERE run = ? AND case_number = ?", (self._run, number))
        self._rows.add(self._run, latest, self._suite, (), {}, signed=False)
        self._moments = {min(self._moments | {latest.at}), max(self._moments | {latest.at})}

    def end(self) -> None:
        if not self._moments:
            self._connection.execute("DELETE FROM runs WHERE number = ?", (self._run,))
            return
        first, last = min(self._moments), max(self._moments)
        name = _run_id(last)
        while self._connection.execute("SELECT 1 FROM runs WHERE id = ?", (name,)).fetchone() is not None:
            name = _run_id(last)
        self._connection.execute("UPDATE runs SET id = ?, started_at = ? WHERE number = ?", (name, first, self._run))
        close_run(self._connection, self._run, RunState.DONE, last, None)
        self._rows.add_suite(self._run, self._suite)


def _past(latest: CaseResult, row: Mapping[str, Any]) -> CaseResult:
    """A row of the history as a result without further details."""
    return CaseResult(
        id=latest.id, target=latest.target, verdict=Verdict(row.get("verdict", Verdict.UNSCORED.value)), score=row.get("score"),
        at=row.get("at", ""), duration_ms=row.get("duration_ms"), fingerprint=row.get("fingerprint", ""),
    )  # fmt: skip


def _run_id(at: str) -> str:
    try:
        moment = datetime.fromisoformat(at).astimezone(timezone.utc)
    except (ValueError, OverflowError):  # edited by hand
        moment = datetime.now(tz=timezone.utc)
    return f"{moment:%Y%m%d-%H%M%S}-{os.urandom(2).hex()}"
