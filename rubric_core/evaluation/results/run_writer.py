"""Writes a run to the database of results, case by case: a run that is killed loses no finished case."""

import contextlib
import json
import os
import platform
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from time import monotonic
from types import MappingProxyType
from typing import Any, NamedTuple

from rubric_core.evaluation.model.result import CaseResult, EvaluatorResult
from rubric_core.evaluation.results.connection import open_to_write, set_aside
from rubric_core.evaluation.results.disk_space import require_free_space
from rubric_core.evaluation.results.json_import import take_over
from rubric_core.evaluation.results.records import RunInfo, RunState
from rubric_core.evaluation.results.result_rows import ResultRows, storable_text
from rubric_core.evaluation.results.run_totals import close_run, sign_end
from rubric_core.evaluation.results.signatures import signature_of, signing_key
from rubric_core.evaluation.results.store_errors import DamagedStoreError, store_errors

__all__ = ["EndedCase", "RunWriter", "is_alive", "process_id"]

_BEGIN = (
    "INSERT INTO runs (id, started_at, state, process, git_commit, dirty, command, dialects, targets, judges, rubric_version, partial, first_result) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT coalesce(max(number), 0) + 1 FROM results))"
)


class EndedCase(NamedTuple):
    """A finished case with its stored result."""

    result: CaseResult
    suite: Path
    tags: Sequence[str] = ()
    metadata: Mapping[str, Any] = MappingProxyType({})


class _Open:
    """An open database, with the rows of this run."""

    def __init__(self, path: Path, root: Path) -> None:
        """Raises ResultStoreError."""
        self._path = path
        self.connection = open_to_write(path)
        self.rows = ResultRows(self.connection, root)
        self.run = 0
        self._suites: set[Path] = set()
        self._file = _identity(path)

    def has_run(self, name: str) -> bool:
        """Whether another run has this id. Raises sqlite3.Error."""
        return self.connection.execute("SELECT 1 FROM runs WHERE id = ?", (name,)).fetchone() is not None

    def add_suite(self, suite: Path) -> None:
        """Record that the run has a suite. Raises sqlite3.Error."""
        if suite not in self._suites:
            take_over(suite, self.connection, self.rows)
            self.rows.add_suite(self.run, suite)
            self._suites.add(suite)

    def write_names(self, names: Sequence[str]) -> None:
        """Store the participants of the run: dialects, targets and judges, as JSON. Raises sqlite3.Error."""
        self.connection.execute(
            "UPDATE runs SET dialects = ?, targets = ?, judges = ? WHERE number = ?", (*names, self.run)
        )

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """A transaction. Raises sqlite3.Error, and OSError if the disk is full."""
        require_free_space(self._path)
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.connection.execute("COMMIT")
        except BaseException:
            self.rows.forget()
            self._suites.clear()
            with contextlib.suppress(sqlite3.Error):  # SQLite has rolled back already if the disk is full
                self.connection.execute("ROLLBACK")
            raise

    def is_in_place(self, path: Path) -> bool:
        """Whether this is still the file at the path."""
        return self._file == _identity(path)


