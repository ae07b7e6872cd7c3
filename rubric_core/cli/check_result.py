"""The findings of one file, also as plain data."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from rubric_core.analysis.file_uses import OutgoingReferences
from rubric_core.fixing import safe_fix
from rubric_core.lazy_compilation import dataclass, replace
from rubric_core.syntax.blocks import Document
from rubric_core.text import Span
from rubric_core.validation.rule import SEVERITIES, Diagnostic, Severity

__all__ = ["LEFT_OUT", "CheckRound", "CheckedFile", "Tally", "as_json"]

#: Why a fix is shown without its edits.
LEFT_OUT = "its edits contain a secret"


class Tally(NamedTuple):
    """What files add to the last line and to the exit code of a check."""

    #: Checked ones, and how many of them are suites.
    files: int = 0
    suites: int = 0
    #: Those with findings.
    with_findings: int = 0
    #: The findings shown, by severity as in `SEVERITIES`.
    findings: tuple[int, ...] = (0,) * len(SEVERITIES)
    #: Warnings, with those that are not shown because they repeat others.
    warnings: int = 0
    fixable: int = 0
    ignored: int = 0

    @classmethod
    def total(cls, several: "Iterable[Tally]") -> "Tally":
        """The tally of all files of several, at least one."""
        files, suites, with_findings, findings, warnings, fixable, ignored = zip(*several, strict=True)
        return cls(
            sum(files),
            sum(suites),
            sum(with_findings),
            tuple(map(sum, zip(*findings, strict=True))),
            sum(warnings),
            sum(fixable),
            sum(ignored),
        )


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """One file after a check."""

    #: As given or found.
    path: str
    document: Document
    diagnostics: tuple[Diagnostic, ...]
    #: The findings that ignore comments cover.
    ignored: tuple[Diagnostic, ...] = ()
    #: The text before fixes, with `--fix`.
    before: str | None = None
    #: The number of findings that were fixed.
    fixed: int = 0
    is_suite: bool = True
    #: Why it was not checked: it belongs to another program. Empty for a checked file.
    passed_over: str = ""
    #: The checkable files that it refers to; None for a file that was not checked.
    references: OutgoingReferences | None = None
    #: Every file that its findings depend on.
    depends_on: frozenset[Path] = frozenset()
    #: What is masked wherever its text is shown; None if that was not looked up yet.
    hidden: tuple[Span, ...] | None = None

    @property
    def changed(self) -> bool:
        """Whether fixes changed the text."""
        return self.before is not None and self.before != self.document.text

    @property
    def fixable(self) -> int:
        """The number of findings with a safe fix."""
        return sum(bool(safe_fix(d)) + d.more_fixable for d in self.diagnostics)

    @property
    def tally(self) -> Tally:
        """What it adds to the result of the check."""
        severities = [d.severity for d in self.diagnostics]
        return Tally(
            not self.passed_over,
            self.is_suite and not self.passed_over,
            bool(severities),
            tuple(map(severities.count, SEVERITIES)),
            sum(1 + d.more for d in self.diagnostics if d.severity == "warning"),
            self.fixable,
            len(self.ignored),
        )


@dataclass(frozen=True, slots=True)
class CheckRound:
    """The result of one check."""

    #: Those whose findings are at hand.
    files: tuple[CheckedFile, ...]
    #: Messages about paths that could not be read or found.
    failures: tuple[str, ...]
    seconds: float
    #: The maximum number of warnings; None: any number.
    most_warnings: int | None = None
    #: Whether only failing findings are shown, and no summary.
    quiet: bool = False
    #: The number of files whose fixes could not be written.
    unwritten: int = 0
    #: What all other files add, of which no more than their output is known.
    others: Tally = Tally()

    @property
    def tally(self) -> Tally:
        """The sums of all files."""
        return Tally.total((self.others, *(each.tally for each in self.files)))

    @property
    def passed_over(self) -> tuple[CheckedFile, ...]:
        """The files that do not belong to evals."""
        return tuple(each for each in self.files if each.passed_over)

    @property
    def exit_code(self) -> int:
        """0 clean, 1 errors or too many warnings, 2 unreadable input."""
        if self.failures:
            return 2
        failing, found = self._failing(), self.tally.findings
        return int(any(number for severity, number in zip(SEVERITIES, found, strict=True) if severity in failing))

    @property
    def too_many_warnings(self) -> bool:
        """Whether there are more warnings than allowed."""
        return self.most_warnings is not None and self.tally.warnings > self.most_warnings

    def _failing(self) -> frozenset[Severity]:
        """The severities that fail the check."""
        return frozenset({"error", "warning"} if self.too_many_warnings else {"error"})

    def shown(self) -> "CheckRound":
        """The round with only the findings to show."""
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
        "message": found.repeated,
        "range": place(found.span),
        "fixes": [
            {
                "title": f.title,
                "edits": [{"range": place(e.span), "newText": e.new_text} for e in f.edits],
                **({} if f.edits else {"leftOut": LEFT_OUT}),
            }
            for f in found.fixes
        ],
        **({"untriedFixes": found.untried} if found.untried else {}),
    }
