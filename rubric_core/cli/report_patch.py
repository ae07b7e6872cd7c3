"""Patches a stored report: only the files that changed, and what depends on them, are checked again."""

import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from rubric_core.analysis.file_uses import decides
from rubric_core.cli.check_inputs import CheckInputs, DiskTime, stamp_at
from rubric_core.cli.check_result import CheckedFile, Tally
from rubric_core.cli.dependencies import Fact, RecordingProject, checked_question
from rubric_core.cli.file_checker import FileChecker, FileSettings
from rubric_core.cli.input_collection import inputs_of
from rubric_core.cli.last_report import StoredReport
from rubric_core.cli.report_index import ReportIndex, StoredFile
from rubric_core.cli.serialize import loads, needs_text
from rubric_core.cli.sources import SourceCollector
from rubric_core.configuration.discovery import decides_for_folder
from rubric_core.disk import DiskFiles
from rubric_core.language.file_extensions import YAML
from rubric_core.language.file_kinds import FileKind
from rubric_core.loading.detect_file_kind import kind_by_name
from rubric_core.loading.files import UnreadableError
from rubric_core.syntax.blocks import Document
from rubric_core.user_dirs import cache_folder

__all__ = ["ReportPatch", "UnpatchableError"]

#: A check of more files than this is faster with all processors, and with what is cached.
_MOST = 48


class UnpatchableError(Exception):
    """Other files may be affected than those that are checked again: everything has to be looked at."""


class _Again(NamedTuple):
    """A file that was checked again."""

    result: CheckedFile
    facts: Sequence[Fact]


class _StoredProject(RecordingProject):
    """A project whose suites are those of a stored check; they are listed when somebody asks for them."""

    def __init__(self, index: ReportIndex, sources: SourceCollector) -> None:
        super().__init__(DiskFiles(), Path.cwd())
        self._index, self._sources = index, sources
        self._knows_suites = False

    def suites_below(self, folder: Path) -> tuple[Path, ...]:
        """See `Project.suites_below`."""
        if not self._knows_suites:
            self._knows_suites = True
            found = (Path(path) for _, path, is_found, *_ in self._index.files if is_found)
            suites = [path for path in found if kind_by_name(path) is not FileKind.TARGETS]
            self.register_suites(map(Path, self._sources.folders), suites)
        return super().suites_below(folder)


