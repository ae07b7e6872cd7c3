"""The cases of a command or request, as they are in the editor. Imported when something is run."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rubric_core.cached_properties import cached_property
from rubric_core.evaluation.cases.invalid_entries import trouble_with_path
from rubric_core.evaluation.cases.load import LoadedSuite, NoSuiteError, suite_in
from rubric_core.evaluation.cases.options import Options
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.scenarios import with_every_row
from rubric_core.evaluation.cases.target_choice import targets_for
from rubric_core.evaluation.cases.turns import turns_of
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.case_order import with_dependencies
from rubric_core.evaluation.engine.fingerprint import files_of
from rubric_core.lazy_compilation import replace
from rubric_core.loading.files import UnreadableError, absolute, read_text
from rubric_lsp.documents.open_documents import ClientWorkspace
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.features.explorer_items import evaluator_names
from rubric_lsp.features.results import Results, ShownCase
from rubric_lsp.protocol.errors import INVALID_PARAMS, RequestFailedError
from rubric_lsp.running.run_files import case_file_texts, run_files
from rubric_lsp.running.run_request import CaseSelection, RunRequest

__all__ = ["SelectedCases", "case_named", "distinct", "select_cases", "suite_of", "unsaved"]


@dataclass(frozen=True)
class SelectedCases:
    """The cases of one suite in a run."""

    uri: str
    path: Path
    cases: tuple[Runnable, ...]
    dialect: str
    #: The evaluator that runs by itself, with its number from 1.
    evaluator: str = ""
    number: int = 0
    #: Whether the suite has other cases to run.
    partial: bool = False
    #: The texts of its case files that are open.
    texts: Mapping[Path, str] = field(default_factory=dict)

    @cached_property
    def _by_id(self) -> Mapping[str, Runnable]:
        return {case.id: case for case in reversed(self.cases)}

    def case(self, name: str) -> Runnable | None:
        """The first case with this id, or None."""
        return self._by_id.get(name)

    @property
    def place(self) -> int:
        """The number of that evaluator among the results of its case, from 1: turns come first."""
        return len(turns_of(self.cases[0].case)) + self.number


def distinct(cases: Iterable[Runnable]) -> list[Runnable]:
    """Each case once, for all of its variations and rows of scenarios; of other cases with the same id, the first."""
    found: dict[str, list[Runnable]] = {}
    for case in cases:
        found.setdefault(case.id, []).append(case)
    return [with_every_row(each) for each in found.values()]


def suite_of(snapshot: Snapshot, documents: ClientWorkspace, options: Options | None = None) -> LoadedSuite:
    """A suite with all its cases, from the editor. Raises RequestFailedError."""
    path = snapshot.path
    if path is None:
        raise RequestFailedError(INVALID_PARAMS, "save the suite first: paths in it are relative to its folder")

    def read(file: Path) -> str:
        text = documents.text_at(absolute(file))
        return read_text(file) if text is None else text

    files = run_files(case_file_texts(snapshot, documents))
    try:
        return suite_in(path, snapshot.analysis, documents.project, read, options, files)
    except NoSuiteError as error:
        raise RequestFailedError(INVALID_PARAMS, str(error)) from None


def case_named(snapshot: Snapshot, documents: ClientWorkspace, name: str) -> Runnable:
    """A case of a suite. Raises RequestFailedError if it does not exist."""
    for case in distinct(suite_of(snapshot, documents).cases):
        if case.id == name:
            return case
    raise RequestFailedError(INVALID_PARAMS, f"the suite has no case with the id {name}")


def select_cases(
    order: RunRequest,
    documents: ClientWorkspace,
    at: Callable[[str], Snapshot],
    known: Callable[[Snapshot], Results],
) -> list[SelectedCases]:
    """The cases that a request selects.

    Args:
        order: The request.
        documents: The open documents.
        at: Gives a suite by its URI. Raises RequestFailedError.
        known: Gives the results of a suite.

    Raises RequestFailedError for a case that does not exist, and if there is nothing to run; but it is fine if no case
    lacks a pass.
    """
    parts = [part for wanted in order.wanted for part in _parts(order, wanted, at(wanted.uri), documents, known)]
    if not parts and not order.lacking:
        raise RequestFailedError(INVALID_PARAMS, _why_nothing_runs(order))
    return parts


def _why_nothing_runs(order: RunRequest) -> str:
    if order.failed:
        return "no case failed in its last run"
    if order.unscored:
        return "every case that ran has a verdict"
    if order.outdated:
        return "no case has changed since it ran last"
    return "there is no case to run"


def _parts(
    order: RunRequest,
    wanted: CaseSelection,
    snapshot: Snapshot,
    documents: ClientWorkspace,
    known: Callable[[Snapshot], Results],
) -> Iterator[SelectedCases]:
    options = Options(mode="record" if order.record else "auto", repeat=order.repeat)
    suite = suite_of(snapshot, documents, options)
    every = distinct(suite.cases)
    if wanted.names is None:
        cases = _in_range(suite)
        by_id = {case.id: case for case in cases}
        every = [by_id.get(case.id, case) for case in every]
    else:
        cases = _named(wanted.names, every, suite.path.name)
    if order.by_results:
        results = known(snapshot)
        cases = [c for c in cases if _is_wanted(order, results.get(c.id, ShownCase()))]
    cases = [case for case in cases if case.id not in wanted.excluded]
    dialect, texts = snapshot.analysis.dialect.name, case_file_texts(snapshot, documents)
    if wanted.evaluator:
        for case in cases:
            yield replace(_single_case(wanted, case, suite.path, dialect), texts=texts)
    elif cases:
        chosen = {case.id for case in cases}
        needed = [c for c in with_dependencies(cases, every) if c.id in chosen or c.id not in wanted.excluded]
        yield SelectedCases(
            wanted.uri, suite.path, tuple(needed), dialect, partial=_is_partial(suite, needed), texts=texts
        )


def _named(names: Sequence[str], every: Sequence[Runnable], suite: str) -> list[Runnable]:
    """The cases with these ids, or variations with them. Raises RequestFailedError if there is none with one of them."""
    by_id = {case.id: case for case in every}
    rows: dict[str, Runnable] = {}
    if not by_id.keys() >= set(names):
        # The only variation of a case may have its id: then the case counts.
        rows = {row.id: case if row.rows_belong_together else row for case in every for row in variations(case)}
    found = [by_id.get(name) or rows.get(name) for name in names]
    if None in found:
        # A file of cases with a mistake in it has none until it is mended, while the editor still shows them.
        empty = [f"no cases were loaded from {each.id}: {why}" for each in every if (why := trouble_with_path(each))]
        words = [f"{suite} has no case with the id {names[found.index(None)]}", *empty]
        raise RequestFailedError(INVALID_PARAMS, "; ".join(words))
    return [case for case in found if case is not None]


def _is_wanted(order: RunRequest, shown: ShownCase) -> bool:
    if order.outdated:
        return shown.stale
    result = shown.summary
    if order.lacking:
        return result is None or shown.stale or not result.is_sound_pass
    if result is None or result.is_sound_pass:
        return False
    return order.unscored if result.lacks_a_verdict else order.failed


def _in_range(suite: LoadedSuite) -> list[Runnable]:
    try:
        return distinct(suite.in_range)
    except NoSuiteError as error:
        raise RequestFailedError(INVALID_PARAMS, str(error)) from None


def _is_partial(suite: LoadedSuite, chosen: Sequence[Runnable]) -> bool:
    names = {case.id for case in chosen}
    try:
        return any(case.id not in names for case in suite.in_range)
    except NoSuiteError:  # its range is invalid, and cases were named
        return True


def _single_case(wanted: CaseSelection, case: Runnable, path: Path, dialect: str) -> SelectedCases:
    names = evaluator_names(case)
    if wanted.evaluator not in names:
        raise RequestFailedError(
            INVALID_PARAMS, f"{case.id} has no evaluator {wanted.evaluator}; it has {', '.join(names)}"
        )
    number = names.index(wanted.evaluator) + 1
    alone = replace(case, options=replace(case.options, evaluator=number))
    return SelectedCases(wanted.uri, path, (alone,), dialect, wanted.evaluator, number, partial=True)


def unsaved(parts: Sequence[SelectedCases], documents: ClientWorkspace) -> list[Path]:
    """The files that a run reads from disk although the editor has unsaved changes."""
    found: dict[Path, None] = {}
    for part in parts:
        files = run_files(part.texts)
        targets = targets_for(part.cases[0], files)
        named = [path for case in part.cases for path in files_of(case, files, targets)]
        named += [targets.file.path] if targets.file is not None else []
        for path in map(absolute, named):
            text = documents.text_at(path)
            if text is not None and path not in part.texts and text != _on_disk(path):
                found[path] = None
    return list(found)


def _on_disk(path: Path) -> str | None:
    try:
        return read_text(path)
    except UnreadableError:
        return None
