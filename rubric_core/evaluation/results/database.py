"""The results of a repository: every run with its cases, in one file that the command line and all editors share."""

import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from rubric_core.evaluation.model.result import CaseResult
from rubric_core.evaluation.results.connection import closing_reader, open_to_read, open_to_write, read_without_trace
from rubric_core.evaluation.results.json_results import json_cases
from rubric_core.evaluation.results.known_case import KnownCase, ResultSummary
from rubric_core.evaluation.results.latest_results import latest_results, most_rows
from rubric_core.evaluation.results.prune import PruneLimits, remove_runs, runs_beyond
from rubric_core.evaluation.results.records import RunCase, RunInfo, RunRecord, are_own
from rubric_core.evaluation.results.result_rows import relative_path, scores_digest, storable_text
from rubric_core.evaluation.results.result_source import OpenResults, StoredResults
from rubric_core.evaluation.results.root import database_path, results_root
from rubric_core.evaluation.results.row_reader import (
    BAD_ROW,
    SUMMARY_COLUMNS,
    mapping_in,
    optional_number,
    relative_name,
    repeat_in,
    score_in,
    summary_in,
    texts_in,
    tokens_in,
)
from rubric_core.evaluation.results.run_queries import BASELINE_NAME, find_run, runs_in
from rubric_core.evaluation.results.run_writer import RunWriter
from rubric_core.evaluation.results.signatures import (
    is_signed,
    is_signed_result,
    signature_columns,
    signature_of,
    signing_key,
)
from rubric_core.evaluation.results.store_errors import store_errors
from rubric_core.evaluation.results.store_stamp import stamp_of
from rubric_core.loading.files import absolute

__all__ = ["LatestSince", "ReadMark", "ResultDatabase"]

_CASES = (
    "SELECT r.number, s.path, f.path, c.id, c.target, r.tags, r.metadata, r.cost_usd, r.tokens_input, r.tokens_output, "  # noqa: S608  # our own words
    f"r.tokens_cached, r.tokens_reasoning, r.run, {SUMMARY_COLUMNS}, {{proof}} FROM results r JOIN cases c ON c.number = r.case_number "
    "JOIN files s ON s.number = c.suite LEFT JOIN files f ON f.number = c.file WHERE {where} LIMIT {most}"
)
_OF_RUN = (
    "r.run = (SELECT number FROM runs WHERE id = ?1) AND r.number >= (SELECT first_result FROM runs WHERE id = ?1) "
    "AND r.number <= coalesce((SELECT last_result FROM runs WHERE id = ?1), r.number) ORDER BY r.number"
)
_OF_CASE = (
    "r.run IS NOT NULL AND r.case_number = (SELECT number FROM cases WHERE suite = (SELECT number FROM files WHERE path = ?) "
    "AND id = ? AND target = ?) ORDER BY r.number DESC"
)
_SCORES = "SELECT kind, path, type, verdict, score, weight FROM scores WHERE result = ? ORDER BY position"
_REPEATS = "SELECT verdict, score, duration_ms FROM repeats WHERE result = ? ORDER BY number"


#: Where the run is among these columns, and where the summary ends.
_RUN, _SUMMARY_END = 12, 20


class ReadMark(NamedTuple):
    """How far a database was read."""

    #: The identity of the file.
    file: int
    #: The highest number of a result.
    last: int


class LatestSince(NamedTuple):
    """Latest results, by the names of `ResultDatabase.latest`, and how far the database was read."""

    known: Mapping[str, KnownCase]
    mark: ReadMark


