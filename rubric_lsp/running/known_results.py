"""Known results of suites, no matter who ran them."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from rubric_core.language.file_kinds import RUNNABLE
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
    """The results of suites and of the files of cases that they take over.

    Args:
        host: The server.
        refreshed: Told when the results of a suite have been computed again.
    """

    def __init__(self, host: Host, refreshed: Callable[[Snapshot, Results], None]) -> None:
        self._host = host
        self.record = ResultRecord(host.documents, refreshed)
        self.taken_over = CaseFileResults(host, self.record)

    def results(self, snapshot: Snapshot) -> Results:
        """The results of a suite, or of a file of cases, as it stands; nothing runs a further YAML document of a file."""
        if snapshot.part_of is not None:
            return {}
        if self.state(snapshot) is None:
            return {}  # of which suite a file of cases is need not be known
        taken_over = self.taken_over.results(snapshot)
        return self.record.results(snapshot) if taken_over is None else taken_over

    def state(self, snapshot: Snapshot) -> object:
        """A value that changes whenever the results of a document change; None without results."""
        has = self.record.has(snapshot.uri) or self.taken_over.has_results(snapshot)
        return self.record.moment if has else None

    def shared(self, snapshot: Snapshot) -> "Sequence[Summary]":
        """What the cases of a suite made of the evaluators that it gives to all of them."""
        if snapshot.part_of is not None or not snapshot.is_ours or snapshot.analysis.kind not in RUNNABLE:
            return ()
        results = self.results(snapshot)
        others = partial(self.taken_over.cases, snapshot)
        return snapshot.kept.shared.of(snapshot.analysis, results, snapshot.path, others)

    def suite_at(self, snapshot: Snapshot) -> Snapshot:
        """What runs the cases of a document: a file of cases leads to the suite that takes it over, if that is known."""
        return self.taken_over.suite(snapshot) or snapshot

    def at(self, uri: str) -> Snapshot:
        """The suite as the editor shows it if it is open, or as it is on disk. Raises RequestFailedError."""
        path = path_of(uri)
        found = self._host.documents.get(uri) or (self._host.index.at(path) if path is not None else None)
        if found is None:
            raise RequestFailedError(INVALID_PARAMS, f"{uri} is not open, and cannot be read as a file")
        return found
