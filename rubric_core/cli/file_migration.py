"""Migrates files in memory: selects them, and gives their new texts and what is left to the author."""

import argparse
import asyncio
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from rubric_core.analysis import Analysis, Language, analyze
from rubric_core.analysis.file_uses import FileUse
from rubric_core.cli.sources import Source, SourceCollector
from rubric_core.configuration import Configurations
from rubric_core.configuration.discovery import Discovery
from rubric_core.disk import DiskFiles
from rubric_core.family import family_named
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.file_kinds import FileKind
from rubric_core.lazy_compilation import dataclass, replace
from rubric_core.loading.directory_search import find_file
from rubric_core.loading.files import UnreadableError, read_text
from rubric_core.loading.project import Project
from rubric_core.loading.target_files import find_targets
from rubric_core.migration import MigratedText, MigrationNote, NotMigratableError, Reader, migrate
from rubric_core.text import LineIndex

if TYPE_CHECKING:
    from rubric_core.evaluation.engine.rekey_recordings import RekeyedRecordings

__all__ = ["MigratedFile", "MigrationRun"]

_TAKEN_OVER = frozenset({FileKind.CASES, FileKind.CASE, FileKind.DATASET, FileKind.TEMPLATE})
_USUAL_TARGETS = DIALECTS[0].properties.targets_file
#: From the oldest to the newest.
_NAMES = tuple(dialect.name for dialect in DIALECTS)


@dataclass(frozen=True, slots=True)
class MigratedFile:
    """One file before and after."""

    shown: str
    path: Path
    source: str
    before: str
    after: MigratedText
    #: Its old text.
    analysis: Analysis
    #: Its path in the newer dialect.
    home: Path
    #: The recordings for the new text; a message if they cannot be read.
    recordings: "RekeyedRecordings | str | None" = None

    @property
    def refers_to(self) -> Mapping[Path, FileKind]:
        """The files that it refers to, with their kinds."""
        return self.analysis.refers_to

    @property
    def changed(self) -> bool:
        """Whether its text or its path changes."""
        return self.after.text != self.before or self.home != self.path


