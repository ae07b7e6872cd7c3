"""Known results of suites, whoever ran them."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.features.results import Results
from rubric_lsp.host import Host
from rubric_lsp.protocol.errors import INVALID_PARAMS, RequestFailedError
from rubric_lsp.protocol.uris import path_of
from rubric_lsp.running.case_files import CaseFileResults
from rubric_lsp.running.result_record import ResultRecord

if TYPE_CHECKING:
    from rubric_core.evaluation.reporting.summary import Summary

__all__ = ["KnownResults"]


class KnownResults:
    """The results of suites and of their case files.

    Args:
        host: The server.
        refreshed: Called when the results of a suite have been compared again.
    """

    def __init__(self, host: Host, refreshed: Callable[[Snapshot, Results], None]) -> None:
        self._host = host
        self.record = ResultRecord(host.documents, refreshed)
        self.taken_over = CaseFileResults(host, self.record)

    def results(self, snapshot: Snapshot) -> Results:
        """The current results of a suite or case file; further YAML documents of a file have none."""
        if snapshot.part_of is not None:
            return {}
        if self.state(snapshot) is None:
            return {}  # the suite of a case file may be unknown
        taken_over = self.taken_over.results(snapshot)
        return self.record.results(snapshot) if taken_over is None else taken_over

    def state(self, snapshot: Snapshot) -> object:
        """A value that changes whenever the results of a document change; None without results."""
        has = self.record.has(snapshot.uri) or self.taken_over.has_results(snapshot)
        return self.record.moment if has else None

    def shared(self, snapshot: Snapshot) -> "Sequence[Summary]":
        """The summaries of a suite's evaluators over its cases."""
        if snapshot.part_of is not None or not snapshot.is_ours or not snapshot.analysis.kind.is_root:
            return ()
        results = self.results(snapshot)
        others = partial(self.taken_over.cases, snapshot)
        return snapshot.kept.shared.of(snapshot.analysis, results, snapshot.path, others)

    def suite_at(self, snapshot: Snapshot) -> Snapshot:
        """The suite that runs the cases of a document: for a case file, the one that includes it, if known."""
        return self.taken_over.suite(snapshot) or snapshot

    def at(self, uri: str) -> Snapshot:
        """The suite in the editor if it is open, else on disk. Raises RequestFailedError."""
        path = path_of(uri)
        found = self._host.documents.get(uri) or (self._host.index.at(path) if path is not None else None)
        if found is None:
            raise RequestFailedError(INVALID_PARAMS, f"{uri} is not open, and cannot be read as a file")
        return found
