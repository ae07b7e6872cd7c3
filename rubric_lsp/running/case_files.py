"""Case files: results of their cases in the suites that include them."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rubric_core.language.file_kinds import FileKind
from rubric_core.lazy_compilation import replace
from rubric_core.loading.files import absolute
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.features.results import Results
from rubric_lsp.host import Host
from rubric_lsp.protocol.errors import RequestFailedError
from rubric_lsp.protocol.uris import path_of

if TYPE_CHECKING:
    from rubric_core.evaluation.cases.runnable import Runnable
    from rubric_lsp.running.result_record import ResultRecord

__all__ = ["CaseFileResults"]


class CaseFileResults:
    """Results for case files. A case in a file of its own is run by a suite, which has its result."""

    def __init__(self, host: Host, record: "ResultRecord") -> None:
        self._host = host
        self._record = record
        #: The cases by suite that are no entries of its text, with their inputs.
        self._cases: dict[str, tuple[Snapshot, int, Mapping[Path, Mapping[str, Runnable]]]] = {}

    def suite(self, snapshot: Snapshot) -> Snapshot | None:
        """The suite of a case file: the one that ran its cases last, else one that includes it.

        None for a suite itself, and if none is known.
        """
        if snapshot.path is None or not snapshot.is_ours or not _is_of_cases(snapshot.file_kind):
            return None
        path = absolute(snapshot.path)
        return next((suite for suite in self._known(snapshot, path) if path in suite.case_files), None)

    def _known(self, snapshot: Snapshot, path: Path) -> Iterator[Snapshot]:
        ran = sorted((known.summary for known in self._record.last(snapshot.uri).values()), key=lambda run: run.at)
        if ran and ran[-1].suite:
            suite = self._host.index.at(absolute(path.parent / ran[-1].suite))
            yield from [suite] if suite is not None else []
        yield from (s for s in self._host.documents.all() if s.is_ours and s.uri != snapshot.uri)
        yield from self._host.index.read_already()

    def has_results(self, snapshot: Snapshot) -> bool:
        """Whether a suite with results includes a file. Others are not read: a folder may hold thousands of suites."""
        ran = self._record.with_results
        if not ran or snapshot.path is None or not snapshot.is_ours or not _is_of_cases(snapshot.file_kind):
            return False
        path = absolute(snapshot.path)
        return any(path in suite.case_files for uri in ran if (suite := self._at(uri)) is not None)

    def _at(self, uri: str) -> Snapshot | None:
        path = path_of(uri)
        return self._host.documents.get(uri) or (self._host.index.at(path) if path is not None else None)

    def results(self, snapshot: Snapshot) -> Results | None:
        """The results of a case file; None if no suite is known that includes it."""
        suite = self.suite(snapshot)
        if suite is None or snapshot.path is None:
            return None
        known = self._record.results(suite)
        cases = self._cases_of(suite).get(absolute(snapshot.path), {}) if known else {}
        return {name: replace(known[name], taken_over=case) for name, case in cases.items() if name in known}

    def named_by_suite(self, snapshot: Snapshot) -> "Sequence[Runnable]":
        """The cases in a document as its suite loads them, if its entries do not tell them: of scenarios, tables, JSON, and files of other families."""
        suite = snapshot if snapshot.can_run else self.suite(snapshot)
        if snapshot.path is None or suite is None or not (_tells_no_cases(snapshot) or _shares_ids(snapshot, suite)):
            return ()
        return [*self._cases_of(suite).get(absolute(snapshot.path), {}).values()]

    def cases(self, suite: Snapshot) -> "Mapping[str, Runnable]":
        """The cases of a suite that are no entries of its text, by their ids."""
        return {name: case for behind in self._cases_of(suite).values() for name, case in behind.items()}

    def _cases_of(self, suite: Snapshot) -> "Mapping[Path, Mapping[str, Runnable]]":
        from rubric_lsp.running.selection import distinct, suite_of  # noqa: PLC0415  # what runs need is loaded when something was run

        documents = self._host.documents
        made = self._cases.get(suite.uri)
        if made is None or made[0] is not suite or made[1] != documents.project.version:
            found: dict[Path, dict[str, Runnable]] = {}
            try:
                every = distinct(suite_of(suite, documents).cases)
            except RequestFailedError:
                every = []
            own = {entry.name for entry in suite.analysis.cases} if suite.analysis.lists_more else None
            for case in every:
                if case.file is not None:
                    found.setdefault(absolute(case.file), {})[case.id] = case
                elif own is not None and case.id not in own and suite.path is not None:
                    found.setdefault(absolute(suite.path), {})[case.id] = case
            made = self._cases[suite.uri] = (suite, documents.project.version, found)
        return made[2]

    def files(self, uri: str) -> list[str]:
        """The open case files of a suite."""
        files = (s for s in self._host.documents.all() if s.analyzed and _is_of_cases(s.analysis.kind))
        return [file.uri for file in files if (suite := self.suite(file)) is not None and suite.uri == uri]


def _is_of_cases(kind: FileKind) -> bool:
    return kind.of_cases and not kind.is_defaults


def _shares_ids(snapshot: Snapshot, suite: Snapshot) -> bool:
    """Whether ids of a case file are taken by other cases of its suite, which gives these other names."""
    if suite is snapshot or snapshot.path is None:
        return False
    path, analysis = absolute(snapshot.path), suite.analysis
    others = {case.id for each in analysis.external for case in each.found.cases if case.path != path}
    others.update(entry.name for entry in analysis.cases)
    return any(entry.name in others for entry in snapshot.analysis.cases)


def _tells_no_cases(snapshot: Snapshot) -> bool:
    """Whether only the suite of a document, which may be the document itself, knows the names of all its cases."""
    if snapshot.file_kind.names_no_cases:
        return True
    if snapshot.can_run:
        return snapshot.analysis.lists_more
    return snapshot.is_ours and _is_of_cases(snapshot.file_kind) and not snapshot.analysis.cases
