"""What runs have given, by suite and case, and whether it still holds for the text as it stands."""

import asyncio
import contextlib
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rubric_core.language.model import Case, Suite
from rubric_core.validation.rule import CaseEntry
from rubric_lsp.features.results import Results, Shown
from rubric_lsp.workspace import Snapshot

if TYPE_CHECKING:
    from rubric_core.evaluation.result import CaseResult
    from rubric_core.evaluation.runnable import Runnable
    from rubric_core.evaluation.targets import Targets

__all__ = ["Record"]

log = logging.getLogger("rubric")


@dataclass(slots=True)
class _Case:
    """What is known of one case."""

    result: "CaseResult | None" = None
    history: tuple[str, ...] = ()
    running: str = ""
    # The fingerprint of the case as it stands, with what it was worked out from.
    case: Case | None = None
    suite: Suite | None = None
    files: int = -1
    fingerprint: str = ""


class Record:
    """The results of every suite of the conversation."""

    def __init__(self) -> None:
        self._suites: dict[str, dict[str, _Case]] = {}
        self._shown: dict[str, tuple[Snapshot, int, int, Results]] = {}
        #: Grows with every change of a result, and with every change of a file that results may depend on.
        self._changes = 0
        self._files = 0
        self._targets: dict[Path, tuple[int, Suite, Targets]] = {}

    def files_changed(self) -> None:
        """Something on disk has changed: what depends on files may be stale."""
        self._files += 1

    def results(self, snapshot: Snapshot) -> Results:
        """What is known of the cases of a suite as it stands."""
        cases = self._suites.get(snapshot.uri)
        if not cases:
            return {}
        made = self._shown.get(snapshot.uri)
        if made is None or made[0] is not snapshot or made[1:3] != (self._changes, self._files):
            self._refresh(snapshot, cases)
            shown = {
                name: self._shown_case(case) for name, case in cases.items() if case.result is not None or case.running
            }
            made = self._shown[snapshot.uri] = (snapshot, self._changes, self._files, shown)
        return made[3]

    @staticmethod
    def _shown_case(case: _Case) -> Shown:
        stale = case.result is not None and case.fingerprint != case.result.fingerprint
        return Shown(case.result, stale, case.running, case.history)

    def _refresh(self, snapshot: Snapshot, cases: dict[str, _Case]) -> None:
        """Work out fingerprints where case, suite or files have changed since the last time."""
        analysis = snapshot.analysis
        changed: dict[str, CaseEntry] = {}
        for entry in analysis.cases:
            name = entry.case.id or ""
            known = cases.get(name)
            if known is None or known.result is None or name in changed:
                continue
            if known.case is not entry.case or known.suite is not analysis.suite or known.files != self._files:
                known.case, known.suite, known.files = entry.case, analysis.suite, self._files
                changed[name] = entry
        if changed and snapshot.path is not None:
            for name, fingerprint in self._fingerprints(snapshot, snapshot.path, list(changed.values())):
                cases[name].fingerprint = fingerprint

    def _fingerprints(self, snapshot: Snapshot, path: Path, entries: Sequence[CaseEntry]) -> Iterable[tuple[str, str]]:
        from rubric_core.adapters import DiskFiles  # noqa: PLC0415  # what runs need is loaded when something was run
        from rubric_core.evaluation.fingerprint import fingerprint  # noqa: PLC0415
        from rubric_core.evaluation.runnable import runnables  # noqa: PLC0415

        files = DiskFiles()
        for runnable in runnables(path, snapshot.analysis, entries=entries):
            yield runnable.id, fingerprint(runnable, files, self._targets_for(runnable))

    def _targets_for(self, runnable: "Runnable") -> "Targets":
        from rubric_core.adapters import DiskFiles  # noqa: PLC0415
        from rubric_core.evaluation.targets import targets_for  # noqa: PLC0415

        # They depend on the suite, too: targets may stand in it.
        known = self._targets.get(runnable.path)
        if known is None or known[0] != self._files or known[1] is not runnable.suite:
            targets = targets_for(runnable, DiskFiles())
            known = self._targets[runnable.path] = (self._files, runnable.suite, targets)
        return known[2]

    # -- what runs tell -----------------------------------------------------------------------------------------------

    def _case(self, uri: str, name: str) -> _Case:
        return self._suites.setdefault(uri, {}).setdefault(name, _Case())

    def running(self, uri: str, name: str, words: str) -> None:
        """A case is being run; no words when it is not any more."""
        self._case(uri, name).running = words
        self._changes += 1

    def done(self, uri: str, result: "CaseResult") -> None:
        """A case has a result."""
        case = self._case(uri, result.id)
        case.result, case.running = result, ""
        case.history = (*case.history, result.verdict.value)[-50:]
        # Files may have changed while it ran.
        self._files += 1
        self._changes += 1

    def clear(self, uri: str) -> None:
        """Forget the results of a suite, but not what is running."""
        cases = self._suites.pop(uri, {})
        self._suites[uri] = {name: _Case(running=case.running) for name, case in cases.items() if case.running}
        self._changes += 1

    def is_known(self, uri: str) -> bool:
        """Whether results of this suite have been looked for."""
        return uri in self._suites

    async def load(self, uri: str, path: Path) -> bool:
        """Look for results of earlier conversations and of the command line; whether there were any."""
        self._suites.setdefault(uri, {})
        stored = await asyncio.to_thread(_read, path)
        for name, (result, history) in stored.items():
            case = self._case(uri, name)
            if case.result is None:
                case.result, case.history = result, history
        self._changes += 1
        return bool(stored)

    async def keep(self, path: Path, results: list["CaseResult"]) -> None:
        """Keep results for the next conversation, and for the command line."""
        from rubric_core.evaluation.store import ResultStore  # noqa: PLC0415

        try:
            await asyncio.to_thread(ResultStore.of(path).add, results, path.name, results[0].dialect)
        except OSError as error:
            log.warning("results are not kept: %s", error)


def _read(path: Path) -> dict[str, tuple["CaseResult", tuple[str, ...]]]:
    from rubric_core.evaluation.store import ResultStore  # noqa: PLC0415

    stored: dict[str, Any] = {}
    with contextlib.suppress(OSError):
        for name, case in ResultStore.of(path).read().items():
            verdicts = (str(row.get("verdict", "unscored")) for row in case.history)
            stored[name] = (replace(case.latest), tuple(verdicts))
    return stored
