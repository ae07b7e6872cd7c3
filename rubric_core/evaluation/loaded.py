"""A suite that is loaded: its cases, where they come from, and which of them run."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rubric_core.analysis import Analysis
from rubric_core.evaluation.runnable import Runnable
from rubric_core.loading.case_files import PROGRAMS
from rubric_core.loading.search import without_function
from rubric_core.syntax.plain import plain
from rubric_core.validation.rule import ExternalCases

__all__ = ["Generated", "InvalidSuiteError", "LoadedSuite", "NoSuiteError", "is_program"]


#: So many sentences about old spellings are told of a suite.
_MOST_SAID = 5


class NoSuiteError(Exception):
    """A file that is no suite; the message is one sentence that says what it is and what to do."""


class InvalidSuiteError(ValueError):
    """A suite with errors, for who asked that there be none; the message has each on a line, with path, line and code.

    Document 000: a suite whose score ranges overlap, leave bounds or do not cover 0..10 fails when it is loaded.
    """


@dataclass(frozen=True, slots=True)
class Generated:
    """What a program made for a case list."""

    #: The cases, as JSON, a line each.
    lines: str = ""
    #: Why there are none.
    trouble: str = ""


@dataclass(frozen=True)
class LoadedSuite:
    """A suite, ready to be run. A data set in JSONL is one, too: the file beside it that describes it says what its cases share."""

    path: Path
    #: What stands in the file itself.
    analysis: Analysis
    #: Every case in the order of the text; a path in the case list behind which there is no case stands for itself.
    cases: tuple[Runnable, ...]
    #: The files in which cases stand, with what is in them.
    files: Mapping[Path, Analysis]

    @property
    def programs(self) -> tuple[str, ...]:
        """The entries of the case list behind which a program makes cases, as they are written."""
        if not self.analysis.dialect.properties.case_programs:
            return ()
        return tuple(each.text for each in self.analysis.external if is_program(each))

    @property
    def errors(self) -> tuple[str, ...]:
        """What is wrong enough in it, and in the files with its cases, to keep cases from being run: `path:line: code: message`."""
        return tuple(
            f"{path}:{analysis.document.position(d.span.start).line + 1}: {d.code}: {d.message}"
            for path, analysis in ((self.path, self.analysis), *self.files.items())
            for d in analysis.diagnostics
            if d.severity == "error"
        )

    @property
    def deprecations(self) -> tuple[str, ...]:
        """What is given up and read all the same, as sentences with path and line (REQ-EVAL-009): the first five, and how many more."""
        old = [d for d in self.analysis.diagnostics if "deprecated" in d.tags and d.severity == "warning"]
        lines = (self.analysis.document.position(d.span.start).line + 1 for d in old)
        said = [f"{self.path}:{line}: {found.message}" for line, found in zip(lines, old[:_MOST_SAID], strict=False)]
        left = len(old) - len(said)
        return (*said, f"{self.path}: {left} more like these; see rubric check") if left else tuple(said)

    @property
    def in_range(self) -> tuple[Runnable, ...]:
        """The cases that run when none is named: all, or those that `filter_range` of the suite leaves.

        It is written `[first, end]` or `"first:end"`, counts from 0, and the case at `end` is not among them. Raises
        NoSuiteError for one that is no range.
        """
        options = self.cases[0].suite.evaluate_options if self.cases else None
        if options is None or not options.has("filter_range"):
            return self.cases
        where = f"{self.path.name}:{self.cases[0].suite_line(options.key_at('filter_range'))}"
        first, end = _range(plain(options.filter_range, self.cases[0].suite_anchors), where)
        return self.cases[first:end]


def is_program(each: ExternalCases) -> bool:
    """Whether the cases behind an entry of the case list are made by a program."""
    return without_function(each.text).endswith(PROGRAMS)


def _range(written: object, where: str) -> tuple[int, int]:
    parts = written.split(":") if isinstance(written, str) else written
    numbers = [int(str(part)) for part in parts if str(part).strip().isdecimal()] if isinstance(parts, list) else []
    if not isinstance(parts, list) or len(parts) != 2 or len(numbers) != 2 or numbers[0] > numbers[1]:
        raise NoSuiteError(f"{where}: `filter_range` is `[first, end]`, counted from 0, found {written!r}")
    return numbers[0], numbers[1]
