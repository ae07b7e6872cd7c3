"""The runs of a database, and the run that a selector means."""

import re
import sqlite3
from collections.abc import Collection, Sequence

from rubric_core.evaluation.results.records import RunNotFoundError, RunRecord
from rubric_core.evaluation.results.row_reader import BAD_ROW, run_columns, run_in
from rubric_core.evaluation.results.run_totals import TOTAL_COUNT, totals_of
from rubric_core.evaluation.results.signatures import signing_key

__all__ = ["BASELINE_NAME", "find_run", "runs_in"]

_LAST = re.compile(r"last(?:~(\d{1,6}))?")
_COMMIT = re.compile(r"[0-9a-f]{4,40}")
#: A name that cannot be mistaken for another selector of a run.
BASELINE_NAME = re.compile(r"(?!last(~|$))(?!\d{8}-)\w[\w./@+-]{0,99}")
#: How many runs an error message lists.
_FEW = 3
#: In the order of their start: the clock may have been set back in between.
_RUNS = "SELECT {columns} FROM runs {where} ORDER BY number DESC LIMIT ?"
_WITH_SUITE = "WHERE number IN (SELECT run FROM run_suites JOIN files ON number = suite WHERE path IN ({marks}))"
_SUITES = "SELECT path FROM run_suites JOIN files ON number = suite WHERE run = ? ORDER BY path"


def runs_in(connection: sqlite3.Connection, suites: Collection[str] = (), limit: int | None = None) -> list[RunRecord]:
    """See `ResultDatabase.runs`. Raises sqlite3.Error."""
    where = _WITH_SUITE.format(marks=", ".join("?" * len(suites))) if suites else ""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    query = _RUNS.format(columns=run_columns(int(version)), where=where)
    rows = connection.execute(query, (*suites, -1 if limit is None else limit)).fetchall()
    found: list[RunRecord] = []
    key = signing_key()
    for row in rows:
        paths = tuple(str(path) for (path,) in connection.execute(_SUITES, row[:1]))
        if row[3] is None:  # it is in progress, or was killed
            row = (*row[:-TOTAL_COUNT], *totals_of(connection, row[0]))  # noqa: PLW2901  # the same row, whole
        try:
            found.append(run_in(row, paths, key))
        except BAD_ROW:  # edited by another program
            continue
    return found


def find_run(selector: str, runs: Sequence[RunRecord], among: Sequence[RunRecord], baseline: str | None) -> RunRecord:
    """The run that a selector means. Raises RunNotFoundError.

    Args:
        selector: The user's text.
        runs: Every run, newest first.
        among: The runs among which `last` and commits select.
        baseline: The id of the baseline with the selector as its name, if there is one.
    """
    last = _LAST.fullmatch(selector)
    if last is not None:
        found = among[int(last[1] or 0) :][:1]
    else:
        found = [run for run in runs if run.id == (baseline or selector)]
        if not found and selector:
            found = [run for run in runs if run.id.startswith(selector)]
        if not found and _COMMIT.fullmatch(selector):
            found = [run for run in among if run.commit.startswith(selector)][:1]
    if len(found) == 1:
        return found[0]
    raise RunNotFoundError(_several(selector, found) if found else _none(selector, runs))


def _several(selector: str, found: Sequence[RunRecord]) -> str:
    return f"{selector} is the beginning of {len(found)} runs: {_ids(found)}"


def _none(selector: str, runs: Sequence[RunRecord]) -> str:
    if not runs:
        return f"there is no run {selector}: nothing has been run here yet"
    return f"there is no run {selector}: {len(runs)} {'is' if len(runs) == 1 else 'are'} stored, the last {_ids(runs)} (`rubric results` lists them)"


def _ids(runs: Sequence[RunRecord]) -> str:
    return ", ".join(run.id for run in runs[:_FEW]) + (", …" if len(runs) > _FEW else "")
