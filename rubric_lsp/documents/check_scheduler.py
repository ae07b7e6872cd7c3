"""Schedules checks of documents, and decides which findings are published.

A check starts at once if the server is idle; changes during a check lead to one further check. Findings of an outdated
version are dropped, and unchanged ones are not sent again. Deferred findings are published when the user pauses, with
the same version.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from rubric_lsp.documents.deferral import Deferral
from rubric_lsp.documents.open_documents import ClientWorkspace
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.features.deferred_findings import Numbered
from rubric_lsp.protocol.json_array import JsonArray

if TYPE_CHECKING:
    from rubric_lsp.protocol.wire_types.diagnostics import PublishDiagnosticsParams

__all__ = ["CheckScheduler"]

log = logging.getLogger("rubric")
#: The largest difference in seconds between two system clocks.
_A_TICK = 0.005
Publication = tuple[int | None, JsonArray]


class CheckScheduler:
    """Checks documents and publishes what is found.

    Args:
        workspace: The open documents.
        found: Everything to publish about a document, except the findings with these numbers.
        publish: Sends a publication.
        deferral: Decides which findings are deferred.
    """

    #: Called instead of a check for clients that pull diagnostics, when there are new ones.
    pulled: Callable[[], None] | None = None

    def __init__(
        self,
        workspace: ClientWorkspace,
        found: Callable[[Snapshot, frozenset[Numbered]], JsonArray],
        publish: Callable[["PublishDiagnosticsParams"], None],
        deferral: Deferral,
    ) -> None:
        self._workspace = workspace
        self._found = found
        self._publish = publish
        self._deferral = deferral
        #: When the deferred findings of documents are published.
        self._waiting: dict[str, asyncio.TimerHandle] = {}
        self._due: dict[str, asyncio.Task[None]] = {}
        #: Checks that have started and not published yet.
        self._begun = 0
        #: Set while no check is scheduled or running.
        self._over = asyncio.Event()
        self._over.set()
        self._sent: dict[str, Publication] = {}

    def schedule(self, uri: str) -> None:
        """Schedule a check: a document, or something that is published with it, has changed."""
        if self.pulled is not None:
            self.pulled()
        elif uri not in self._due:
            self._over.clear()
            self._due[uri] = asyncio.get_running_loop().create_task(self._check(uri))
            self._due[uri].add_done_callback(self._ended)

    def _ended(self, _: "asyncio.Task[None]") -> None:
        if not (self._due or self._begun):
            self._over.set()

    async def over(self) -> None:
        """Wait until no check of an open document is scheduled or running."""
        await self._over.wait()

    def schedule_all(self) -> None:
        """Schedule a check of every document."""
        for snapshot in self._workspace.all():
            self.schedule(snapshot.uri)

    def closed(self, uri: str) -> None:
        """A document was closed: clear its diagnostics."""
        self._wait_no_more(uri)
        sent = self._sent.pop(uri, None)
        if sent is not None and sent[1]:
            self._publish({"uri": uri, "diagnostics": []})

    def stop(self) -> None:
        """Stop checking."""
        for task in self._due.values():
            task.cancel()
        for wait in self._waiting.values():
            wait.cancel()

    def _wait_no_more(self, uri: str) -> None:
        if uri in self._waiting:
            self._waiting.pop(uri).cancel()

    async def _check(self, uri: str) -> None:
        self._due.pop(uri, None)
        snapshot = self._workspace.get(uri)
        if snapshot is None:
            return
        self._begun += 1
        try:
            if snapshot.is_ours:
                _ = snapshot.analysis
                # A request right after the edit needs only the analysis: it goes first.
                await asyncio.sleep(0)
                await asyncio.sleep(0)
            if self._workspace.is_newest(snapshot):
                self._send(snapshot)
        except Exception:
            log.exception("checking %s (version %s) failed", uri, snapshot.version)
        finally:
            self._begun -= 1

    def _send(self, snapshot: Snapshot) -> None:
        deferred = self._deferral.numbers(snapshot) if snapshot.is_ours else frozenset[Numbered]()
        self._wait_no_more(snapshot.uri)
        if deferred:
            wait = asyncio.get_running_loop().call_later
            self._waiting[snapshot.uri] = wait(
                max(0.0, self._deferral.remaining) + _A_TICK, self.schedule, snapshot.uri
            )
        found = self._found(snapshot, deferred) if snapshot.is_ours else JsonArray()
        publication = (snapshot.version, found)
        if self._sent.get(snapshot.uri) == publication:
            return
        self._sent[snapshot.uri] = publication
        told: PublishDiagnosticsParams = {"uri": snapshot.uri, "diagnostics": found}
        if snapshot.version is not None:
            told["version"] = snapshot.version
        self._publish(told)
