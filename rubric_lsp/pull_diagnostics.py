"""Pull diagnostics: of one document, or of the workspace."""

import asyncio
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from rubric_core.loading.files import absolute
from rubric_core.loading.landmarks import landmark_of
from rubric_lsp.documents.deferral import Deferral
from rubric_lsp.documents.file_report import NOTHING_WRONG, FileReport, digest
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.documents.workspace_check import OFTEN, WorkspaceCheck
from rubric_lsp.features.deferred_findings import Numbered
from rubric_lsp.host import Host
from rubric_lsp.protocol.json_array import JsonArray

if TYPE_CHECKING:
    from rubric_lsp.protocol.wire_types.diagnostics import (
        Diagnostic,
        DocumentReport,
        RelatedDocumentReport,
        WorkspaceDiagnosticReport,
        WorkspaceFullDocumentDiagnosticReport,
    )
    from rubric_lsp.protocol.wire_types.window import ProgressParams, WorkDoneProgress

__all__ = ["PullDiagnostics"]

#: The most reports in one partial result.
_PIECE = 50
#: The minimum number of seconds between two refreshes.
_SOON = 0.1


class DiagnosticSource(Protocol):
    """Gives the diagnostics of a version of a document, as they are sent."""

    def __call__(self, snapshot: Snapshot, deferred: frozenset[Numbered] = frozenset()) -> JsonArray:
        """All diagnostics, except the findings with the numbers in `deferred`."""


class PullDiagnostics:
    """Answers pull requests for diagnostics.

    Args:
        host: The conversation.
        listed: Gives the diagnostics of a version of a document, except the findings with some numbers.
        workspace_check: The reports of closed files.
        deferral: Decides which findings are deferred.
    """

    def __init__(
        self, host: Host, listed: DiagnosticSource, workspace_check: WorkspaceCheck, deferral: Deferral
    ) -> None:
        self._host, self._listed, self._workspace_check, self._deferral = host, listed, workspace_check, deferral
        self._refreshing: asyncio.TimerHandle | None = None

    def document(self, snapshot: Snapshot, known: str | None) -> "RelatedDocumentReport":
        """The diagnostics of one document; `known` is the result id that the client has.

        A client without one gets everything. A client that pulls after each edit and supports refresh gets deferred
        findings when the user pauses.
        """
        if known is None:
            self._deferral.say_everything(snapshot)
        made = _report(self._diagnostics(snapshot), known)
        if self._host.client.related_documents:
            related: dict[str, DocumentReport] = {
                s.uri: _report(self._diagnostics(s).items, None) for s in self._dependents(snapshot)
            }
            if related:
                made["relatedDocuments"] = related
        return made

    def _diagnostics(self, snapshot: Snapshot) -> JsonArray:
        if not self._host.client.pulls_diagnostics:
            return self._listed(snapshot)
        deferral = self._deferral
        deferred = deferral.numbers(snapshot)
        if deferred:
            self.refresh(max(0.0, deferral.remaining))
        return self._listed(snapshot, deferred)

    def _dependents(self, snapshot: Snapshot) -> list[Snapshot]:
        """The other open documents that depend on a document."""
        if snapshot.path is None:
            return []
        path = absolute(snapshot.path)
        project = self._host.documents.project
        if not project.has_dependents(path):
            return []
        others = [s for s in self._host.documents.all() if s.uri != snapshot.uri and s.is_ours]
        counted = {path, *landmark_of(path)}
        return [s for s in others if project.depends_on(s.analysis.depends_on, counted)]

    async def workspace(
        self, known: Mapping[str, str], partial: int | str | None, progress: int | str | None
    ) -> "WorkspaceDiagnosticReport":
        """The diagnostics of every file; if the client has all of them, the response waits for a change."""
        self._tell(progress, {"kind": "begin", "title": "Checking suites", "cancellable": True})
        number, said = 0, float("-inf")
        try:
            while True:
                news = self._workspace_check.news
                piece: list[WorkspaceFullDocumentDiagnosticReport] = []
                sent = False
                seen: set[str] = set()
                async for report in self._workspace_check.reports():
                    number += 1
                    seen.add(report.uri)
                    if known.get(report.uri) != report.name:
                        piece.append(_workspace_report(report))
                    if partial is not None and len(piece) >= _PIECE:
                        self._piece(partial, piece)
                        piece, sent = [], True
                    if time.monotonic() - said > OFTEN:
                        said = time.monotonic()
                        self._tell(progress, {"kind": "report", "message": f"{number} files"})
                # A deleted file has no diagnostics.
                gone = [u for u, name in known.items() if u not in seen and name != NOTHING_WRONG]
                piece += (_workspace_report(FileReport(uri, None, JsonArray())) for uri in gone)
                if piece or sent or not known:
                    break
                await news.wait()
                # Not at each keystroke: the user waits for the diagnostics of the document that they edit.
                await self._workspace_check.idle()
        finally:
            self._tell(progress, {"kind": "end", "message": f"{number} files checked"})
        # What became known later may have changed the report of a file.
        piece = [*{each["uri"]: each for each in piece}.values()]
        if partial is not None and sent:
            self._piece(partial, piece)
            return {"items": []}
        return {"items": piece}

    def _piece(self, token: int | str, items: list["WorkspaceFullDocumentDiagnosticReport"]) -> None:
        step: ProgressParams = {"token": token, "value": {"items": items}}
        self._host.protocol.tell("$/progress", step)

    def _tell(self, token: int | str | None, value: "WorkDoneProgress") -> None:
        if token is not None:
            step: ProgressParams = {"token": token, "value": value}
            self._host.protocol.tell("$/progress", step)

    def refresh(self, seconds: float = _SOON) -> None:
        """Ask the client to pull diagnostics again, at most `seconds` from now."""
        loop = asyncio.get_running_loop()
        if self._refreshing is not None and self._refreshing.when() <= loop.time() + seconds:
            return
        if self._refreshing is not None:
            self._refreshing.cancel()
        self._refreshing = loop.call_later(seconds, self._refresh)

    def _refresh(self) -> None:
        self._refreshing = None
        self._host.keep(self._host.ask_quietly("workspace/diagnostic/refresh"))


def _report(items: JsonArray | list["Diagnostic"], known: str | None) -> "RelatedDocumentReport":
    name = digest(items)
    if name == known:
        return {"kind": "unchanged", "resultId": name}
    return {"kind": "full", "resultId": name, "items": items}


def _workspace_report(report: FileReport) -> "WorkspaceFullDocumentDiagnosticReport":
    return {
        "uri": report.uri,
        "version": report.version,
        "kind": "full",
        "resultId": report.name,
        "items": report.items,
    }
