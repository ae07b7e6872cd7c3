"""The report of a suite's last run: read from the store, for an editor that shows the page."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rubric_lsp.protocol.errors import INVALID_PARAMS, RequestFailedError
from rubric_lsp.protocol.uris import path_of

if TYPE_CHECKING:
    from rubric_core.evaluation.report_page.live_report import LiveReport
    from rubric_core.evaluation.results.database import ResultDatabase

__all__ = ["RunReports"]

Json = dict[str, Any]


class RunReports:
    """The reports of runs. Nothing is run and nothing is written; reading them does not keep other requests waiting."""

    def __init__(self) -> None:
        self._reports: dict[Path, LiveReport] = {}

    async def report(self, params: Mapping[str, Any] | None) -> Json:
        """`rubric/runReport`. Raises RequestFailedError for a document that is no file."""
        return await asyncio.to_thread(self._report, _file(params or {}))

    async def case(self, params: Mapping[str, Any] | None) -> Json | None:
        """`rubric/runCase`. Raises RequestFailedError for a document that is no file."""
        return await asyncio.to_thread(self._case, _file(params or {}), params or {})

    def _report(self, suite: Path) -> Json:
        from rubric_core.evaluation.results.connection import ResultStoreError  # noqa: PLC0415  # as above
        from rubric_core.evaluation.results.database import ResultDatabase  # noqa: PLC0415  # SQLite, for those who look
        from rubric_core.evaluation.results.records import RunNotFoundError  # noqa: PLC0415  # as above

        database = ResultDatabase.of(suite)
        try:
            runs = database.runs(suites=(database.name_of(suite),), limit=1)
            if not runs:
                return {"trouble": f"{suite.name} has not been run yet."}
            found = self._live(database).snapshot(runs[0].id)
        except (ResultStoreError, RunNotFoundError) as error:
            return {"trouble": str(error)}
        return {"data": json.loads(found.content)}

    def _case(self, suite: Path, asked: Mapping[str, Any]) -> Json | None:
        from rubric_core.evaluation.results.connection import ResultStoreError  # noqa: PLC0415  # as above
        from rubric_core.evaluation.results.database import ResultDatabase  # noqa: PLC0415  # as above
        from rubric_core.evaluation.results.records import RunNotFoundError  # noqa: PLC0415  # as above

        named = {name: str(asked.get(name) or "") for name in ("suite", "case", "target", "run")}
        try:
            found = self._live(ResultDatabase.of(suite)).case(
                (named["suite"], named["case"], named["target"]), named["run"]
            )
        except (ResultStoreError, RunNotFoundError):
            return None
        return None if found is None else {**found}

    def _live(self, database: "ResultDatabase") -> "LiveReport":
        from rubric_core.evaluation.report_page.live_report import LiveReport  # noqa: PLC0415  # as above

        return self._reports.setdefault(database.root, LiveReport(database))


def _file(asked: Mapping[str, Any]) -> Path:
    document = asked.get("textDocument")
    uri = document.get("uri") if isinstance(document, Mapping) else None
    path = path_of(uri) if isinstance(uri, str) else None
    if path is None:
        raise RequestFailedError(INVALID_PARAMS, f"textDocument is a suite on disk, found {uri!r:.100}")
    return path
