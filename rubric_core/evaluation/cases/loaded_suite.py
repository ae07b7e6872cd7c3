"""A loaded suite: its cases, their files, and which of them run."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from rubric_core.analysis import Analysis
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.language.file_extensions import CASE_PROGRAMS
from rubric_core.lazy_compilation import dataclass, field
from rubric_core.loading.directory_search import without_function
from rubric_core.syntax.plain_data import plain
from rubric_core.validation.entry_lists import ExternalCases

__all__ = ["GeneratedCases", "LoadedSuite", "NoSuiteError", "is_program"]


#: The maximum number of logged warnings of a suite.
_MOST_SAID = 5


class NoSuiteError(Exception):
    """A file is not a suite; the message says in one sentence what it is and what to do."""


@dataclass(frozen=True, slots=True)
class GeneratedCases:
    """The outcome of a program that generates cases."""

    #: The cases as JSON, one per line.
    lines: str = ""
    #: Why there are no cases.
    trouble: str = ""


@dataclass(frozen=True)
class LoadedSuite:
    """A suite, ready to be run. A data set in JSONL counts as one, too: the file that describes it holds the settings that its cases share."""

    path: Path
    #: The analysis of the file itself.
    analysis: Analysis
    #: Every case in the order of the text. A path in the case list that has no cases gives an entry of its own.
    cases: tuple[Runnable, ...]
    #: The files with cases, with their analyses.
    files: Mapping[Path, Analysis]
    #: What its programs that generate cases made, by their entry verbatim.
    generated: Mapping[str, GeneratedCases] = field(default_factory=dict)
    #: The programs that make cases, by their keys, where the family calls them so.
    test_programs: tuple[str, ...] = ()
    #: The ids of the cases that options in the file leave out.
    left_out: frozenset[str] = frozenset()

    @property
    def programs(self) -> tuple[str, ...]:
        """The entries of the case list that are programs which generate cases, verbatim, or their keys (`test_programs`)."""
        if self.test_programs:
            return self.test_programs
        if frozenset(CASE_PROGRAMS).isdisjoint(self.analysis.dialect.properties.case_files):
            return ()
        return tuple(each.text for each in self.analysis.external if is_program(each))

    @property
    def errors(self) -> tuple[str, ...]:
        """The errors in it and in its case files that keep cases from being run: `path:line: code: message`."""
        return (*_errors(self.path, self.analysis), *self.file_errors)

    @property
    def file_errors(self) -> tuple[str, ...]:
        """The errors in its case files: `path:line: code: message`."""
        return tuple(line for path, analysis in self.files.items() for line in _errors(path, analysis))

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings of the suite itself, deprecations included, with path and line: the first five, and how many more."""
        found = [d for d in self.analysis.diagnostics if d.severity == "warning"]
        lines = (self.analysis.document.position(d.span.start).line + 1 for d in found)
        said = [f"{self.path}:{line}: {each.message}" for line, each in zip(lines, found[:_MOST_SAID], strict=False)]
        left = len(found) - len(said)
        return (*said, f"{self.path}: {left} more like these; see rubric check") if left else tuple(said)

    @property
    def range_key(self) -> str:
        """What leaves cases out of `in_range`, for messages."""
        return "`filterRange` or `filterSample`" if self.left_out else "`filter_range`"

    @property
    def in_range(self) -> tuple[Runnable, ...]:
        """The cases that run by default: all, or those within `filter_range` of the suite (or those of a sample).

        It is written `[first, end]` or `"first:end"`, counts from 0, and excludes the case at `end`. Raises
        NoSuiteError for an invalid range.
        """
        if self.left_out:
            return tuple(each for each in self.cases if each.id not in self.left_out)
        options = self.cases[0].suite.evaluate_options if self.cases else None
        if options is None or not options.has("filter_range"):
            return self.cases
        where = f"{self.path.name}:{self.cases[0].suite_line(options.key_at('filter_range'))}"
        first, end = _range(plain(options.filter_range, self.cases[0].suite_anchors), where)
        return self.cases[first:end]


def _errors(path: Path, analysis: Analysis) -> Iterator[str]:
    for found in analysis.diagnostics:
        if found.severity == "error":
            yield f"{path}:{analysis.document.position(found.span.start).line + 1}: {found.code}: {found.message}"


def is_program(each: ExternalCases) -> bool:
    """Whether an entry of the case list is a program that generates cases."""
    return without_function(each.text).endswith(CASE_PROGRAMS)


def _range(written: object, where: str) -> tuple[int, int]:
    parts = written.split(":") if isinstance(written, str) else written
    numbers = [int(str(part)) for part in parts if str(part).strip().isdecimal()] if isinstance(parts, list) else []
    if not isinstance(parts, list) or len(parts) != 2 or len(numbers) != 2 or numbers[0] > numbers[1]:
        raise NoSuiteError(f"{where}: `filter_range` is `[first, end]`, counted from 0, found {written!r}")
    return numbers[0], numbers[1]
