"""Results by suite and case, and whether they are stale for the current text."""

import asyncio
from collections.abc import Callable, Collection, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rubric_core.language.model import Case
from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import dataclass, field, replace
from rubric_core.validation.entry_lists import CaseEntry
from rubric_lsp.documents.open_documents import ClientWorkspace
from rubric_lsp.documents.project_index import YieldPoints
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.features.results import Results, ShownCase
from rubric_lsp.running.case_fingerprints import CaseFingerprints
from rubric_lsp.running.cleared_results import ClearedResults, is_newer

if TYPE_CHECKING:
    from rubric_core.evaluation.model.result import CaseResult, EvaluatorResult
    from rubric_core.evaluation.results.database import LatestSince, ReadMark
    from rubric_core.evaluation.results.known_case import KnownCase

__all__ = ["ResultRecord"]

#: How many fingerprints are computed before yielding: about 5 ms.
_AT_ONCE = 50


@dataclass(slots=True)
class _Case:
    """The results of one case."""

    last: "KnownCase | None" = None
    running: str = ""
    # Evaluators with newer results, and the fingerprint of the case when they ran by themselves.
    newer: "dict[int, EvaluatorResult]" = field(default_factory=dict)
    newer_for: str = ""
    # The current fingerprint of the case, with its inputs.
    case: Case | None = None
    suite: Shape | None = None
    files: object = None
    fingerprint: str = ""


class _Held(NamedTuple):
    """A fingerprint, and its inputs."""

    case: Case | None
    suite: Shape | None
    files: object
    fingerprint: str


#: For a case whose fingerprint is computed when its result is requested.
_NOT_HELD = _Held(None, None, None, "")


