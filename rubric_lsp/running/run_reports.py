"""Reports of a suite's last run and of the last two compared, read from the store for the editor."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rubric_lsp.protocol.errors import INVALID_PARAMS, RequestFailedError
from rubric_lsp.protocol.uris import path_of

if TYPE_CHECKING:
    from rubric_core.evaluation.report_page.data import CaseData
    from rubric_core.evaluation.report_page.live_report import LiveReport
    from rubric_core.evaluation.results.database import ResultDatabase
    from rubric_lsp.protocol.wire_types.explorer import RunComparison, RunReport

__all__ = ["RunReports"]


class RunReports:
    """Reports of runs. Read-only, and reading does not block other requests."""

    def __init__(self) -> None:
        self._reports: dict[Path, LiveReport] = {}

    async def report(self, params: Mapping[str, Any] | None) -> "RunReport":
        """`rubric/runReport`. Raises RequestFailedError if the document is not a file."""
        asked = params or {}
        return await asyncio.to_thread(self._report, _file(asked), compare=asked.get("compare") is True)

    async def case(self, params: Mapping[str, Any] | None) -> "CaseData | None":
        """`rubric/runCase`. Raises RequestFailedError if the document is not a file."""
        return await asyncio.to_thread(self._case, _file(params or {}), params or {})

    async def comparison(self, params: Mapping[str, Any] | None) -> "RunComparison":
        """`rubric/compareRuns`. Raises RequestFailedError if the document is not a file."""
        return await asyncio.to_thread(self._comparison, _file(params or {}))

    def _report(self, suite: Path, *, compare: bool) -> "RunReport":
        from rubric_core.evaluation.results.database import ResultDatabase  # noqa: PLC0415  # SQLite, for those who look
        from rubric_core.evaluation.results.records import RunNotFoundError  # noqa: PLC0415  # as above
        from rubric_core.evaluation.results.store_errors import ResultStoreError  # noqa: PLC0415  # as above

        database = ResultDatabase.of(suite)
        try:
            run, base = _compared(database, suite) if compare else (_last(database, suite), "")
            found = self._live(database).snapshot(run, base)
        except (ResultStoreError, RunNotFoundError) as error:
            return {"trouble": str(error)}
        return {"data": json.loads(found.content)}

    @staticmethod
    def _comparison(suite: Path) -> "RunComparison":
        from rubric_core.evaluation.comparison.runs import compare_runs, last_two_runs  # noqa: PLC0415  # as above
        from rubric_core.evaluation.reporting.comparison_report import comparison_lines  # noqa: PLC0415  # as above
        from rubric_core.evaluation.results.database import ResultDatabase  # noqa: PLC0415  # as above
        from rubric_core.evaluation.results.records import RunNotFoundError  # noqa: PLC0415  # as above
        from rubric_core.evaluation.results.store_errors import ResultStoreError  # noqa: PLC0415  # as above

        database = ResultDatabase.of(suite)
        try:
            found = compare_runs(database, *last_two_runs(database, database.name_of(suite)))
        except (ResultStoreError, RunNotFoundError) as error:
            return {"trouble": str(error)}
        return {"text": "\n".join(comparison_lines(found))}

    def _case(self, suite: Path, asked: Mapping[str, Any]) -> "CaseData | None":
        from rubric_core.evaluation.results.database import ResultDatabase  # noqa: PLC0415  # as above
        from rubric_core.evaluation.results.records import RunNotFoundError  # noqa: PLC0415  # as above
        from rubric_core.evaluation.results.store_errors import ResultStoreError  # noqa: PLC0415  # as above

        named = {name: str(asked.get(name) or "") for name in ("suite", "case", "target", "run", "base")}
        try:
            found = self._live(ResultDatabase.of(suite)).case(
                (named["suite"], named["case"], named["target"]), named["run"], named["base"]
            )
        except (ResultStoreError, RunNotFoundError):
            return None
        return found

    def _live(self, database: "ResultDatabase") -> "LiveReport":
        from rubric_core.evaluation.report_page.live_report import LiveReport  # noqa: PLC0415  # as above

        return self._reports.setdefault(database.root, LiveReport(database))


def _last(database: "ResultDatabase", suite: Path) -> str:
    from rubric_core.evaluation.results.records import RunNotFoundError  # noqa: PLC0415  # as above

    name = database.name_of(suite)
    runs = database.runs(suites=(name,), limit=1)
    if not runs:
        raise RunNotFoundError(f"{name} has not been run yet")
    return runs[0].id


def _compared(database: "ResultDatabase", suite: Path) -> tuple[str, str]:
    """The run to show, and the run to compare it with."""
    from rubric_core.evaluation.comparison.runs import last_two_runs  # noqa: PLC0415  # statistics

    before, after = last_two_runs(database, database.name_of(suite))
    return after.id, before.id


def _file(asked: Mapping[str, Any]) -> Path:
    document = asked.get("textDocument")
    uri = document.get("uri") if isinstance(document, Mapping) else None
    path = path_of(uri) if isinstance(uri, str) else None
    if path is None:
        raise RequestFailedError(INVALID_PARAMS, f"textDocument is a suite on disk, found {uri!r:.100}")
    return path
