"""The current fingerprints of cases in the editor: a result with another one is stale."""

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rubric_core.language.model import Suite
from rubric_core.lazy_compilation import dataclass, field
from rubric_core.ports import Files
from rubric_core.validation.entry_lists import CaseEntry
from rubric_lsp.documents.open_documents import ClientWorkspace
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.running.run_files import case_file_texts, run_files

if TYPE_CHECKING:
    from rubric_core.evaluation.cases.runnable import Runnable
    from rubric_core.evaluation.targets.resolve import Targets

__all__ = ["CaseFingerprints"]


@dataclass
class _Loaded:
    """A suite with all its cases, as it was loaded from a snapshot and the files around it."""

    snapshot: Snapshot
    around: tuple[int, int]
    cases: "dict[str, Runnable]"
    files: Files
    known: dict[str, str] = field(default_factory=dict)


class CaseFingerprints:
    """Computes fingerprints from the files on disk, and targets from files and suites."""

    def __init__(self, documents: ClientWorkspace) -> None:
        self._documents = documents
        #: Increases with every change of a file that results may depend on.
        self.version = 0
        self._targets: dict[Path, tuple[int, Suite, Targets]] = {}
        #: The suites with cases elsewhere than in their own texts, by URI: each result of a run asks for one of their cases.
        self._loaded: dict[str, _Loaded] = {}

    def files_changed(self) -> None:
        """A file on disk has changed: every fingerprint may change."""
        self.version += 1
        self._loaded.clear()

    def of_cases(self, snapshot: Snapshot, path: Path, entries: Sequence[CaseEntry]) -> Iterable[tuple[str, str]]:
        """The fingerprints of cases of a suite, by id; of cases with the same id, that of the first."""
        from rubric_core.evaluation.cases.open_document_cases import placed_cases  # noqa: PLC0415  # what runs need is loaded when something was run
        from rubric_core.evaluation.engine.fingerprint import fingerprint  # noqa: PLC0415
        from rubric_lsp.running.selection import distinct  # noqa: PLC0415

        files = run_files(case_file_texts(snapshot, self._documents))
        cases = distinct(placed_cases(path, snapshot.analysis, entries))
        if any(case.is_serial for case in cases):
            yield from self.of_loaded_cases(snapshot, [case.id for case in cases]).items()
            return
        for runnable in cases:
            yield runnable.id, fingerprint(runnable, files, self._targets_for(runnable))

    def of_loaded_cases(self, snapshot: Snapshot, names: Collection[str]) -> dict[str, str]:
        """The current fingerprints of some of the cases that loading a suite gives; cases that no longer exist are left out."""
        from rubric_core.evaluation.engine.fingerprint import fingerprint  # noqa: PLC0415
        from rubric_lsp.running.selection import distinct, suite_of  # noqa: PLC0415

        around = (self.version, self._documents.project.version)
        loaded = self._loaded.get(snapshot.uri)
        if loaded is None or loaded.snapshot is not snapshot or loaded.around != around:
            cases = {case.id: case for case in distinct(suite_of(snapshot, self._documents).cases)}
            files = run_files(case_file_texts(snapshot, self._documents))
            loaded = self._loaded[snapshot.uri] = _Loaded(snapshot, around, cases, files)
        for name in names:
            case = loaded.cases.get(name)
            if case is not None and name not in loaded.known:
                loaded.known[name] = fingerprint(case, loaded.files, self._targets_for(case))
        return {name: loaded.known[name] for name in names if name in loaded.known}

    def _targets_for(self, runnable: "Runnable") -> "Targets":
        from rubric_core.disk import DiskFiles  # noqa: PLC0415
        from rubric_core.evaluation.cases.target_choice import targets_for, with_own_entries  # noqa: PLC0415

        # They depend on the suite, too: it may define targets.
        known = self._targets.get(runnable.path)
        if known is None or known[0] != self.version or known[1] is not runnable.suite:
            targets = targets_for(runnable, DiskFiles())
            known = self._targets[runnable.path] = (self.version, runnable.suite, targets)
        return with_own_entries(known[2], runnable)
