"""The findings of one file, also as plain data."""

from collections.abc import Iterable
from pathlib import Path

from rubric_core.cli.sources import ReferencedFile
from rubric_core.fixing import safe_fix
from rubric_core.lazy_compilation import dataclass, replace
from rubric_core.syntax.blocks import Document
from rubric_core.text import Span
from rubric_core.validation.rule import Diagnostic, Severity

__all__ = ["CheckRound", "CheckedFile", "as_json"]


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """One file after a check."""

    #: As it was given, or found.
    path: str
    document: Document
    diagnostics: tuple[Diagnostic, ...]
    #: What comments in the file cover.
    ignored: tuple[Diagnostic, ...] = ()
    #: The text before fixes were made, where they were asked for.
    before: str | None = None
    #: How many findings the fixes took away.
    fixed: int = 0
    is_suite: bool = True
    #: Why it was looked at and left alone: it is a file of another program. Empty for one that was checked.
    passed_over: str = ""
    #: What it refers to and what can be checked as well.
    refers_to: tuple[ReferencedFile, ...] = ()
    #: Every file that its findings depend on.
    depends_on: frozenset[Path] = frozenset()

    @property
    def changed(self) -> bool:
        """Whether fixes changed the text."""
        return self.before is not None and self.before != self.document.text

    @property
    def fixable(self) -> int:
        """How many findings have a fix that may be made without asking."""
        return sum(1 for d in self.diagnostics if safe_fix(d))


@dataclass(frozen=True, slots=True)
class CheckRound:
    """Everything that one check looked at."""

    files: tuple[CheckedFile, ...]
    #: Sentences about what could not be read or found.
    failures: tuple[str, ...]
    seconds: float
    #: How many warnings may be there in a clean round; None: any number.
    most_warnings: int | None = None
    #: Whether only what fails the round is shown, and no summary.
    quiet: bool = False
    #: How many files refused the fixes that were made for them.
    unwritten: int = 0

    @property
    def passed_over(self) -> tuple[CheckedFile, ...]:
        """The files that have nothing to do with evals."""
        return tuple(each for each in self.files if each.passed_over)

    @property
    def exit_code(self) -> int:
        """0 clean, 1 findings of severity error or too many warnings, 2 something could not be read."""
        if self.failures:
            return 2
        failing = self._failing()
        return int(any(d.severity in failing for each in self.files for d in each.diagnostics))

    @property
    def too_many_warnings(self) -> bool:
        """Whether there are more warnings than may be."""
        found = sum(d.severity == "warning" for each in self.files for d in each.diagnostics)
        return self.most_warnings is not None and found > self.most_warnings

    def _failing(self) -> frozenset[Severity]:
        """Which severities fail the round."""
        return frozenset({"error", "warning"} if self.too_many_warnings else {"error"})

    def shown(self) -> "CheckRound":
        """The round with the findings that are to be shown."""
        failing = self._failing()
        files = (replace(f, diagnostics=tuple(d for d in f.diagnostics if d.severity in failing)) for f in self.files)
        return replace(self, files=tuple(files)) if self.quiet else self


def as_json(files: Iterable[CheckedFile]) -> list[dict[str, object]]:
    """The findings as plain data; positions are 0-based and count UTF-16 units, as in LSP."""
    return [_row(each, diagnostic) for each in files for diagnostic in each.diagnostics]


def _row(checked: CheckedFile, found: Diagnostic) -> dict[str, object]:
    def place(span: Span) -> dict[str, object]:
        start, end = checked.document.range(span)
        return {"start": start._asdict(), "end": end._asdict()}

    return {
        "path": checked.path,
        "code": found.code,
        "severity": found.severity,
        "message": found.message,
        "range": place(found.span),
        "fixes": [
            {"title": f.title, "edits": [{"range": place(e.span), "newText": e.new_text} for e in f.edits]}
            for f in found.fixes
        ],
        **({"untriedFixes": found.untried} if found.untried else {}),
    }
