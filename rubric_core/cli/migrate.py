"""`rubric migrate --to DIALECT PATH…`: carries suites, and the files around them, to a newer dialect."""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rubric_core.analysis import Analysis, Language, analyze
from rubric_core.cli.difference import difference
from rubric_core.cli.sources import STANDARD_INPUT, Source, Sources
from rubric_core.cli.style import Style
from rubric_core.configuration import Configurations
from rubric_core.configuration.discovery import Discovery
from rubric_core.disk import DiskFiles
from rubric_core.language.around import FileKind
from rubric_core.language.dialects import DIALECTS
from rubric_core.loading.files import UnreadableError, read_text
from rubric_core.loading.search import find_file
from rubric_core.loading.targets import find_targets
from rubric_core.migration import Migrated, NotMigratableError, Reader, migrate
from rubric_core.text import LineIndex
from rubric_core.validation.words import count

__all__ = ["add_arguments", "main"]

DONE, WOULD_CHANGE, FAILED = 0, 1, 2
_KINDS = frozenset({FileKind.SUITE, FileKind.CASES, FileKind.TARGETS, FileKind.TEMPLATE})
_NAMES = tuple(dialect.name for dialect in DIALECTS)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `rubric migrate`."""
    parser.epilog = (
        "What cannot be carried over stays as it is and is listed with its line. "
        "Exit code: 0 done, 1 --check and something would change, 2 wrong use or unreadable input."
    )
    add = parser.add_argument
    add(
        "paths",
        nargs="+",
        metavar="PATH",
        help="a suite, a targets file, a file of cases, or a folder to look for suites in",
    )
    add("--to", required=True, choices=_NAMES, metavar="DIALECT", help=f"the dialect to write: {', '.join(_NAMES[1:])}")
    add(
        "--from",
        dest="source",
        choices=_NAMES,
        metavar="DIALECT",
        help="the dialect of files that do not name one themselves (default: detected)",
    )
    add("--targets", action="store_true", help="carry the targets file of every suite along")
    add("--check", action="store_true", help="show what would change as a diff, and change nothing")


@dataclass(frozen=True, slots=True)
class _Outcome:
    """One file before and after."""

    shown: str
    path: Path
    source: str
    before: str
    after: Migrated

    @property
    def changed(self) -> bool:
        return self.after.text != self.before


def main(options: argparse.Namespace) -> int:
    """Migrate everything named. Gives the exit code."""
    if STANDARD_INPUT in options.paths:
        print("rubric: migrate changes files; name them", file=sys.stderr)
        return FAILED
    work = _Work(options)
    outcomes = list(work.outcomes())
    for outcome in outcomes:
        _report(outcome, options)
    for line in work.passed:
        print(line)
    for failure in work.failures:
        print(f"rubric: {failure}", file=sys.stderr)
    changed = sum(outcome.changed for outcome in outcomes)
    print(_summary(outcomes, changed, options))
    if work.failures:
        return FAILED
    return WOULD_CHANGE if changed and options.check else DONE


class _Work:
    """Finds the files and migrates them, in memory."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._language = Language()
        self._configurations = Configurations(self._language)
        self._files = DiskFiles()
        self.failures: list[str] = []
        #: What is left alone, and why.
        self.passed: list[str] = []

    def outcomes(self) -> Iterator[_Outcome]:
        """Every file that could be read, each once; targets files behind the suites that use them."""
        sources = Sources(self._options.paths, Discovery(self._configurations), None, around=False)
        found = list(sources.found())
        self.failures += sources.failures
        seen = {source.path for source in found}
        around: dict[Path, str] = {}
        for source in found:
            outcome = self._attempt(source.shown, source, None)
            if outcome is None:
                continue
            yield outcome
            targets = find_targets(source.path.parent, self._files, Path.cwd()) if self._options.targets else None
            if targets is not None and targets not in seen:
                # A targets file does not say its dialect: it is that of the first suite that uses it.
                around.setdefault(targets, outcome.source)
        for path, dialect in around.items():
            outcome = self._attempt(_relative(path), Source(str(path), path), dialect)
            if outcome is not None:
                yield outcome

    def _attempt(self, shown: str, source: Source, dialect: str | None) -> _Outcome | None:
        try:
            return self._migrated(shown, source, dialect)
        except UnreadableError as error:
            self.failures.append(str(error))
        return None

    def _migrated(self, shown: str, source: Source, dialect: str | None) -> _Outcome | None:
        text = source.read()
        analysis = self._analysis(source, text, dialect)
        if analysis.kind not in _KINDS:
            self.passed.append(f"{shown}: this is {analysis.kind.value}, which is not migrated")
            return None
        name = analysis.choice.name
        if _NAMES.index(name) > _NAMES.index(self._options.to):
            self.passed.append(f"{shown}: this is {name} already, because {analysis.choice.reason}")
            return None
        try:
            made = migrate(
                text, name, self._options.to, kind=analysis.kind, read=self._reader(source.path), path=source.path
            )
        except NotMigratableError as error:
            line = LineIndex(text).line_of(error.offset) + 1
            self.failures.append(f"{shown}:{line}: {error}; mend this first")
            return None
        return _Outcome(shown, source.path, name, text, made)

    def _analysis(self, source: Source, text: str, dialect: str | None) -> Analysis:
        asked = self._options.source or dialect or self._configurations.for_file(source.path).dialect
        return analyze(self._language.document(text, source.path), self._language, dialect=asked, path=source.path)

    def _reader(self, path: Path) -> Reader:
        """Gives the text of files that the file at `path` refers to."""

        def read(name: str) -> str | None:
            found = find_file(name, path.parent, self._files, Path.cwd())
            try:
                return read_text(found) if found is not None else None
            except UnreadableError:
                return None

        return read


def _report(outcome: _Outcome, options: argparse.Namespace) -> None:
    """Write the file, or show what would be written; list what is left to the author."""
    if options.check:
        sys.stdout.writelines(difference(outcome.shown, outcome.before, outcome.after.text, Style.of()))
    elif outcome.changed:
        outcome.path.write_bytes(outcome.after.text.encode())
        print(f"{outcome.shown}: {outcome.source} → {options.to}")
    index = LineIndex(outcome.after.text)
    for note in outcome.after.notes:
        print(f"{outcome.shown}:{index.line_of(note.offset) + 1}: {note.words}")


def _summary(outcomes: list[_Outcome], changed: int, options: argparse.Namespace) -> str:
    left = sum(len(outcome.after.notes) for outcome in outcomes)
    notes = f" · {count(left, 'place')} left to you" if left else ""
    verb = "would change" if options.check else "changed"
    return f"{count(changed, 'file')} of {len(outcomes)} {verb}{notes}"


def _relative(path: Path) -> str:
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