class ResultDatabase:
    """The stored results of one folder. Reading creates no file; the first run does. Methods raise ResultStoreError if the file cannot be read or written."""

    def __init__(self, root: Path, path: Path | None = None) -> None:
        """`path` is the file, if it is not the usual one of the root."""
        self.root = root
        self.path = path or database_path(root)
        self._results = StoredResults(self.path)

    @classmethod
    def of(cls, suite: Path) -> "ResultDatabase":
        """The database of the repository of a suite or case file."""
        return cls(results_root(absolute(suite).parent))

    @classmethod
    def at(cls, folder: Path) -> "ResultDatabase":
        """The database of a folder, or of a parent folder."""
        return cls(results_root(absolute(folder)))

    def name_of(self, suite: Path) -> str:
        """The name of a suite in the database: its path relative to the root, with slashes."""
        return relative_path(suite, self.root)

    # -- runs ---------------------------------------------------------------------------------------------------------

    def begin(self, info: RunInfo) -> RunWriter:
        """Begin a new run."""
        return RunWriter(self.path, self.root, info)

    def runs(self, *, suites: Collection[str] = (), limit: int | None = None) -> list[RunRecord]:
        """The runs, newest first; with `suites`, by their names, only those with one of these suites."""
        with self._reading() as connection:
            return [] if connection is None else runs_in(connection, suites, limit)

    def find(self, selector: str, *, suites: Collection[str] = ()) -> RunRecord:
        """The run that a selector means: an id or its beginning, `last`, `last~2`, a commit or its beginning, or a baseline.

        With `suites`, `last` and commits select among the runs with one of them. Raises RunNotFoundError.
        """
        runs = self.runs()
        return find_run(selector, runs, self.runs(suites=suites) if suites else runs, self.baselines().get(selector))

    def cases(self, run: RunRecord) -> Iterator[RunCase]:
        """The cases of a run, in the order of completion."""
        return self._cases(_OF_RUN, (run.id,))

    # -- cases --------------------------------------------------------------------------------------------------------

    def latest(self, suite: Path) -> Mapping[str, KnownCase]:
        """The latest result of each case of a suite or case file, by its id.

        For a case with several targets, the first target of its last run has the id; the others have `id@target`.
        Results of an earlier version count until the suite runs again.
        """
        return self.latest_since(suite, None).known

    def latest_since(self, suite: Path, mark: ReadMark | None) -> LatestSince:
        """The latest results since an earlier read; all of them without a mark."""
        name, file = self.name_of(suite), stamp_of(self.path).file[0]
        after = mark.last if mark is not None and mark.file == file else 0
        found = read_without_trace(
            self.path, lambda connection: latest_results(connection, name, suite, self._results, after)
        )
        known = found.known if found is not None else {}
        if mark is None and (found is None or not found.is_complete):
            known = {
                key: KnownCase.of(case.latest, case.history, is_own=False) for key, case in json_cases(suite)
            } | known
        return LatestSince(known, ReadMark(file, found.last if found is not None else 0))

    def history(self, suite: str, case: str, target: str, *, limit: int = 50) -> list[RunCase]:
        """The results of a case with a target, newest first."""
        values = (suite, storable_text(case), storable_text(target))
        return list(self._cases(_OF_CASE, values, limit))

    def _cases(self, where: str, values: tuple[Any, ...], limit: int | None = None) -> Iterator[RunCase]:
        with self._reading() as connection:
            if connection is None:
                return
            most, results = most_rows(connection) if limit is None else limit, OpenResults(connection, self.path)
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            query, key = _CASES.format(where=where, most=most, proof=signature_columns(int(version))), signing_key()
            try:
                for row in connection.execute(query, values):
                    with suppress(*BAD_ROW):
                        yield _case(connection, row, results, key)
            finally:
                results.closed()

    # -- baselines ----------------------------------------------------------------------------------------------------

    def baselines(self, *, own: bool = False) -> Mapping[str, str]:
        """The ids of the runs that are baselines, by name; with `own`, only what this user's rubric named."""
        with self._reading() as connection:
            if connection is None:
                return {}
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            signature, key = "baselines.signature" if int(version) > 2 else "''", signing_key()
            rows = connection.execute(
                f"SELECT name, id, {signature} FROM baselines JOIN runs ON number = run ORDER BY name"  # noqa: S608  # our own words
            )
            return {
                str(name): str(run)
                for name, run, signature in rows
                if not own or is_signed(key, "baseline", (name, run), signature)
            }

    def counts(self, run: RunRecord, selector: str = "") -> bool:
        """Whether a run may decide anything: this user's rubric stored it, with all of its cases, and gave it the name `selector`."""
        named = selector not in self.baselines() or self.baselines(own=True).get(selector) == run.id
        return named and are_own(run, list(self.cases(run)))

    def set_baseline(self, name: str, run: RunRecord) -> None:
        """Give a run a name, taking it from any other run. Raises ValueError for a name that could select another run."""
        if not BASELINE_NAME.fullmatch(name):
            raise ValueError(
                f"{name!r} cannot be the name of a baseline: letters, digits and ./@+-_ can, but no `last` and no id of a run"
            )
        with self._writing() as connection:
            signature = signature_of(signing_key(), "baseline", (name, run.id))
            connection.execute(
                "INSERT OR REPLACE INTO baselines (name, run, signature) SELECT ?, number, ? FROM runs WHERE id = ?",
                (name, signature, run.id),
            )

    def drop_baseline(self, name: str) -> bool:
        """Remove a baseline's name; returns whether it existed. The run stays."""
        with self._writing() as connection:
            return connection.execute("DELETE FROM baselines WHERE name = ?", (name,)).rowcount > 0

    def prune(self, limits: PruneLimits, *, dry_run: bool = False) -> list[RunRecord]:
        """Remove runs beyond some limits, and free their space. Returns the removed runs, oldest first.

        Baselines and runs in progress stay.
        """
        runs, named = self.runs(), frozenset(self.baselines().values())
        if not runs:
            return []
        with self._reading() as reader:
            now = datetime.now(tz=timezone.utc)
            beyond = runs_beyond(reader, runs, named, limits, now) if reader is not None else []
        if beyond and not dry_run:
            with self._writing() as connection:
                remove_runs(connection, beyond)
        return beyond

    # -- the file -----------------------------------------------------------------------------------------------------

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection | None]:
        with closing_reader(open_to_read(self.path)) as connection, store_errors(self.path):
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with closing(open_to_write(self.path)) as connection, store_errors(self.path):
            yield connection


def _case(connection: sqlite3.Connection, row: tuple[Any, ...], results: OpenResults, key: bytes) -> RunCase:
    number, suite, file, name, target, tags, metadata, cost, *rest = row[:_SUMMARY_END]
    scores = connection.execute(_SCORES, (number,)).fetchall()
    repeats = connection.execute(_REPEATS, (number,)).fetchall()
    digest = str(row[-2])
    signed = partial(is_signed_result, key, (suite, name, target), number, row[_RUN], row[_RUN + 1 :])
    summary = summary_in(tuple(rest[5:]), file=relative_name(file, suite) if file is not None else "")
    return RunCase(
        suite=str(suite), id=str(name), target=str(target), tags=texts_in(tags), metadata=mapping_in(metadata), summary=summary,
        cost_usd=optional_number(cost), tokens=tokens_in(rest[:4]),
        scores=tuple(map(score_in, scores)), repeats=tuple(map(repeat_in, repeats)),
        read=partial(_whole, results, number, str(name), summary, digest),
        proof=lambda: signed() and digest.endswith(scores_digest(scores, repeats)),
    )  # fmt: skip


def _whole(results: OpenResults, number: int, name: str, summary: ResultSummary, digest: str) -> CaseResult:
    return KnownCase(name, "", summary, source=results, number=number, digest=digest).result
