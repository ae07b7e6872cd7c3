"""A run, written to the database of results as its cases end: who is killed after a case has lost nothing of it."""

import contextlib
import json
import os
import platform
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from rubric_core.evaluation.model.result import CaseResult, EvaluatorResult, Verdict
from rubric_core.evaluation.results.connection import open_to_write, store_errors
from rubric_core.evaluation.results.json_import import take_over
from rubric_core.evaluation.results.records import RunInfo, RunState
from rubric_core.evaluation.results.result_rows import ResultRows, storable_text, token_columns, tokens_taken

__all__ = ["RunWriter", "is_alive", "own_process"]

_BEGIN = (
    "INSERT INTO runs (id, started_at, state, process, git_commit, dirty, command, dialects, targets, judges, rubric_version) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_VERDICTS = (Verdict.PASSED, Verdict.BORDERLINE, Verdict.FAILED, Verdict.UNSCORED)
#: A total of numbers that nobody told is NULL.
_ADDED = ", ".join(
    f"{name} = CASE WHEN ?{number} IS NULL THEN {name} ELSE coalesce({name}, 0) + ?{number} END"
    for number, name in enumerate(("tokens_input", "tokens_output", "tokens_cached", "tokens_reasoning", "cost_usd"), 6)
)
_COUNT = (
    "UPDATE runs SET passed = passed + ?1, borderline = borderline + ?2, failed = failed + ?3, unscored = unscored + ?4, "  # noqa: S608  # our own words
    f"grader_errors = grader_errors + ?5, {_ADDED}, duration_ms = ?11 WHERE number = ?12"
)
_END = "UPDATE runs SET state = ?, ended_at = ?, duration_ms = ? WHERE number = ?"


class _Open:
    """A database that is open, with what this run has there."""

    def __init__(self, path: Path, root: Path) -> None:
        """Raises ResultStoreError."""
        self.connection = open_to_write(path)
        self.rows = ResultRows(self.connection, root)
        self.run = 0
        self._file = _identity(path)

    def is_in_place(self, path: Path) -> bool:
        """Whether others still find this file by its name."""
        return self._file == _identity(path)


class RunWriter:
    """Adds the cases of one run. Several threads may; other programs write to the same database meanwhile.

    `ResultDatabase.begin` makes it.

    Args:
        path: The database; where somebody takes it away meanwhile, it is made anew.
        root: What paths in it are relative to.
        info: What is known of the run.
    """

    def __init__(self, path: Path, root: Path, info: RunInfo) -> None:
        """Raises ResultStoreError."""
        self._path, self._root, self._info = path, root, info
        self._began = datetime.now(tz=timezone.utc)
        #: As of `RunRecord`.
        self.id = f"{self._began:%Y%m%d-%H%M%S}-{os.urandom(2).hex()}"
        self._lock = threading.Lock()
        self._open: _Open | None = None
        #: Dialects, targets and judges so far, each in its order.
        self._names: tuple[dict[str, None], dict[str, None], dict[str, None]] = ({}, {}, {})
        with self._lock:
            self._ready()

    def add(
        self, result: CaseResult, *, suite: Path, tags: Sequence[str] = (), metadata: Mapping[str, Any] | None = None
    ) -> None:
        """Store a case that has ended; it is stored when this returns. Raises ResultStoreError."""
        with self._lock, self._writing() as (connection, rows, run):
            rows.add_suite(run, suite)
            rows.add(run, result, suite, tags, metadata or {})
            if self._has_new_names(result):
                self._write_names(connection, run)
            counts = [int(result.verdict is verdict) for verdict in _VERDICTS]
            tokens = token_columns(tokens_taken(result))
            connection.execute(
                _COUNT, (*counts, len(result.grader_errors), *tokens, result.cost_usd, self._elapsed(), run)
            )

    def end(self, state: RunState) -> None:
        """The run is over, or was stopped: nothing is added any more. Raises ResultStoreError."""
        with self._lock:
            try:
                with self._writing() as (connection, _, run):
                    connection.execute(_END, (state.value, _now(), self._elapsed(), run))
            finally:
                if self._open is not None:
                    self._open.connection.close()
                self._open = None

    def _elapsed(self) -> float:
        return (datetime.now(tz=timezone.utc) - self._began).total_seconds() * 1000

    @contextlib.contextmanager
    def _writing(self) -> Iterator[tuple[sqlite3.Connection, ResultRows, int]]:
        """A transaction, done as a whole or not at all. Raises ResultStoreError."""
        now = self._ready()
        with store_errors(self._path), _transaction(now.connection, now.rows):
            yield now.connection, now.rows, now.run

    def _ready(self) -> _Open:
        """The database with the row of this run, made where it is not there, or not any more."""
        now = self._open
        if now is not None and not now.is_in_place(self._path):
            now.connection.close()
            now = self._open = None
        if now is None:
            now = _Open(self._path, self._root)
            with store_errors(self._path):
                self._begin(now)
            self._open = now
        return now

    def _begin(self, now: _Open) -> None:
        info, connection = self._info, now.connection
        with _transaction(connection, now.rows):
            for suite in info.suites:
                take_over(suite, connection, now.rows)
            command = json.dumps([storable_text(word) for word in info.command])
            columns = (
                self.id, _time(self._began), RunState.RUNNING.value, own_process(), info.commit, info.dirty, command,
                *self._lists(), info.rubric_version,
            )  # fmt: skip
            now.run = connection.execute(_BEGIN, columns).lastrowid or 0
            for suite in info.suites:
                now.rows.add_suite(now.run, suite)

    def _lists(self) -> list[str]:
        return [json.dumps(list(names)) for names in self._names]

    def _has_new_names(self, result: CaseResult) -> bool:
        """Take in who had a part in a result; whether somebody is new."""
        found = ([result.dialect], [result.target], [name for each in result.evaluators for name in _judges(each)])
        before = [len(names) for names in self._names]
        for names, new in zip(self._names, found, strict=True):
            names.update((storable_text(name), None) for name in new if name)
        return before != [len(names) for names in self._names]

    def _write_names(self, connection: sqlite3.Connection, run: int) -> None:
        connection.execute(
            "UPDATE runs SET dialects = ?, targets = ?, judges = ? WHERE number = ?", (*self._lists(), run)
        )


def _judges(evaluator: EvaluatorResult) -> Iterator[str]:
    return (each.judge for each in evaluator.flat() if each.judge)


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection, rows: ResultRows) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        rows.forget()
        with contextlib.suppress(sqlite3.Error):  # SQLite has undone it already where the disk is full
            connection.execute("ROLLBACK")
        raise


def _identity(path: Path) -> tuple[int, int]:
    try:
        found = os.stat(path)  # noqa: PTH116  # asked for every case
    except OSError:
        return 0, 0
    return found.st_dev, found.st_ino


def _now() -> str:
    return _time(datetime.now(tz=timezone.utc))


def _time(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds")


def own_process() -> str:
    """This process, for others on this computer."""
    return f"{platform.node()}:{os.getpid()}"


def is_alive(process: str) -> bool:
    """Whether a process may still be there; those of other computers may."""
    node, _, number = process.rpartition(":")
    if node != platform.node() or not number.isdecimal() or os.name == "nt":  # there, asking would end it
        return True
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # somebody else's
        return True
    return True
