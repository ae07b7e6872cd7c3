"""The server: the parts that routes lead to, and the events that concern several of them."""

import asyncio
import contextlib
import logging
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from cattrs import Converter

from rubric_core import __version__
from rubric_core.analysis import Language
from rubric_core.configuration import CONFIGURATION_FILES, Configuration
from rubric_core.loading.files import absolute
from rubric_core.syntax.parse import WHILE_EDITED
from rubric_lsp import convert
from rubric_lsp.documents.check_scheduler import CheckScheduler
from rubric_lsp.documents.deferral import Deferral
from rubric_lsp.documents.gc_control import GcControl
from rubric_lsp.documents.navigation import Navigation
from rubric_lsp.documents.open_documents import ClientWorkspace
from rubric_lsp.documents.project_index import ProjectIndex
from rubric_lsp.documents.settings import Settings
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.documents.workspace_check import WorkspaceCheck
from rubric_lsp.features.deferred_findings import Numbered
from rubric_lsp.features.diagnostics import listing, outcomes, unreadable_entry
from rubric_lsp.features.results import Results
from rubric_lsp.permission import Permission
from rubric_lsp.protocol.capabilities import Client
from rubric_lsp.protocol.errors import RequestFailedError
from rubric_lsp.protocol.json_array import JsonArray
from rubric_lsp.protocol.json_rpc import RubricProtocol
from rubric_lsp.protocol.notices import INFORMATION, MessageType, notice
from rubric_lsp.protocol.progress import ProgressBoard
from rubric_lsp.protocol.pygls_server import LanguageServer
from rubric_lsp.protocol.uris import path_of
from rubric_lsp.pull_diagnostics import PullDiagnostics
from rubric_lsp.running.explorer_requests import TestExplorer
from rubric_lsp.running.explorer_states import TestStates
from rubric_lsp.running.explorer_tree import TestTree
from rubric_lsp.running.grader_debug import GraderDebug
from rubric_lsp.running.known_results import KnownResults
from rubric_lsp.running.report_builder import ReportBuilder
from rubric_lsp.running.run_reports import RunReports
from rubric_lsp.running.runs import RunManager
from rubric_lsp.running.virtual_documents import VirtualDocuments

if TYPE_CHECKING:
    from rubric_lsp.features.code_actions import Action
    from rubric_lsp.features.completion import Completion
    from rubric_lsp.protocol.wire_types.diagnostics import Diagnostic, PublishDiagnosticsParams
    from rubric_lsp.protocol.wire_types.window import ShowMessageParams

__all__ = ["RubricServer"]

_T = TypeVar("_T")

log = logging.getLogger("rubric")


