"""Checks all suites and related files of the open folders, including those that are not open."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from rubric_core.analysis.file_uses import OutgoingReferences
from rubric_core.configuration import Configuration, FolderConfigurations
from rubric_core.language.file_kinds import FileKind
from rubric_core.loading.detect_file_kind import kind_by_name
from rubric_core.loading.files import UnreadableError
from rubric_lsp.documents.file_report import NOTHING_WRONG, FileReport
from rubric_lsp.documents.open_documents import ClientWorkspace
from rubric_lsp.documents.project_index import ProjectIndex, YieldPoints
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.documents.suite_survey import SuiteSurvey, SurveyedSuite
from rubric_lsp.protocol.json_array import JsonArray
from rubric_lsp.protocol.progress import Progress, ProgressBoard
from rubric_lsp.protocol.uris import path_of

if TYPE_CHECKING:
    from rubric_lsp.protocol.wire_types.diagnostics import PublishDiagnosticsParams

__all__ = ["OFTEN", "WorkspaceCheck"]

log = logging.getLogger("rubric")
#: Seconds without a change after which closed files are checked again.
_IDLE = 0.5
#: Seconds after which a check shows its progress.
_LONG = 1.0
#: Seconds between updates of the progress.
OFTEN = 0.1


class WorkspaceCheck:
    """Checks all of them, and publishes the diagnostics of closed files to clients that do not pull.

    Args:
        documents: The open documents.
        around: The other files.
        found: Gives everything to report about a file.
        results: Gives a value that changes whenever the results in that report change.
        configured: Gives everything to report about a configuration file.
        unreadable: Gives everything to report about a file that cannot be read.
        publish: Sends a publication.
        board: Shows the progress of a long check.
        learnt: Called when the set of known suites has changed.
        first: Waits until no open document is being checked: these take precedence.
    """

    def __init__(
        self,
        documents: ClientWorkspace,
        around: ProjectIndex,
        found: Callable[[Snapshot], JsonArray],
        results: Callable[[Snapshot], object],
        configured: Callable[[Configuration], JsonArray],
        unreadable: Callable[[UnreadableError], JsonArray],
        publish: Callable[["PublishDiagnosticsParams"], None],
        board: ProgressBoard,
        learnt: Callable[[], None],
        first: Callable[[], Awaitable[None]],
    ) -> None:
        self._documents = documents
        self._around = around
        self._found = found
        self._results = results
        self._configured = configured
        self._unreadable = unreadable
        self._publish = publish
        self.board = board
        self._suites_discovered = learnt
        self._first = first
        #: Whether the progress of a long check can be shown.
        self.shown = False
        #: Whether the client does not report changes on disk.
        self.unwatched = False
        #: The digest of each file's diagnostics that the client has.
        self._sent: dict[str, str] = {}
        self._survey = SuiteSurvey(documents)
        #: The report of each file, valid until another one replaces it.
        self._reports: dict[str, tuple[Snapshot, object, FileReport]] = {}
        self._known: tuple[list[Path], set[Path]] = ([], set())
        #: What every file refers to, as the last check found it.
        self._surveyed: dict[Path, OutgoingReferences] = {}
        self._waiting: asyncio.TimerHandle | None = None
        self._under_way: asyncio.Task[None] | None = None
        self._news = asyncio.Event()
        #: Set while nothing has changed for a while.
        self._idle = asyncio.Event()
        self._idle.set()

    # -- looking --------------------------------------------------------------------------------------------------------

    async def reports(self, *, opened: bool = True) -> AsyncIterator[FileReport]:
        """The report of every file, open ones first if wanted; yields to other requests between two files."""
        everything = self._documents.settings.check_workspace
        suites: dict[str, SurveyedSuite] = {}
        folders = FolderConfigurations(self._documents.configurations)
        async for snapshot in self._around.suites(everywhere=everything):
            try:
                suite = suites[snapshot.uri] = self._survey.suite(self._configured_as(snapshot, folders))
                if opened or self._documents.get(snapshot.uri) is None:
                    yield self._report(suite.snapshot)
            except Exception:
                log.exception("checking %s failed", snapshot.uri)
        self._survey.keep_only(suites)
        paths = {s.snapshot.path for s in suites.values() if s.snapshot.path is not None}
        registered = self._register({*paths, *(self._around.related() if everything else ())})
        beside = await self._related(suites, folders) if everything else {}
        self._end_with(suites, beside, registered=registered)
        breaks = YieldPoints()
        for snapshot in (*(s.snapshot for s in suites.values()), *beside.values()):
            fresh = self._fresh(snapshot)
            is_known = snapshot.uri in suites and fresh is snapshot
            if fresh is not None and not is_known and (opened or self._documents.get(snapshot.uri) is None):
                yield self._report(fresh)
                await breaks.due()
        for path, error in self._around.unread.items():
            yield FileReport(path.as_uri(), None, self._unreadable(error))
        configurations = {c.path: c for suite in suites.values() if (c := suite.snapshot.configuration) is not None}
        for at, configuration in configurations.items():
            if at is not None:
                yield FileReport(at.as_uri(), None, self._configured(configuration))

    def _configured_as(self, snapshot: Snapshot, folders: FolderConfigurations) -> Snapshot:
        """The same version, analyzed with the current configuration."""
        path = snapshot.path
        if path is None or not snapshot.was_analyzed or snapshot.configuration is folders.of(path):
            return snapshot
        snapshot.expire()
        self._around.discoveries += snapshot.version is not None
        return self._around.at(path) or snapshot

    async def _related(
        self, suites: Mapping[str, SurveyedSuite], folders: FolderConfigurations
    ) -> dict[Path, Snapshot]:
        """The files that suites refer to, directly or not, and those known by their names, each as what it is used as."""
        uses = {s.snapshot.path: s.references for s in suites.values() if s.snapshot.path is not None}
        found: dict[Path, Snapshot] = {}
        waiting = {path for path in self._around.related() if path not in uses}
        seen = set(uses)
        breaks = YieldPoints()
        while waiting := (waiting | self._used(uses)) - seen:
            seen |= waiting
            self._documents.uses.survey(uses)
            for path in sorted(waiting):
                snapshot = self._around.at(path)
                if snapshot is not None:
                    found[path] = snapshot = self._configured_as(snapshot, folders)
                    uses[path] = self._survey.references(snapshot)
                    self._report(snapshot)  # while it is analyzed
                await breaks.due()
        self._surveyed = uses
        self._survey.keep_related({*suites, *(snapshot.uri for snapshot in found.values())})
        return found

    def _used(self, uses: Mapping[Path, OutgoingReferences]) -> set[Path]:
        """The files that are checked because others refer to them."""
        named = {path for each in uses.values() for path in each.files}.difference(uses)
        return {path for path in named if self._around.is_checked_where_used(path)}

    def _end_with(
        self, suites: Mapping[str, SurveyedSuite], beside: Mapping[Path, Snapshot], *, registered: bool
    ) -> None:
        """All files are known: forget the deleted ones, and announce the others."""
        for uri in [uri for uri, (snapshot, _, _) in self._reports.items() if not _is_among(snapshot, suites, beside)]:
            del self._reports[uri]
        news = self._documents.uses.survey(self._surveyed if self._documents.settings.check_workspace else {})
        self._around.project.review_checks()
        if registered or news:
            self._suites_discovered()

    def _register(self, files: set[Path]) -> bool:
        """Publish the set of files, so that unused targets can be found. Returns whether anything is new."""
        folders: list[Path] = []
        if self._documents.settings.check_workspace:
            folders = [path for uri in self._documents.folders if (path := path_of(uri)) is not None]
        naming = {path for path in files if kind_by_name(path) is not FileKind.TARGETS}
        if self._known == (folders, naming):
            return False
        self._known = (folders, naming)
        return self._around.project.register_suites(folders, naming)

    def _fresh(self, snapshot: Snapshot) -> Snapshot | None:
        """The newest version, analyzed as the file is used now."""
        return self._around.at(snapshot.path) if snapshot.path is not None and snapshot.outdated else snapshot

    def _report(self, snapshot: Snapshot) -> FileReport:
        """The report of a file, cached if nothing has changed."""
        results = self._results(snapshot)
        known = self._reports.get(snapshot.uri)
        if known is None or known[0] is not snapshot or known[1] != results:
            # A closed file was found as one of rubric; targets files of other programs have the same names.
            ours = snapshot.is_ours or (snapshot.version is None and snapshot.file_kind is not FileKind.TARGETS)
            items = self._found(snapshot) if ours else JsonArray()
            made = FileReport(snapshot.uri, snapshot.version, items, self._documents.get(snapshot.uri) is not None)
            known = self._reports[snapshot.uri] = (snapshot, results, made)
        return known[2]

    # -- waiting --------------------------------------------------------------------------------------------------------

    @property
    def news(self) -> asyncio.Event:
        """An event that the next change sets. Take it before checking, so that no change is missed."""
        return self._news

    def changed(self, *, publishing: bool) -> None:
        """Something has changed; `publishing` for a client that does not pull."""
        self._news.set()
        self._news = asyncio.Event()
        self._idle.clear()
        if self._waiting is not None:
            self._waiting.cancel()
        self._waiting = asyncio.get_running_loop().call_later(_IDLE, self._begin, publishing)

    async def idle(self) -> None:
        """Wait until nothing has changed for a while and no check of an open document is scheduled."""
        await self._idle.wait()
        await self._first()

    def stop(self) -> None:
        """Stop checking."""
        for each in (self._waiting, self._under_way):
            if each is not None:
                each.cancel()

    # -- publishing -----------------------------------------------------------------------------------------------------

    def _begin(self, publishing: bool) -> None:
        self._waiting = None
        self._idle.set()
        if self._under_way is not None:
            self._under_way.cancel()
        self._under_way = asyncio.get_running_loop().create_task(self._look(publishing=publishing))

    async def _look(self, *, publishing: bool) -> None:
        """Check everything; pulled diagnostics depend on it, too."""
        known = set[str]()
        progress: Progress | None = None
        discoveries = self._around.discoveries
        try:
            await self._first()
            begun = said = time.monotonic()
            if self.unwatched:
                self._around.detect_changed_files()
            async for report in self.reports(opened=False):
                if publishing and not report.is_open:
                    known.add(report.uri)
                    self._send(report)
                now = time.monotonic()
                if progress is None and self.shown and now - begun > _LONG:
                    progress = await self.board.begin("Checking suites", self._cancel, shown=True)
                if progress is not None and now - said > OFTEN:
                    progress.report(f"{len(known)} files", 0)
                    said = now
            if self.unwatched:  # files that were read for the first time are known from now on
                self._around.detect_changed_files()
            self._around.project.settle()  # so that the next keystroke does not have to
            for uri in [u for u in self._sent if u not in known]:
                self._send(FileReport(uri, None, JsonArray()))
                self._sent.pop(uri, None)
            if discoveries != self._around.discoveries:
                # Files checked before, and open documents, may depend on it.
                self._suites_discovered()
                self.changed(publishing=publishing)
        except asyncio.CancelledError:
            log.info("the check of the workspace was cancelled")
        except Exception:
            log.exception("the check of the workspace failed")
        finally:
            if progress is not None:
                token = progress.token
                progress.end(f"{len(known)} files checked")
                self.board.ended(token)

    def _cancel(self) -> None:
        if self._under_way is not None:
            self._under_way.cancel()

    def _send(self, report: FileReport) -> None:
        if self._documents.get(report.uri) is not None:
            # Opened meanwhile: its diagnostics are published with its version.
            self._sent.pop(report.uri, None)
        elif self._sent.get(report.uri, NOTHING_WRONG) != report.name:
            self._sent[report.uri] = report.name
            self._publish({"uri": report.uri, "diagnostics": report.found})

    def opened(self, uri: str) -> None:
        """A document was opened: its diagnostics come from the editor's text from now on."""
        self._sent.pop(uri, None)


def _is_among(snapshot: Snapshot, suites: Mapping[str, SurveyedSuite], beside: Collection[Path]) -> bool:
    return snapshot.uri in suites or snapshot.path in beside