class ResultRecord:
    """The results of every suite for this client.

    Args:
        documents: The open documents.
        refreshed: Called when the results of a suite have been compared again.
    """

    def __init__(self, documents: ClientWorkspace, refreshed: Callable[[Snapshot, Results], None]) -> None:
        self._documents = documents
        self._refreshed = refreshed
        self._suites: dict[str, dict[str, _Case]] = {}
        #: Results that the user has cleared. They stay on disk, for others.
        self._cleared: dict[str, ClearedResults] = {}
        #: How far the stored results of each suite have been read.
        self._marks: dict[str, ReadMark] = {}
        self._shown: dict[str, tuple[Snapshot, int, object, Results]] = {}
        #: Increases with every change of a result.
        self._changes = 0
        self._fingerprints = CaseFingerprints(documents)
        #: The previous cases of each suite, with their names.
        self._entries: dict[str, tuple[CaseEntry, ...]] = {}

    def files_changed(self) -> None:
        """Something on disk has changed, or a run is over, whose programs may have changed files: results may be stale."""
        self._fingerprints.files_changed()

    def results(self, snapshot: Snapshot) -> Results:
        """The results of the cases of the current suite."""
        cases = self._suites.get(snapshot.uri)
        if not cases:
            return {}
        made = self._shown.get(snapshot.uri)
        if made is None or made[0] is not snapshot or made[1:3] != (self._changes, self._around):
            self._follow(snapshot, cases)
            self._refresh(snapshot, cases)
            known = ((name, case) for name, case in cases.items() if case.last or case.running or case.newer)
            made = self._shown[snapshot.uri] = (
                snapshot, self._changes, self._around, {name: self._shown_case(case) for name, case in known},
            )  # fmt: skip
            self._refreshed(snapshot, made[3])
        return made[3]

    def has(self, uri: str) -> bool:
        """Whether a document has any results."""
        return bool(self._suites.get(uri))

    @property
    def with_results(self) -> list[str]:
        """The URIs of the documents with results."""
        return [uri for uri, cases in self._suites.items() if cases]

    @property
    def moment(self) -> object:
        """A value that changes whenever a result changes, or its validity."""
        return (self._changes, *self._around)

    @property
    def _around(self) -> tuple[int, int]:
        """A value that changes with every file that results may depend on, on disk or in the editor."""
        return self._fingerprints.version, self._documents.project.version

    @staticmethod
    def _shown_case(case: _Case) -> ShownCase:
        stale = case.last is not None and (case.fingerprint != case.last.summary.fingerprint or not case.last.is_own)
        newer = case.newer if case.running or case.newer_for == case.fingerprint else {}
        return ShownCase(case.last, stale, case.running, dict(newer))

    def _follow(self, snapshot: Snapshot, cases: dict[str, _Case]) -> None:
        """Keep the results of cases that an edit renamed: without an id, a case is named by its line, or by its variables.

        With an id that another case takes above it, it gets another name, and its result is that of the other one from now on.
        """
        now = snapshot.analysis.cases
        before = self._entries.get(snapshot.uri, now)
        self._entries[snapshot.uri] = now
        if now is before:
            return
        known = {entry.case: entry.name for entry in before}
        renamed = {known[e.case]: e.name for e in now if known.get(e.case, e.name) != e.name and not e.case.id}
        if not renamed and len(before) == len(now):  # the only case that was edited itself
            changed = [(old.name, new.name) for old, new in zip(before, now, strict=True) if old.name != new.name]
            if len(changed) == 1 and changed[0][1] not in cases and changed[0][0] not in {e.name for e in now}:
                renamed = dict(changed)
        moved = {new: cases.pop(old) for old, new in renamed.items() if old in cases and not cases[old].running}
        cases.update(moved)

    def _refresh(self, snapshot: Snapshot, cases: dict[str, _Case]) -> None:
        """Compute fingerprints again if the case, the suite or files have changed."""
        analysis = snapshot.analysis
        changed: dict[str, CaseEntry] = {}
        seen: set[str] = set()
        for entry in analysis.cases:
            name = entry.name
            known = cases.get(name)
            if known is None or (known.last is None and not known.newer) or name in seen:
                continue
            seen.add(name)  # of cases with the same id, the results belong to the first
            if (
                known.case is not entry.case
                or known.suite is not analysis.settings
                or known.files != self._fingerprints.version
            ):
                known.case, known.suite, known.files = entry.case, analysis.settings, self._fingerprints.version
                changed[name] = entry
        if snapshot.path is None:
            return
        if analysis.included or analysis.lists_more:
            own = {entry.name for entry in analysis.cases}
            others = {n: c for n, c in cases.items() if c.last is not None and (c.last.summary.file or n not in own)}
            self._refresh_others(snapshot, others)
        if changed:
            for name, fingerprint in self._fingerprints.of_cases(snapshot, snapshot.path, list(changed.values())):
                cases[name].fingerprint = fingerprint

    def _refresh_others(self, snapshot: Snapshot, cases: Mapping[str, _Case]) -> None:
        """The same for cases that are no entries of the suite's text: of other files and of scenarios."""
        suite, around = snapshot.analysis.settings, self._around
        changed = {name: c for name, c in cases.items() if c.suite is not suite or c.files != around}
        if not changed:
            return
        now = self._fingerprints.of_loaded_cases(snapshot, changed)
        for name, known in changed.items():
            known.suite, known.files = suite, around
            known.fingerprint = now.get(name, "")

    # -- what runs tell -----------------------------------------------------------------------------------------------

    def _case(self, uri: str, name: str) -> _Case:
        return self._suites.setdefault(uri, {}).setdefault(name, _Case())

    def running(self, uri: str, name: str, words: str) -> None:
        """A case is running; without words, it stopped without a result."""
        case = self._case(uri, name)
        if not words or not case.running:
            case.newer, case.newer_for = {}, ""
        case.running = words
        self._changes += 1

    def part(self, uri: str, name: str, number: int, result: "EvaluatorResult") -> None:
        """An evaluator or turn of a running case has a new result; `number` is its index in the result, from 1."""
        self._case(uri, name).newer[number] = result
        self._changes += 1

    def done(self, uri: str, result: "CaseResult") -> None:
        """A case has a result."""
        from rubric_core.evaluation.results.known_case import KnownCase  # noqa: PLC0415  # what runs need is loaded when something was run

        case = self._case(uri, result.id)
        kept = replace(result, runs=())
        case.last = case.last.followed_by(kept) if case.last is not None else KnownCase.of(kept)
        case.running, case.files = "", None
        case.newer, case.newer_for = {}, ""
        self._changes += 1

    def done_alone(self, uri: str, name: str, number: int, result: "EvaluatorResult", fingerprint: str) -> None:
        """An evaluator was run by itself: its result counts until the case changes or runs as a whole."""
        case = self._case(uri, name)
        case.running, case.newer, case.newer_for, case.files = "", {number: result}, fingerprint, None
        self._changes += 1

    def last(self, uri: str) -> "Mapping[str, KnownCase]":
        """The last result of each case of a suite, stale or not."""
        return {name: case.last for name, case in self._suites.get(uri, {}).items() if case.last is not None}

    def clear(self, uri: str) -> None:
        """Forget the results of a suite, except the progress of runs."""
        seen = {name: known.summary for name, known in self.last(uri).items()}
        self._cleared[uri] = ClearedResults(datetime.now(tz=timezone.utc).replace(microsecond=0), seen)
        cases = self._suites.pop(uri, {})
        self._suites[uri] = {name: _Case(running=case.running) for name, case in cases.items() if case.running}
        self._changes += 1

    # -- the disk -----------------------------------------------------------------------------------------------------

    def is_known(self, uri: str) -> bool:
        """Whether the stored results of this suite were read."""
        return uri in self._suites

    @property
    def known(self) -> list[str]:
        """The URIs of the suites whose stored results were read."""
        return list(self._suites)

    async def load(self, uri: str, path: Path) -> bool:
        """Read the results of earlier sessions and of the command line from the store; returns whether any are new.

        After the first time, only new results are read. Raises OSError.
        """
        self._suites.setdefault(uri, {})
        with self._documents.gc.busy():  # twenty thousand results are a million objects, none of them garbage
            stored = await asyncio.to_thread(_read, path, self._marks.get(uri))
            fresh = {name: found for name, found in stored.known.items() if self._is_news(uri, name, found)}
            held = await self._worked_out(uri, fresh)
        news = False
        for name, found in fresh.items():
            if not self._is_news(uri, name, found):
                continue  # it ran meanwhile, or the user has cleared it
            case = self._case(uri, name)
            case.last, case.newer, news = found, {}, True
            case.case, case.suite, case.files, case.fingerprint = held.get(name, _NOT_HELD)
        self._marks[uri] = stored.mark
        self._changes += news
        return news

    def _is_news(self, uri: str, name: str, found: "KnownCase") -> bool:
        """Whether a stored result is to be shown, and is later than the known one."""
        cleared, known = self._cleared.get(uri), self._suites.get(uri, {}).get(name)
        if cleared is not None and cleared.hides(name, found.summary):
            return False
        return known is None or known.last is None or is_newer(found.summary, known.last.summary)

    async def _worked_out(self, uri: str, names: Collection[str]) -> dict[str, _Held]:
        """The fingerprints of some cases of an open suite, computed a few at a time to yield to other requests.

        Later changes do not count here: they are compared when the results are requested.
        """
        snapshot = self._documents.get(uri)
        if not names or snapshot is None or snapshot.path is None or not snapshot.analyzed:
            return {}
        entries: dict[str, CaseEntry] = {}
        for entry in snapshot.analysis.cases:
            if entry.name in names:
                entries.setdefault(entry.name, entry)
        held: dict[str, _Held] = {}
        wanted, breaks = list(entries.values()), YieldPoints()
        for first in range(0, len(wanted), _AT_ONCE):
            files, suite = self._fingerprints.version, snapshot.analysis.settings
            for name, made in self._fingerprints.of_cases(snapshot, snapshot.path, wanted[first : first + _AT_ONCE]):
                held[name] = _Held(entries[name].case, suite, files, made)
            await breaks.due()
        return held


def _read(path: Path, mark: "ReadMark | None") -> "LatestSince":
    from rubric_core.evaluation.results.database import ResultDatabase  # noqa: PLC0415

    return ResultDatabase.of(path).latest_since(path, mark)