class RunWriter:
    """Adds the cases of one run. Thread-safe; other programs may write to the same database at the same time.

    Created by `ResultDatabase.begin`.

    Args:
        path: The database; if it is removed meanwhile, it is created again.
        root: The folder that paths in it are relative to.
        info: The facts about the run.
    """

    def __init__(self, path: Path, root: Path, info: RunInfo) -> None:
        """Raises ResultStoreError."""
        self._path, self._root, self._info = path, root, info
        self._began = datetime.now(tz=timezone.utc)
        #: In seconds of the monotonic clock, which is never set back.
        self._ticks = monotonic()
        #: See `RunRecord`.
        self.id = self._new_id()
        self._lock = threading.Lock()
        self._open: _Open | None = None
        #: Dialects, targets and judges so far, in order.
        self._names: tuple[dict[str, None], dict[str, None], dict[str, None]] = ({}, {}, {})
        with self._lock:
            self._write(lambda _: None)

    def add(
        self, result: CaseResult, *, suite: Path, tags: Sequence[str] = (), metadata: Mapping[str, Any] | None = None
    ) -> None:
        """Store a case that has ended, before this returns. Raises ResultStoreError."""
        self.add_all([EndedCase(result, suite, tags, metadata or {})])

    def add_all(self, ended: Sequence[EndedCase]) -> None:
        """Store cases that have ended, all or none of them, before this returns. Raises ResultStoreError."""

        def write(now: _Open) -> None:
            for result, suite, tags, metadata in ended:
                now.add_suite(suite)
                now.rows.add(now.run, result, suite, tags, metadata)
                if self._has_new_names(result):
                    now.write_names(self._lists())

        with self._lock:
            self._write(write)

    def end(self, state: RunState) -> None:
        """The run has ended or was stopped: nothing can be added any more. Raises ResultStoreError."""
        took = monotonic() - self._ticks
        at = max(self._began, datetime.now(tz=timezone.utc))  # the clock may have been set back

        def write(now: _Open) -> None:
            now.write_names(self._lists())
            close_run(now.connection, now.run, state, _time(at), took * 1000)
            sign_end(now.connection, now.run, signing_key())

        with self._lock:
            try:
                self._write(write)
            finally:
                self._close()

    def _write(self, write: Callable[[_Open], None]) -> None:
        """Write atomically; if this database turns out to be damaged, into a new one. Raises ResultStoreError."""
        try:
            self._try(write)
        except DamagedStoreError as error:
            self._close()
            set_aside(self._path, error)
            self._try(write)

    def _try(self, write: Callable[[_Open], None]) -> None:
        now = self._ready()
        with store_errors(self._path), now.transaction():
            write(now)

    def _ready(self) -> _Open:
        """The database with the row of this run, created if it is missing or was removed."""
        if self._open is not None and not self._open.is_in_place(self._path):
            self._close()
        if self._open is None:
            now = self._open = _Open(self._path, self._root)
            try:
                with store_errors(self._path):
                    self._begin(now)
            except BaseException:
                self._close()
                raise
        return self._open

    def _close(self) -> None:
        if self._open is not None:
            self._open.connection.close()
        self._open = None

    def _new_id(self) -> str:
        return f"{self._began:%Y%m%d-%H%M%S}-{random_suffix()}"

    def _begin(self, now: _Open) -> None:
        info = self._info
        with now.transaction():
            while now.has_run(self.id):  # several runs of the same second may have the same id
                self.id = self._new_id()
            for suite in info.suites:  # before the run, so that the run's results are later
                take_over(suite, now.connection, now.rows)
            command = json.dumps([storable_text(word) for word in info.command])
            columns = (
                self.id, _time(self._began), RunState.RUNNING.value, process_id(), info.commit, info.dirty, command,
                *self._lists(), info.rubric_version, info.partial,
            )  # fmt: skip
            now.run = now.connection.execute(_BEGIN, columns).lastrowid or 0
            signature = signature_of(signing_key(), "run", (now.run, self.id, _time(self._began), info.commit))
            now.connection.execute("UPDATE runs SET signature = ? WHERE number = ?", (signature, now.run))
            for suite in info.suites:
                now.add_suite(suite)

    def _lists(self) -> list[str]:
        return [json.dumps(list(names)) for names in self._names]

    def _has_new_names(self, result: CaseResult) -> bool:
        """Record the participants of a result; returns whether any of them is new."""
        found = ([result.dialect], [result.target], [name for each in result.evaluators for name in _judges(each)])
        before = [len(names) for names in self._names]
        for names, new in zip(self._names, found, strict=True):
            names.update((storable_text(name), None) for name in new if name)
        return before != [len(names) for names in self._names]


def random_suffix() -> str:
    """Distinguishes runs of the same second."""
    return os.urandom(2).hex()


def _judges(evaluator: EvaluatorResult) -> Iterator[str]:
    return (each.judge for each in evaluator.flat() if each.judge)


def _identity(path: Path) -> tuple[int, int]:
    try:
        found = os.stat(path)  # noqa: PTH116  # asked for every case
    except OSError:
        return 0, 0
    return found.st_dev, found.st_ino


def _time(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds")


def process_id() -> str:
    """Identifies this process for others on this computer."""
    return f"{platform.node()}:{os.getpid()}"


def is_alive(process: str) -> bool:
    """Whether a process may still exist; those of other computers may."""
    node, _, number = process.rpartition(":")
    if node != platform.node() or not number.isdecimal() or os.name == "nt":  # there, signal 0 would end the process
        return True
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # of another user
        return True
    return True
