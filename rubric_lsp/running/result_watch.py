"""Watches stored results: reads those of earlier runs and of other processes."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.host import Host
from rubric_lsp.protocol.notices import WARNING
from rubric_lsp.protocol.uris import path_of
from rubric_lsp.running.known_results import KnownResults

__all__ = ["ResultWatch"]

#: Minimum seconds between two reads while others write: a run stores results faster than anybody can follow.
_PAUSE = 0.3
#: Seconds between two polls of databases, for a client that watches no files.
_EVERY = 5.0
#: Seconds between a check and the first read of results. The check, which is not interrupted, is over by then.
_AFTER_CHECK = 0.02


class ResultWatch:
    """Reads `.rubric/results.db`.

    Args:
        host: The server.
        known: The known results.
        loaded: Called with the URI of a suite whose results were read.
        changed: Called with the URI of a suite that has new results.
    """

    def __init__(
        self, host: Host, known: KnownResults, loaded: Callable[[str], None], changed: Callable[[str], None]
    ) -> None:
        self._host, self._known, self._loaded, self._changed = host, known, loaded, changed
        self._record = known.record
        self._stamps: dict[str, object] = {}
        #: Where the results of open suites are: to look it up takes ten times as long as a poll.
        self._databases: dict[str, Path] = {}
        self._polling: asyncio.Task[None] | None = None
        #: The suites whose results are being read, and those of them that have newer ones.
        self._following: set[str] = set()
        self._newer: set[str] = set()
        #: The reported reason why results cannot be read.
        self._said: set[str] = set()

    def opened(self, snapshot: Snapshot) -> None:
        """A suite was opened: it may have stored results."""
        self._databases.pop(snapshot.uri, None)
        if snapshot.path is not None and snapshot.is_ours and not self._record.is_known(snapshot.uri):
            self._host.keep(self._first_look(snapshot.uri, snapshot.path))

    async def _first_look(self, uri: str, path: Path) -> None:
        """Wait until the suite's diagnostics are published: reading results needs further imports."""
        await asyncio.sleep(_AFTER_CHECK)
        await self.load(uri, path)
        if not self._host.client.registers_watchers and self._polling is None:
            self._polling = asyncio.get_running_loop().create_task(self._poll())

    async def load(self, uri: str, path: Path) -> None:
        """Read the stored results; for a case file, those of the suite that includes it."""
        if await self._has_news(uri, path):
            self._loaded(uri)
            self._changed(uri)
        snapshot = self._host.documents.get(uri)
        suite = self._known.taken_over.suite(snapshot) if snapshot is not None else None
        if suite is not None and suite.path is not None and not self._record.is_known(suite.uri):
            await self.load(suite.uri, suite.path)

    async def _has_news(self, uri: str, path: Path) -> bool:
        try:
            return await self._record.load(uri, path)
        except OSError as error:
            if str(error) not in self._said:
                self._said.add(str(error))
                self._host.say(f"rubric: results of earlier runs are not shown: {error}", WARNING)
            return False

    def files_changed(self, paths: set[Path]) -> None:
        """Files were written; if databases are among them, new results of known suites are read."""
        from rubric_core.evaluation.results.database import ResultDatabase  # noqa: PLC0415

        for uri in self._record.known:
            path = path_of(uri)
            if path is not None and ResultDatabase.of(path).path.parent in {changed.parent for changed in paths}:
                self._host.keep(self._follow(uri, path))

    async def _follow(self, uri: str, path: Path) -> None:
        """Read new results: the first of many changes at once, the others together."""
        self._newer.add(uri)
        if uri in self._following:
            return
        self._following.add(uri)
        try:
            while uri in self._newer:
                self._newer.discard(uri)
                await self.load(uri, path)
                await asyncio.sleep(_PAUSE)
        finally:
            self._following.discard(uri)

    async def _poll(self) -> None:
        """Check the databases of open suites regularly."""
        from rubric_core.evaluation.results.database import ResultDatabase  # noqa: PLC0415
        from rubric_core.evaluation.results.store_stamp import stamp_of  # noqa: PLC0415

        while True:
            for snapshot in self._host.documents.all():
                if snapshot.path is not None and self._record.is_known(snapshot.uri):
                    if snapshot.uri not in self._databases:
                        self._databases[snapshot.uri] = ResultDatabase.of(snapshot.path).path
                    stamp = stamp_of(self._databases[snapshot.uri])
                    if self._stamps.setdefault(snapshot.uri, stamp) != stamp:
                        self._stamps[snapshot.uri] = stamp
                        await self.load(snapshot.uri, snapshot.path)
            await asyncio.sleep(_EVERY)

    def stop(self) -> None:
        """Stop watching."""
        if self._polling is not None:
            self._polling.cancel()
