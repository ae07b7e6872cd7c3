"""The report of a run that may be in progress: rebuilt after changes, from cached rows."""

import threading
from collections.abc import Callable, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from rubric_core.evaluation.model.result import CaseResult
from rubric_core.evaluation.report_page.data import CaseData, CaseRow
from rubric_core.evaluation.report_page.report_data import (
    CaseKey,
    Catalogue,
    case_key,
    latest_of_each,
    report_data,
    stored_case,
)
from rubric_core.evaluation.report_page.write_report import earlier_runs
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.journal import json_text
from rubric_core.evaluation.results.records import RunCase, RunRecord, are_own

__all__ = ["LiveReport", "ReportSnapshot", "editor_address"]

#: Runs that are listed, so that one can be chosen.
_LISTED = 30


class ReportSnapshot(NamedTuple):
    """A report as JSON, with a tag that changes with it."""

    tag: str
    content: bytes


class _Made(NamedTuple):
    """The last report of a run."""

    run: RunRecord
    cases: dict[CaseKey, RunCase]
    before: Mapping[CaseKey, RunCase]
    snapshot: ReportSnapshot


class LiveReport:
    """The reports of a database, for a page that asks again and again. Threads may share it.

    Args:
        database: The runs.
        base: The id of the run to compare with; "" for none.
        run: The id of the run to show; "" for the newest one, whichever that is.
        now: The time of day.
    """

    def __init__(
        self, database: ResultDatabase, *, base: str = "", run: str = "", now: Callable[[], datetime] | None = None
    ) -> None:
        self._database, self._base, self._run = database, base, run
        self._now = now or (lambda: datetime.now(tz=timezone.utc))
        self._lock = threading.Lock()
        self._made: _Made | None = None
        self._rows: dict[CaseKey, tuple[RunCase, CaseRow]] = {}
        self._rows_of = ""
        self._catalogue = Catalogue()

    def snapshot(self, run: str = "", base: str = "") -> ReportSnapshot:
        """The report of a run; by default the one requested first. Raises RunNotFoundError."""
        with self._lock:
            return self._current(run, base).snapshot

    def case(self, key: CaseKey, run: str = "", base: str = "") -> CaseData | None:
        """Everything about a case of a run; None where the run has no such case. Raises RunNotFoundError."""
        with self._lock:
            made = self._current(run, base)
            found = made.cases.get(key)
            return None if found is None else stored_case(found, made.run, before=made.before.get(key))

    def _current(self, run_id: str, base_id: str) -> _Made:
        run = self._database.find(run_id or self._run or "last")
        wanted = base_id if run_id else self._base
        base = self._database.find(wanted) if wanted else None
        tag = f'"{run.id}/{run.state.value}/{run.cases}/{base.id if base else ""}/{self._newest()}"'
        if self._made is None or self._made.snapshot.tag != tag:
            self._made = self._make(run, base, tag)
        return self._made

    def _newest(self) -> str:
        newest = self._database.runs(limit=1)
        return f"{newest[0].id}/{newest[0].cases}" if newest else ""

    def _make(self, run: RunRecord, base: RunRecord | None, tag: str) -> _Made:
        every = list(self._database.cases(run))
        cases = latest_of_each(every)
        rows = self._rows_for(run, cases)
        data = report_data(
            run,
            cases,
            now=self._now(),
            trend=self._listed(run),
            catalogue=self._catalogue,
            rows=rows,
            is_foreign=not are_own(run, every),
        )
        before: Mapping[CaseKey, RunCase] = {}
        if base is not None and base.id != run.id:
            from rubric_core.evaluation.report_page.comparison_data import compared  # noqa: PLC0415  # statistics

            data["comparison"], before = compared(self._database, base, run)
        return _Made(
            run, {case_key(case): case for case in cases}, before, ReportSnapshot(tag, json_text(data).encode())
        )

    def _listed(self, run: RunRecord) -> list[RunRecord]:
        """The runs that can be chosen: those of the same suites, later ones as well."""
        every = self._database.runs(suites=run.suites)
        newest = next((each for each in every if set(each.suites) == set(run.suites)), run)
        shown = {run.id, *(each.id for each in earlier_runs(self._database, newest)[-_LISTED:])}
        return [each for each in reversed(every) if each.id in shown]

    def _rows_for(self, run: RunRecord, cases: list[RunCase]) -> list[CaseRow]:
        """The rows of the cases; those of cases that had ended the last time are there already."""
        if self._rows_of != run.id:
            self._rows_of, self._rows = run.id, {}
            self._catalogue = Catalogue(lambda suite, result: editor_address(self._database.root, suite, result))
        for case in cases:
            key = case_key(case)
            known = self._rows.get(key)
            if known is None or known[0].summary != case.summary:
                self._rows[key] = case, self._catalogue.row(case)
        return [self._rows[case_key(case)][1] for case in cases]


def editor_address(root: Path, suite: str, result: CaseResult) -> str:
    """The address that opens a case in VS Code."""
    file = root / suite
    place = (file.parent / result.file if result.file else file).as_posix()
    return f"vscode://file/{quote(place.lstrip('/'))}:{max(1, result.line)}"
