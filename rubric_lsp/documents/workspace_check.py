"""Checks all suites and related files of the open folders, including those that are not open."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from rubric_core.configuration import Configuration, FolderConfigurations
from rubric_core.language.file_kinds import FileKind
from rubric_core.loading.detect_file_kind import kind_by_name
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
        self._survey = SuiteSurvey(documents, around)
        #: The report of each file, valid until another one replaces it.
        self._reports: dict[str, tuple[Snapshot, object, FileReport]] = {}
        self._known: tuple[list[Path], set[Path]] = ([], set())
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
        beside: set[Path] = set()
        folders = FolderConfigurations(self._documents.configurations)
        async for snapshot in self._around.suites(everywhere=everything):
            try:
                suite = suites[snapshot.uri] = self._survey.suite(self._configured_as(snapshot, folders))
                if opened or self._documents.get(snapshot.uri) is None:
                    yield self._report(suite.snapshot)
                if everything:
                    beside |= suite.beside
            except Exception:
                log.exception("checking %s failed", snapshot.uri)
        self._end_with(suites, beside)
        breaks = YieldPoints()
        for path in sorted(beside):
            other = self._around.at(path)
            if other is not None and other.uri not in suites:
                yield self._report(self._configured_as(other, folders))
                await breaks.due()
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

    def _end_with(self, suites: Mapping[str, SurveyedSuite], beside: Collection[Path]) -> None:
        """All suites are known: forget the deleted ones, and announce the others."""
        self._survey.keep_only(suites)
        for uri in [uri for uri, (snapshot, _, _) in self._reports.items() if not _is_among(snapshot, suites, beside)]:
            del self._reports[uri]
        prompts: dict[Path, str] = {}
        promptfoo: dict[Path, FileKind] = {}
        for suite in suites.values() if self._documents.settings.check_workspace else ():
            prompts |= suite.prompts
            promptfoo.update(suite.promptfoo)
        paths = {*beside, *(s.snapshot.path for s in suites.values() if s.snapshot.path is not None)}
        every = suites.values() if self._documents.settings.check_workspace else ()
        news = self._documents.names_for_files.survey((s.snapshot.uri, s.promptfoo, s.defined_names) for s in every)
        self._know(paths, prompts, promptfoo, news=news)

    def _know(self, files: set[Path], prompts: dict[Path, str], promptfoo: dict[Path, FileKind], *, news: bool) -> None:
        """Publish the set of suites, so that unused targets can be found, and the set of prompts."""
        news = news or (prompts, promptfoo) != (self._documents.prompts, self._documents.promptfoo)
        self._documents.prompts, self._documents.promptfoo = prompts, promptfoo
        self._around.project.review_checks()
        folders: list[Path] = []
        if self._documents.settings.check_workspace:
            folders = [path for uri in self._documents.folders if (path := path_of(uri)) is not None]
        if self._known != (folders, files):
            self._known = (folders, files)
            naming = (f for f in files if kind_by_name(f) is not FileKind.TARGETS)
            news = self._around.project.register_suites(folders, naming) or news
        if news:
            self._suites_discovered()

    def _report(self, snapshot: Snapshot) -> FileReport:
        """The report of a file, cached if nothing has changed."""
        results = self._results(snapshot)
        known = self._reports.get(snapshot.uri)
        if known is None or known[0] is not snapshot or known[1] != results:
            items = self._found(snapshot) if snapshot.is_ours or snapshot.version is None else JsonArray()
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
