"""Watches results on disk: stores new ones, and reads those of other processes."""

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.host import Host
from rubric_lsp.protocol.notices import WARNING
from rubric_lsp.protocol.uris import path_of
from rubric_lsp.running.known_results import KnownResults

if TYPE_CHECKING:
    from rubric_core.evaluation.model.result import CaseResult
    from rubric_core.evaluation.results.store import ResultStore
    from rubric_lsp.running.job import Job
    from rubric_lsp.running.selection import SelectedCases

__all__ = ["StoredResults"]

log = logging.getLogger("rubric")
#: Seconds between two looks at the files of results, for a client that watches no files.
_EVERY = 2.0
#: Seconds between a check and the first look at results. The check itself is over by then: it is done in one go.
_AFTER_CHECK = 0.02


class StoredResults:
    """Reads and writes `.rubric/results`.

    Args:
        host: The server.
        known: What is known of results.
        loaded: Told the URI of a suite whose results were read.
        changed: Told the URI of a suite of which something new is known.
    """

    def __init__(
        self, host: Host, known: KnownResults, loaded: Callable[[str], None], changed: Callable[[str], None]
    ) -> None:
        self._host, self._known, self._loaded, self._changed = host, known, loaded, changed
        self._record = known.record
        self._writing: dict[str, list[asyncio.Task[None]]] = {}
        #: One for what is being written: it knows the files of cases that have a part in it.
        self._stores: dict[str, ResultStore] = {}
        self._stamps: dict[str, tuple[int, ...]] = {}
        self._polling: asyncio.Task[None] | None = None

    # -- reading ------------------------------------------------------------------------------------------------------

    def opened(self, snapshot: Snapshot) -> None:
        """A suite was opened: it may have results from before."""
        if snapshot.path is not None and snapshot.is_ours and not self._record.is_known(snapshot.uri):
            self._host.keep(self._first_look(snapshot.uri, snapshot.path))

    async def _first_look(self, uri: str, path: Path) -> None:
        """Not before it is published what is wrong in the suite: what reads results has to be imported."""
        await asyncio.sleep(_AFTER_CHECK)
        await self.load(uri, path)
        if not self._host.client.registers_watchers and self._polling is None:
            self._polling = asyncio.get_running_loop().create_task(self._poll())

    async def load(self, uri: str, path: Path) -> None:
        """Take in what is on disk; of a file of cases, what the suite has that runs them."""
        if await self._record.load(uri, path):
            self._loaded(uri)
            self._changed(uri)
        snapshot = self._host.documents.get(uri)
        suite = self._known.taken_over.suite(snapshot) if snapshot is not None else None
        if suite is not None and suite.path is not None and not self._record.is_known(suite.uri):
            await self.load(suite.uri, suite.path)

    def files_changed(self, paths: set[Path]) -> None:
        """Files were written; those with results of a known suite are read."""
        from rubric_core.evaluation.results.store import results_path  # noqa: PLC0415

        for uri in self._record.known:
            path = path_of(uri)
            if path is not None and paths & set(_files(results_path(path))):
                self._host.keep(self.load(uri, path))

    async def _poll(self) -> None:
        """Look at the files of results of open suites now and then."""
        from rubric_core.evaluation.results.store import results_path  # noqa: PLC0415

        while True:
            for snapshot in self._host.documents.all():
                if snapshot.path is not None and self._record.is_known(snapshot.uri):
                    stamps = tuple(map(_stamp, _files(results_path(snapshot.path))))
                    if self._stamps.setdefault(snapshot.uri, stamps) != stamps:
                        self._stamps[snapshot.uri] = stamps
                        await self.load(snapshot.uri, snapshot.path)
            await asyncio.sleep(_EVERY)

    def stop(self) -> None:
        """Look at nothing more."""
        if self._polling is not None:
            self._polling.cancel()

    # -- writing ------------------------------------------------------------------------------------------------------

    def note(self, part: "SelectedCases", result: "CaseResult") -> None:
        """Keep a result at once: whoever is killed after this has not lost it."""
        from rubric_core.evaluation.results.store import ResultStore  # noqa: PLC0415

        store = self._stores.setdefault(part.uri, ResultStore.of(part.path))

        async def write() -> None:
            await asyncio.to_thread(store.note, result)

        self._writing.setdefault(part.uri, []).append(asyncio.get_running_loop().create_task(write()))

    async def settle(self, job: "Job") -> None:
        """Put the results and recordings of a run in their places; what could not be stored is said."""
        from rubric_core.evaluation.engine.run import save_recordings  # noqa: PLC0415

        for part in job.parts:
            noted = await asyncio.gather(*self._writing.pop(part.uri, []), return_exceptions=True)
            store = self._stores.pop(part.uri, None)
            failures = [error for error in noted if isinstance(error, BaseException)]
            if failures:
                lost = f"{len(failures)} of {len(noted)} results of {part.path.name} could not be stored"
                self._host.say(f"rubric: {lost}: {failures[0]}", WARNING)
            try:
                if store is not None:
                    await asyncio.to_thread(store.settle, part.path.name, part.dialect)
                if job.order.record:
                    await asyncio.to_thread(save_recordings, part.cases)
            except OSError as error:
                self._host.say(f"rubric: the results of {part.path.name} could not be stored: {error}", WARNING)


def _files(results: Path) -> tuple[Path, Path]:
    """The file of results, and the journal of a run that goes on."""
    return results, results.with_suffix(".jsonl")


def _stamp(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
