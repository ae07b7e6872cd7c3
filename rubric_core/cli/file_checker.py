"""Checks files with the options of the command line and their configurations."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from rubric_core.analysis import Analysis, Language, analyze
from rubric_core.analysis.file_uses import references_of
from rubric_core.analysis.repetitions import Key, repetition_key
from rubric_core.cli.check_result import CheckedFile
from rubric_core.cli.sources import Source, SourceCollector
from rubric_core.configuration import CONFIGURATION_FILES, DEFAULT, Configuration, Configurations
from rubric_core.disk import DiskFiles
from rubric_core.fixing import FixedText, Gate, apply_safe_fixes, safe_fix
from rubric_core.language.file_extensions import CODE
from rubric_core.language.file_kinds import FileKind
from rubric_core.lazy_compilation import dataclass, replace
from rubric_core.loading.detect_file_kind import kind_by_name
from rubric_core.loading.files import UnreadableError
from rubric_core.loading.project import Project
from rubric_core.validation.rule import Diagnostic
from rubric_core.validation.selection import Selection

__all__ = ["CheckOptions", "FileChecker", "FileSettings"]

_FOREIGN = (
    "not checked, because it does not look like eval YAML; a first line `# rubric: dialect=…` or `include` in the "
    "configuration makes it count as a suite"
)

_RESULTS = "not checked, because it holds results of a run"

_UNUSED = "not checked, because no suite or configuration here uses this file"

_TABLE = "not checked, because no configuration of promptfoo in this folder or above names this table"

_TABLE_OF_SUITE = "not checked by itself: its mistakes are reported in the suite that names it"


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """Options of the command line, which take precedence over a configuration."""

    dialect: str | None = None
    select: frozenset[str] | None = None
    ignore: frozenset[str] = frozenset()
    #: Make safe fixes, in memory.
    fix: bool = False


class FileSettings(NamedTuple):
    """What the checks of all files have in common."""

    language: Language
    configurations: Configurations
    wishes: CheckOptions


class FileChecker:
    """Checks files one after another."""

    def __init__(
        self, language: Language, configurations: Configurations, wishes: CheckOptions, project: Project | None = None
    ) -> None:
        """`project` has the files that suites refer to; by default those on disk."""
        self._language = language
        self._configurations = configurations
        self._wishes = wishes
        # Files are only looked up, never run.
        self.project = Project(DiskFiles(), Path.cwd()) if project is None else project
        #: By folder: a configuration is searched in every parent folder.
        self._of_folders: dict[Path, Configuration] = {}

    def register(self, sources: SourceCollector, found: Iterable[Source]) -> None:
        """Register the files of a check: all suites of its folders, and which other files it checks by themselves."""
        suites = {s.path for s in found if kind_by_name(s.path) is not FileKind.TARGETS}.union(sources.around.suites)
        self.project.register_suites((*map(Path, sources.folders), *sources.around.folders), suites)
        self.project.register_checks(sources.checks)

    def changed(self, paths: Iterable[Path]) -> None:
        """Drop what is cached about changed, created or deleted files."""
        self._of_folders.clear()
        self.project.changed(paths)

    def configuration(self, source: Source) -> Configuration:
        """The configuration that applies to a file."""
        here = source.path.parent
        found = self._of_folders.get(here)
        if found is not None:
            return found
        passed = []
        for folder in chain((here,), here.parents):
            found = self._of_folders.get(folder)
            if found is not None:
                break
            passed.append(folder)
            found = self._configurations.in_folder(folder)
            if found is not None:
                break
        self._of_folders.update(dict.fromkeys(passed, found or DEFAULT))
        return found or DEFAULT

    def attempt(self, source: Source) -> CheckedFile | str:
        """The result for a file, or the reason why it cannot be read."""
        try:
            return self.check(source)
        except UnreadableError as error:
            return str(error)

    def check(self, source: Source) -> CheckedFile:
        """Check a file. Raises UnreadableError."""
        text = source.read()
        if source.path.name in CONFIGURATION_FILES:
            own = self._configurations.at(source.path)
            return (
                _checked_configuration(own, source.shown)
                if own
                else CheckedFile(source.shown, self._language.document(text), (), is_suite=False)
            )
        first = self.analysis(source, text)
        if reason := self._reason_to_pass_over(source, first):
            return CheckedFile(source.shown, first.document, (), is_suite=False, passed_over=reason)
        fixes = self._wishes.fix and source.may_be_fixed
        done = apply_safe_fixes(first) if fixes else FixedText(first)
        last = done.analysis
        return CheckedFile(
            source.shown,
            last.document,
            _listed(last),
            last.ignored,
            text if fixes else None,
            done.count,
            is_suite=last.kind is FileKind.SUITE,
            references=references_of(last),
            depends_on=last.depends_on,
        )

    def _reason_to_pass_over(self, source: Source, found: Analysis) -> str:
        """Why a file is not checked; empty if it is. Files in folders were found as eval YAML, others are referred to.

        A suite finds its targets file by its name alone, which other programs use as well.
        """
        if found.kind is FileKind.TABLE:
            return _TABLE if source.use is None else _TABLE_OF_SUITE
        if source.place is None or self.configuration(source).includes(source.path):
            return ""
        if source.use is not None:
            is_foreign = source.use.kind is FileKind.TARGETS and found.is_eval_yaml(source.path) is False
            return _FOREIGN if is_foreign else ""
        if not source.named:
            return ""
        suffix = source.path.suffix.lower()
        if found.kind is FileKind.PROMPT or suffix in CODE:
            return _UNUSED
        is_eval = found.is_eval_yaml(source.path)
        if found.kind is FileKind.DATASET:
            return _RESULTS if is_eval is False else ""
        return _FOREIGN if is_eval is False or (is_eval is None and suffix == ".json") else ""

    def analysis(self, source: Source, text: str) -> Analysis:
        """The analysis of a text at its place, with the settings that apply there."""
        configuration = self.configuration(source)
        use = source.use
        kind = use.kind if use is not None else None
        dialect = (use and use.dialect) or self._wishes.dialect or configuration.dialect
        selection = self._selection(configuration, source.path)
        return analyze(
            self._language.document(text, source.place, kind),
            self._language,
            dialect=dialect,
            selection=selection,
            path=source.place,
            kind=kind,
            siblings=use.siblings if use is not None else None,
            defined_names=use.defined_names if use is not None else None,
            project=self.project,
        )

    def configurations(self, sources: Collection[Source]) -> Iterator[CheckedFile]:
        """Every configuration with mistakes that applies to one of the files."""
        named = {s.path for s in sources}
        one_a_folder = {s.path.parent: s for s in sources}.values()
        faulty = {c.path: c for c in map(self.configuration, one_a_folder) if c.diagnostics and c.path is not None}
        for path in sorted(faulty.keys() - named):
            yield _checked_configuration(faulty[path], _relative(path))

    def _selection(self, configuration: Configuration, path: Path) -> Selection:
        own = configuration.selection(path)
        chosen = self._wishes.select
        if chosen is None:
            return replace(own, ignore=own.ignore | self._wishes.ignore) if self._wishes.ignore else own
        # Codes that the user selects are shown, whatever the configuration turns off.
        severity = {code: level for code, level in own.severity.items() if level != "off"}
        return Selection(chosen, self._wishes.ignore, severity)


def _listed(analysis: Analysis) -> tuple[Diagnostic, ...]:
    """The findings as they are shown, with only those fixes that hold up."""
    gate = Gate(analysis)
    fixable, untried = Counter[Key | None](), Counter[Key | None]()
    for each in gate.passed(analysis.diagnostics):
        fixable[repetition_key(each)] += bool(safe_fix(each))
        untried[repetition_key(each)] += each.untried

    def counted(shown: Diagnostic) -> Diagnostic:
        if not shown.more:
            return shown
        key = repetition_key(shown)
        return replace(shown, more_fixable=fixable[key] - bool(safe_fix(shown)), untried=untried[key])

    return tuple(map(counted, gate.passed(analysis.listed.placed(analysis.document))))


def _checked_configuration(configuration: Configuration, shown: str) -> CheckedFile:
    return CheckedFile(shown, configuration.document, configuration.diagnostics, is_suite=False)


def _relative(path: Path) -> str:
    """The path relative to the current folder, if that does not go up."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