class RubricServer(LanguageServer):
    """A language server for one client."""

    protocol: RubricProtocol

    def __init__(self) -> None:
        # No converter: pygls' own one would learn every type of the protocol at each start.
        super().__init__("rubric", __version__, protocol_cls=RubricProtocol, converter_factory=Converter)
        self.client = Client()
        self.first_settings = Settings()
        self.language = Language(most=WHILE_EDITED)
        self.gc = GcControl()
        self.documents = ClientWorkspace(self.language, self.gc)
        self.index = ProjectIndex(self.documents)
        self.navigation = Navigation(self.index)
        self.permission = Permission()
        self.deferral = Deferral()
        self.checks = CheckScheduler(self.documents, self.listed, self.publish, self.deferral)
        board = ProgressBoard(self.protocol, "check")
        self.workspace_check = WorkspaceCheck(
            self.documents,
            self.index,
            self.listed,
            self._results,
            self.configured,
            lambda error: JsonArray.of([convert.unreadable(error)]),
            self.publish,
            board,
            self._suites_discovered,
            self.checks.over,
        )
        self.pull = PullDiagnostics(self, self.listed, self.workspace_check, self.deferral)
        #: The newest actions: the edits of some are computed when one is chosen.
        self.acted: tuple[Snapshot | None, list[Action]] = (None, [])
        #: The newest suggestions: their documentation is requested one by one.
        self.offered: Sequence[Completion] = ()
        self.known = KnownResults(self, self._refreshed)
        self.reports = ReportBuilder(self, self.known)
        self.run_reports = RunReports()
        self.virtual_documents = VirtualDocuments(self, self.known, self.reports)
        self.tree = TestTree(self, self.known, self._send_results)
        self.states = TestStates(self, self.known, self.tree)
        self.runs = RunManager(self, self.known, self.states, self.virtual_documents, self.checks.schedule)
        self.tests = TestExplorer(self, self.known, self.tree, self.runs, self.reports)
        self.grader_debug = GraderDebug(self.known, self.tree, self.runs)
        self._kept: set[asyncio.Task[Any]] = set()
        #: The project's version when closed files were last checked.
        self._checked_version = -1
        self.documents.uses.changed = self._references_changed
        self.protocol.closing = self.closed

    def keep(self, work: Coroutine[Any, Any, _T]) -> asyncio.Task[_T]:
        """Run a task in the background; it is logged if it fails, and cancelled at the end."""
        task = asyncio.get_running_loop().create_task(work)
        self._kept.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._kept.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a task in the background failed", exc_info=error)

    def say(self, message: str, kind: MessageType = INFORMATION) -> None:
        """Show a message to the user: only in response to a request, or if they have to know."""
        shown: ShowMessageParams = {"type": kind, "message": notice(message)}
        self.protocol.tell("window/showMessage", shown)

    async def ask_quietly(self, method: str, params: object = None) -> None:
        """Send a request and ignore the response."""
        with contextlib.suppress(RequestFailedError):
            await self.protocol.ask(method, params)

    def publish(self, publication: "PublishDiagnosticsParams") -> None:
        """Send diagnostics."""
        self.protocol.tell("textDocument/publishDiagnostics", publication)

    # -- parts that several routes share ------------------------------------------------------------------------------

    def configured(self, configuration: Configuration) -> JsonArray:
        """The diagnostics of a configuration file, as they are sent."""
        document = configuration.document
        listed = listing(configuration.diagnostics, self.language)
        path = configuration.path
        uri = path.as_uri() if path is not None else ""
        snapshot = Snapshot(self.documents, uri, None, "toml", document)
        return JsonArray.of(convert.diagnostics(snapshot, listed, self.client))

    def _refreshed(self, snapshot: Snapshot, results: Results) -> None:
        """The results of a suite were computed again; notify the test tree, which shows them."""
        self.states.refreshed(snapshot, results)

    async def _send_results(self, uri: str, path: Path | None) -> None:
        """Send the results of a suite to a client with a test tree; with a path, read them from disk before."""
        if path is None:
            self.states.loaded(uri)
        else:
            await self.runs.stored.load(uri, path)

    def _results(self, snapshot: Snapshot) -> object:
        """A value that changes whenever the results of a document change."""
        return self.known.state(snapshot)

    def problems(self, snapshot: Snapshot) -> list["Diagnostic"]:
        """The diagnostics of a version of a suite."""
        return self.listed(snapshot).items

    def listed(self, snapshot: Snapshot, deferred: frozenset[Numbered] = frozenset()) -> JsonArray:
        """The same as they are sent, except the findings with the numbers in `deferred`."""
        results, shared = self.known.results(snapshot), self.known.shared(snapshot)
        named = self.known.taken_over.named_by_suite(snapshot) if results else ()
        ran = outcomes(snapshot.analysis, results, shared, named, passed=self.documents.settings.show_passed)
        outcome = JsonArray.of(convert.diagnostics(snapshot, ran, self.client))
        found = convert.findings(snapshot, deferred, self.client)
        error = self.index.unreadable.of(snapshot.path) if snapshot.path is not None else None
        if error is None:
            return JsonArray.joined((found, outcome))
        on_disk = convert.diagnostics(snapshot, [unreadable_entry(error, snapshot.text)], self.client)
        return JsonArray.joined((JsonArray.of(on_disk), found, outcome))

    def opened(self, params: Any) -> None:
        """A document was opened."""
        uri, kind, version, text = convert.opened(params)
        snapshot = self.documents.open(uri, kind, version, text, as_on_disk=self._is_on_disk(uri, text))
        self.deferral.forget(snapshot.uri)
        self.workspace_check.opened(snapshot.uri)
        self._edited(snapshot.uri)
        self.runs.stored.opened(snapshot)
        self.tree.edited(snapshot.uri)

    def changed(self, params: Any) -> None:
        """A document was edited."""
        uri, version = convert.uri(params), params["textDocument"].get("version")
        snapshot = self.documents.change(uri, version, convert.changes(params))
        if snapshot is None:
            log.warning("an edit of %s, which is not open", uri)
            return
        self.deferral.edited(snapshot)
        self._edited(uri)
        self.tree.edited(uri)

    def _is_on_disk(self, uri: str, text: str) -> bool:
        """Whether opening or closing a document changes nothing for other files. One that is reopened has changed."""
        again = self.documents.get(uri)
        return (again is None or again.text == text) and self.index.is_on_disk(uri, text)

    def _edited(self, uri: str) -> None:
        """A document has another text. Clients that pull diagnostics do so by themselves after an edit."""
        if not self.client.pulls_diagnostics:
            self.checks.schedule(uri)
        for other in self.documents.refresh_outdated():
            self.checks.schedule(other)
        self._check_closed_files()

    def _suites_discovered(self) -> None:
        """All suites are known: the diagnostics of open documents may have changed."""
        for other in dict.fromkeys((*self.documents.refresh_outdated(), *self._used_documents())):
            self.checks.schedule(other)
        # Closed files are about to be reported by the same check.
        self._checked_version = self.documents.project.version

    def _references_changed(self) -> None:
        """An open document has been analyzed: files that it uses may be checked now, or in another way."""
        with contextlib.suppress(RuntimeError):  # no client is connected
            asyncio.get_running_loop().call_soon(self._check_referenced)

    def _check_referenced(self) -> None:
        for other in dict.fromkeys((*self.documents.refresh_outdated(), *self._used_documents())):
            self.checks.schedule(other)
        self.workspace_check.changed(publishing=not self.client.pulls_diagnostics)

    def _used_documents(self) -> list[str]:
        """The open documents that are checked because others use them."""
        return [s.uri for s in self.documents.all() if self.documents.use_of(s) is not None]

    def _check_closed_files(self) -> None:
        """Check closed files again if one has changed that something depends on."""
        version = self.documents.project.version
        if version != self._checked_version:
            self._checked_version = version
            self.workspace_check.changed(publishing=not self.client.pulls_diagnostics)

    def closed_document(self, params: Any) -> None:
        """A document was closed."""
        uri = convert.uri(params)
        snapshot = self.documents.get(uri)
        self.documents.close(uri, as_on_disk=snapshot is not None and self._is_on_disk(uri, snapshot.text))
        self.checks.closed(convert.uri(params))
        self.deferral.forget(convert.uri(params))
        for other in self.documents.refresh_outdated():
            self.checks.schedule(other)
        self._checked_version = -1
        self._check_closed_files()

    def saved(self, params: Any) -> None:
        """A document was saved: its text is complete."""
        snapshot = self.documents.get(convert.uri(params))
        if snapshot is not None and self.deferral.numbers(snapshot):
            self.deferral.end()
            self.checks.schedule(snapshot.uri)
        self.files_changed([convert.uri(params)])

    def files_changed(self, uris: list[str]) -> None:
        """Files on disk have changed."""
        paths = [path for uri in uris if (path := path_of(uri)) is not None]
        self.index.files_changed(paths)
        for path in paths:  # the same text may be in another encoding now
            if (shown := self.documents.at(absolute(path))) is not None:
                self.checks.schedule(shown.uri)
        if any(uri.endswith(CONFIGURATION_FILES) for uri in uris):
            self.documents.invalidate_all()
            self.checks.schedule_all()
        for other in self.documents.refresh_outdated():
            self.checks.schedule(other)
        self._check_closed_files()
        results = {path for path in paths if path.parent.name == ".rubric" and path.name.startswith("results.db")}
        if results:
            self.runs.stored.files_changed(results)
        if len(results) < len(paths):
            self.runs.files_changed()

    async def closed(self) -> None:
        """The client has disconnected: end everything."""
        self.checks.stop()
        self.workspace_check.stop()
        await self.runs.stop()
        for task in self._kept:
            task.cancel()
        await asyncio.gather(*self._kept, return_exceptions=True)