class MigrationRun:
    """Finds the files and migrates them, in memory."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._language = Language()
        self._configurations = Configurations(self._language)
        self._files = DiskFiles()
        self._project = Project(self._files, Path.cwd())
        self.failures: list[str] = []
        #: The files that are left alone, with reasons.
        self.passed: list[str] = []
        #: See `SourceCollector.left_alone`.
        self.left_alone: list[str] = []
        #: The named files of other families, for each of which a suite is to be written, with the family.
        self.foreign: list[tuple[Source, str]] = []

    def outcomes(self) -> Iterator[MigratedFile]:
        """Every readable file, once; targets files after the suites that use them."""
        sources = SourceCollector(
            self._options.paths, Discovery(self._configurations), None, around=False, recognised=False
        )
        found = list(sources.found())
        self.failures += sources.failures
        self.left_alone = sources.left_alone
        seen = {source.path for source in found}
        #: Files around suites rarely name their dialect: it is that of the first suite that uses them.
        around: dict[Path, tuple[str, FileKind | None]] = {}
        done: list[MigratedFile] = []
        for source in found:
            outcome = self._attempt(source.shown, source, None)
            if outcome is not None:
                done.append(outcome)
                for path, kind in self._around(source.path, outcome):
                    if path not in seen:
                        around.setdefault(path, (outcome.source, kind))
        for path, (dialect, kind) in around.items():
            outcome = self._attempt(_relative(path), Source(str(path), path, use=_use(kind)), dialect)
            if outcome is not None:
                done.append(outcome)
        carried = {outcome.path: outcome.after.text for outcome in done}
        yield from (replace(o, after=self._without(o, carried), recordings=self._recordings(o, carried)) for o in done)

    def _around(self, path: Path, outcome: "MigratedFile") -> Iterator[tuple[Path, FileKind | None]]:
        """The files that are migrated along with a suite."""
        if self._options.targets or self._options.around:
            targets = find_targets(path.parent, self._files, Path.cwd())
            if targets is not None:
                yield targets, FileKind.TARGETS
        if self._options.around:
            yield from (
                (f, kind) for f, kind in outcome.refers_to.items() if kind not in (FileKind.SUITE, FileKind.TABLE)
            )

    def _without(self, outcome: "MigratedFile", carried: Collection[Path]) -> MigratedText:
        """What is left to the author, except what is done in a file that is migrated along."""
        left = [n for n in outcome.after.notes if not n.file or not self._settled(n.file, outcome, carried)]
        behind = self._left_behind(outcome, carried)
        return MigratedText(outcome.after.text, tuple(sorted([*left, *behind], key=lambda n: (n.offset, n.words))))

    def _left_behind(self, outcome: "MigratedFile", carried: Collection[Path]) -> Iterator[MigrationNote]:
        """Included case files and templates that are not in the suite's new dialect."""
        written = {file: each.text for each in outcome.analysis.external for file in each.found.files}
        for file, kind in outcome.refers_to.items():
            if kind not in _TAKEN_OVER or file in carried:
                continue
            source = Source(str(file), file, use=_use(kind))
            other = self._attempt(_relative(file), source, outcome.source)
            if other is not None and other.changed:
                names = (written.get(file, file.name), file.stem)
                at = next((at for name in names if (at := outcome.after.text.find(name)) >= 0), 0)
                yield MigrationNote(
                    at, f"{file.name} is still {outcome.source}: migrate it too, for example with --around"
                )

    def _settled(self, file: str, outcome: "MigratedFile", carried: Collection[Path]) -> bool:
        if file == ".":
            return outcome.home != outcome.path
        found = find_file(file, outcome.path.parent, self._files, Path.cwd())
        return found is not None and found in carried

    def _attempt(self, shown: str, source: Source, dialect: str | None) -> MigratedFile | None:
        try:
            return self._migrated(shown, source, dialect)
        except UnreadableError as error:
            self.failures.append(str(error))
        return None

    def _migrated(self, shown: str, source: Source, dialect: str | None) -> MigratedFile | None:
        text = source.read()
        analysis = self._analysis(source, text, dialect)
        name = analysis.choice.name
        if analysis.kind.is_recognised and "migration" in family_named(analysis.kind.family).parts:
            if not source.named or self._options.to != _NAMES[-1]:
                words = f"this is {analysis.kind.value}: only `--to {_NAMES[-1]}` writes a suite for it"
                self.passed.append(f"{shown}: {words}")
            else:
                self.foreign.append((source, analysis.kind.family))
            return None
        if analysis.kind is FileKind.DEFAULTS or name not in _NAMES:  # no older dialect has the defaults
            self.passed.append(f"{shown}: this is {analysis.kind.value}, which is not migrated")
            return None
        if _NAMES.index(name) > _NAMES.index(self._options.to):
            self.passed.append(f"{shown}: this is already {name}, because {analysis.choice.reason}")
            return None
        try:
            made = migrate(
                text, name, self._options.to, kind=analysis.kind, read=self._reader(source.path), path=source.path
            )
        except NotMigratableError as error:
            line = LineIndex(text).line_of(error.offset) + 1
            self.failures.append(f"{shown}:{line}: {error}; fix this first")
            return None
        home = self._home(source.path) if analysis.kind is FileKind.TARGETS else source.path
        return MigratedFile(shown, source.path, name, text, made, analysis, home)

    def _home(self, path: Path) -> Path:
        """The new path of a targets file, if renaming is allowed and the path is free."""
        name = self._language.dialect(self._options.to).properties.targets_file
        if not self._options.rename or path.stem != "targets" or name == _USUAL_TARGETS:
            return path
        home = path.with_name(name)
        return path if home.exists() else home

    def _recordings(self, outcome: MigratedFile, texts: Mapping[Path, str]) -> "RekeyedRecordings | str | None":
        """The recordings beside a suite: most suites have none, and reading them needs slow imports."""
        path, before, text = outcome.path, outcome.analysis, outcome.after.text
        untouched = text == outcome.before and not any(file in texts for file in outcome.refers_to)
        if before.kind is not FileKind.SUITE or untouched or not any(path.parent.glob("*.recordings.yaml")):
            return None
        from rubric_core.evaluation.engine.rekey_recordings import rekey_recordings  # noqa: PLC0415
        from rubric_core.evaluation.judging.recording_file import RecordingsError  # noqa: PLC0415

        document = self._language.document(text, path)
        after = analyze(document, self._language, dialect=self._options.to, path=path, project=self._project)
        try:
            return asyncio.run(rekey_recordings(path, before, after, self._project, texts))
        except (RecordingsError, OSError) as error:
            return str(error)

    def _analysis(self, source: Source, text: str, dialect: str | None) -> Analysis:
        asked = self._options.source or dialect or self._configurations.for_file(source.path).dialect
        return analyze(
            self._language.document(text, source.path),
            self._language,
            dialect=asked,
            path=source.path,
            kind=source.use.kind if source.use is not None else None,
            project=self._project,
        )

    def _reader(self, path: Path) -> Reader:
        """A function that gives the text of files that the file at `path` refers to."""

        def read(name: str) -> str | None:
            found = find_file(name, path.parent, self._files, Path.cwd())
            try:
                return read_text(found) if found is not None else None
            except UnreadableError:
                return None

        return read


def _relative(path: Path) -> str:
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def _use(kind: FileKind | None) -> FileUse | None:
    return FileUse(kind) if kind is not None else None
