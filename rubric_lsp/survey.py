"""Every file of the open folders that has to do with suites, those that are not open included, and what is wrong with each."""

import asyncio
import hashlib
import json
import logging
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rubric_core.configuration import Configuration
from rubric_core.language.around import FileKind
from rubric_core.language.usage import Counts
from rubric_core.loading.kind import kind_by_name
from rubric_lsp.around import MOST_SUITES, Around
from rubric_lsp.progress import Progress, ProgressBoard
from rubric_lsp.snapshot import Snapshot
from rubric_lsp.uris import path_of
from rubric_lsp.workspace import Workspace

__all__ = ["Report", "Survey", "configuration_report", "digest"]

log = logging.getLogger("rubric")
Json = dict[str, Any]
#: Seconds without a further change after which files that are not open are looked at again.
_IDLE = 0.5
#: Seconds after which a person is told that something is going on.
_LONG = 1.0
_BESIDE = frozenset({
    FileKind.TARGETS, FileKind.CONFIG, FileKind.CASES, FileKind.TEMPLATE, FileKind.DEFAULTS, FileKind.DEFAULT_TEST, FileKind.DATASET,
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Report:
    """What is wrong with one file."""

    uri: str
    version: int | None
    items: list[Json]
    #: Whether the client has the file open.
    is_open: bool = False


def digest(items: list[Json]) -> str:
    """A name for a list of diagnostics; equal names mean equal lists."""
    return hashlib.blake2b(json.dumps(items, sort_keys=True).encode(), digest_size=12).hexdigest()


class Survey:
    """Looks at all of them, and for clients that do not pull, publishes what it finds in files that are not open.

    Args:
        documents: What is open.
        around: The other files.
        found: Everything there is to say about one file.
        configured: Everything there is to say about a configuration file.
        publish: Sends a publication.
        board: Shows a survey that takes long.
        learnt: Called when there are other suites than were known before.
    """

    def __init__(
        self,
        documents: Workspace,
        around: Around,
        found: Callable[[Snapshot], list[Json]],
        configured: Callable[[Configuration], list[Json]],
        publish: Callable[[Json], None],
        board: ProgressBoard,
        learnt: Callable[[], None],
    ) -> None:
        self._documents = documents
        self._around = around
        self._found = found
        self._configured = configured
        self._publish = publish
        self.board = board
        self._learnt = learnt
        #: Whether a survey that takes long can be shown.
        self.shown = False
        self._sent: dict[str, list[Json]] = {}
        self._waiting: asyncio.TimerHandle | None = None
        self._under_way: asyncio.Task[None] | None = None
        self._news = asyncio.Event()

    # -- looking --------------------------------------------------------------------------------------------------------

    async def reports(self, *, opened: bool = True) -> AsyncIterator[Report]:
        """Every file, those that are open first, if they are wanted; other requests are answered between two files."""
        everything = self._documents.settings.check_workspace
        beside: set[Path] = set()
        seen: set[str] = set()
        configurations: dict[Path, Configuration] = {}
        prompts: dict[Path, str] = {}
        usage = Counts()
        async for snapshot in self._around.suites(everywhere=everything):
            seen.add(snapshot.uri)
            configuration = self._documents.configuration(snapshot.path)
            if configuration.path is not None:
                configurations[configuration.path] = configuration
            try:
                if opened or self._documents.get(snapshot.uri) is None:
                    yield self._report(snapshot)
                usage.update(snapshot.usage)
                if everything:
                    beside |= set(_beside(snapshot))
                    prompts |= _prompts(snapshot)
            except Exception:
                log.exception("checking %s failed", snapshot.uri)
        self._documents.usage = usage
        self._know(seen, beside, prompts)
        for path in sorted(beside):
            other = self._around.at(path)
            if other is not None and other.uri not in seen:
                yield self._report(other)
                await asyncio.sleep(0)
        for path, configuration in configurations.items():
            yield configuration_report(path, self._configured(configuration))

    def _know(self, suites: Collection[str], beside: Iterable[Path], prompts: dict[Path, str]) -> None:
        """Say which files could name a target: with all of them known, one can be named by none; and which are prompts."""
        other_prompts = prompts != self._documents.prompts
        self._documents.prompts = prompts
        folders: list[Path] = []
        if self._documents.settings.check_workspace and len(suites) < MOST_SUITES:
            folders = [path for uri in self._documents.folders if (path := path_of(uri)) is not None]
        files = {*beside, *(path for uri in suites if (path := path_of(uri)) is not None)}
        if self._around.project.knows(folders, sorted(f for f in files if kind_by_name(f) is not FileKind.TARGETS)):
            other_prompts = True
        if other_prompts:
            self._learnt()

    def _report(self, snapshot: Snapshot) -> Report:
        items = self._found(snapshot) if snapshot.is_ours or snapshot.version is None else []
        return Report(snapshot.uri, snapshot.version, items, self._documents.get(snapshot.uri) is not None)

    # -- waiting --------------------------------------------------------------------------------------------------------

    @property
    def news(self) -> asyncio.Event:
        """What is set by the next change. Taken before looking, so that a change meanwhile is not missed."""
        return self._news

    def changed(self, *, publishing: bool) -> None:
        """Something has changed; `publishing` for a client that does not ask."""
        self._news.set()
        self._news = asyncio.Event()
        if self._waiting is not None:
            self._waiting.cancel()
        self._waiting = asyncio.get_running_loop().call_later(_IDLE, self._begin, publishing)

    def stop(self) -> None:
        """Look at nothing more."""
        for each in (self._waiting, self._under_way):
            if each is not None:
                each.cancel()

    # -- publishing -----------------------------------------------------------------------------------------------------

    def _begin(self, publishing: bool) -> None:
        self._waiting = None
        if self._under_way is not None:
            self._under_way.cancel()
        self._under_way = asyncio.get_running_loop().create_task(self._look(publishing=publishing))

    async def _look(self, *, publishing: bool) -> None:
        """Look at everything; what a client asks for by itself depends on it, too."""
        known: dict[str, list[Json]] = {}
        progress: Progress | None = None
        begun = time.monotonic()
        try:
            async for report in self.reports(opened=False):
                if publishing and not report.is_open:
                    known[report.uri] = report.items
                    self._send(report)
                if progress is None and self.shown and time.monotonic() - begun > _LONG:
                    progress = await self.board.begin("Checking suites", self._cancel, shown=True)
                if progress is not None:
                    progress.report(f"{len(known)} files", 0)
            for uri in [u for u in self._sent if u not in known]:
                self._send(Report(uri, None, []))
                del self._sent[uri]
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

    def _send(self, report: Report) -> None:
        if self._documents.get(report.uri) is not None:
            # It was opened meanwhile: what is said about it comes with its version.
            self._sent.pop(report.uri, None)
        elif self._sent.get(report.uri, []) != report.items:
            self._sent[report.uri] = report.items
            self._publish({"uri": report.uri, "diagnostics": report.items})

    def opened(self, uri: str) -> None:
        """A document was opened: what is published of it comes from the editor's text now."""
        self._sent.pop(uri, None)


def _beside(snapshot: Snapshot) -> Iterator[Path]:
    """The files of our own kinds on which a suite depends."""
    known = snapshot.known
    if known is not None:
        yield from known.case_files
        yield from (p for p in known.depends_on if kind_by_name(p) in _BESIDE)


def _prompts(snapshot: Snapshot) -> dict[Path, str]:
    """The prompts that a suite names, with its dialect."""
    known = snapshot.known
    found = known.refers_to.items() if known is not None else ()
    return {path: snapshot.analysis.dialect.name for path, kind in found if kind is FileKind.PROMPT}


def configuration_report(path: Path, items: list[Json]) -> Report:
    """What is wrong with a configuration file."""
    return Report(path.as_uri(), None, items)