class ReportPatch:
    """A stored check in which a few files have changed since.

    It holds only where the change does not reach further than findings: the same files are found, each is used by
    others as before, and refers to the same files. All else raises UnpatchableError.
    """

    def __init__(self, stored: StoredReport, sources: SourceCollector, settings: FileSettings) -> None:
        """`sources` are those of the check, and were not searched yet. Raises UnpatchableError."""
        self._stored = stored
        self._sources = sources
        self._changed = stored.changed or frozenset()
        #: That of the stored check; files that are checked again get their new results in it.
        self.index = ReportIndex(*json.loads(stored.index_line))
        self._project = _StoredProject(self.index, sources)
        self._checker = FileChecker(*settings, self._project)
        self._facts: dict[int, Fact] = {}
        self._again: dict[int, _Again] = {}
        if self._changed:
            self._check()

    def _check(self) -> None:
        """Check again what changed, and what depends on it. Raises UnpatchableError."""
        numbers = sorted(self._affected())
        if len(numbers) > _MOST:
            raise UnpatchableError
        self._look_for_others()
        self._project.register_checks(self._is_checked)
        for number in numbers:
            self._again[number] = self._checked(number)

    def _affected(self) -> Iterator[int]:
        """The numbers of the files to check again."""
        by_path: dict[str, int] = {}
        here = os.getcwd()  # noqa: PTH109  # as the inputs are written
        for number, row in enumerate(self.index.files):
            shown, path = row[:2]
            by_path[path] = by_path[os.path.join(here, shown)] = number  # noqa: PTH118  # there are many
        numbers: set[int] = set()
        for path in self._changed:
            if decides_for_folder(path):
                raise UnpatchableError
            own, others = by_path.get(path), self.index.dependents.get(path, ())
            if own is None and not others and not path.lower().endswith(YAML):
                raise UnpatchableError
            numbers.update(others if own is None else (own, *others))
        return iter(numbers)

    def _look_for_others(self) -> None:
        """Compare which files are found beside the changed ones, since the content of a file may make it a suite."""
        folders = {os.path.dirname(path) for path in self._changed}  # noqa: PTH120  # as text
        before: dict[str, set[str]] = {folder: set() for folder in folders}
        for shown, path, is_found, _, named, *_ in self.index.files:
            folder = os.path.dirname(path)  # noqa: PTH120  # as text
            if folder in before and is_found and not named:
                before[folder].add(shown)
        for path in self._changed:
            if self._sources.beside(Path(path)) != before[os.path.dirname(path)]:  # noqa: PTH120  # as text
                raise UnpatchableError

    def _is_checked(self, path: Path, kind: FileKind, nested: bool) -> bool:  # a callback
        answer = self.index.checks.get(str(path), {}).get(checked_question(kind, nested=nested))
        if answer is None:
            raise UnpatchableError
        return answer

    def _checked(self, number: int) -> _Again:
        file = self.index.file(number)
        if not file.path:
            raise UnpatchableError
        source = file.source
        self._project.begin()
        try:
            result = self._checker.check(source)
        except UnreadableError:
            raise UnpatchableError from None
        facts = self._project.facts()
        self._facts.update(self._project.news())
        head = result.document.text if result.before is None else result.before
        kinds = (source.use.kind,) if source.use is not None else ()
        same_use = all(decides(kind, source.path, lambda: head) for kind in kinds) and not any(
            decides(kind, source.path, lambda: head) for kind in self.index.declines(number)
        )
        now = file.checked(result)
        if facts is None or not same_use or now.references != file.references:
            raise UnpatchableError
        self.index.files[number] = now
        return _Again(result, [self._facts[each] for each in facts])

    def files(self, wanted: Collection[int]) -> Iterator[CheckedFile]:
        """The results of files by their numbers, as stored or as they are now."""
        for number in wanted:
            again = self._again.get(number)
            yield again.result if again is not None else _loaded(self.index.file(number))

    def shown(self, *, everything: bool) -> list[int]:
        """The numbers of the files that were checked again, or have notes; with `everything`, of all with findings."""
        return [
            number
            for number, row in enumerate(self.index.files)
            if number in self._again or (row[-1] and (everything or not row[-2][0]))
        ]

    def others(self, shown: Collection[int]) -> Tally:
        """What all other files add to the result."""
        apart = set(shown)
        return Tally.total((Tally(), *(t for number, t in enumerate(self.index.tallies()) if number not in apart)))

    def inputs(self, since: DiskTime | None) -> tuple[CheckInputs, list[str]] | None:
        """What the check depends on now, with stamps; None if that is uncertain."""
        before = self._stored.inputs
        if not self._again:
            return before, self._stored.stamps
        sources = [self.index.file(number).source for number in self._again]
        for number, again in self._again.items():
            self.index.depend(number, again.facts)
        facts = {fact.path: fact for again in self._again.values() for fact in again.facts}
        settings = {self._checker.configuration(source).path for source in sources}
        folder = cache_folder(self._sources.names)
        root = None if folder is None else folder.parent.parent
        more = inputs_of(self._sources, sources, [path for path in settings if path is not None], facts.values(), root)
        if more is None or since is None:
            return None
        now = before.joined(more)
        known = dict(zip(before.paths(), self._stored.stamps, strict=True))
        return now, [*_stamps(now, known, self._changed, since)]


def _stamps(inputs: CheckInputs, known: Mapping[str, str], changed: Collection[str], since: DiskTime) -> Iterator[str]:
    """A stamp of each path: those `known` from before for what has not `changed`."""
    for path in inputs.paths():
        stamp = None if path in changed else known.get(path)
        yield stamp_at(path, since) if stamp is None else stamp


def _loaded(file: StoredFile) -> CheckedFile:
    """The result of a file as it was stored. Its text is read only if something of it is shown. Raises UnpatchableError."""
    if not file.row:
        return CheckedFile(file.shown, Document.of(""), (), is_suite=bool(file.tally.suites))
    bare = loads(file.row, "")
    try:
        return loads(file.row, file.source.read()) if needs_text(bare) else bare
    except UnreadableError:
        raise UnpatchableError from None
