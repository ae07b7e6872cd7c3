"""The text of a suite with results at the end of its lines."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from rubric_core.analysis import Analysis
from rubric_core.cli.terminal_style import TerminalStyle, visible, width
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.evaluation.reporting.inline_marks import ERROR, SIGNS, Mark, case_words, marks_of, shortened
from rubric_core.evaluation.reporting.summary import WORST_FIRST, CaseMark, Summary
from rubric_core.language.file_kinds import FileKind
from rubric_core.language.shape import Shape
from rubric_core.text import LineIndex

__all__ = ["ROLES", "AnnotatedSuite"]

ROLES = {Verdict.PASSED: "good", Verdict.BORDERLINE: "warning", Verdict.FAILED: "bad", Verdict.UNSCORED: "warning"}
#: The highest column at which marks begin.
_FURTHEST = 64
_LONGEST_NOTE = 110
#: The width in columns when the output is not a terminal.
_WIDE = 160


class AnnotatedSuite:
    """A file with cases, printed with results as in an editor.

    Args:
        analysis: The analysis of the file.
        style: Colours.
        columns: The width of the terminal, None without one.
        file: The file, if it is not the suite itself.
    """

    def __init__(self, analysis: Analysis, style: TerminalStyle, columns: int | None, file: Path | None = None) -> None:
        self._analysis = analysis
        self._style = style
        self._columns = columns or _WIDE
        self._file = file
        self._index = LineIndex(analysis.document.text)
        #: Reasons of failed graders, if a line above shows them.
        self._told: set[str] = set()

    def lines(self, cases: Sequence[Runnable], results: Sequence[CaseResult]) -> Iterator[str]:
        """The lines of the file, or only of its cases that ran; `cases` may include those of other files."""
        own = [case for case in cases if case.file == self._file]
        if self._analysis.kind is FileKind.DATASET:
            yield from self._listed(cases, results)
            return
        marks = self._marks(cases, results)
        first, last = self._shown(own)
        column = min(_FURTHEST, max((width(self._line(n)) for n in marks), default=0) + 2)
        for number in range(first, last + 1):
            yield self._with_marks(self._line(number), marks.get(number, []), column)

    def _listed(self, cases: Sequence[Runnable], results: Sequence[CaseResult]) -> Iterator[str]:
        """One line for each case of a data set, whose own lines are long."""
        for case, result in zip(cases, results, strict=True):
            if case.file == self._file:
                yield f"{case.line:>4}  {shortened(case.id, _LONGEST_NOTE)}  {self._style.paint(case_words(result), ROLES[result.verdict])}"

    def _marks(self, cases: Sequence[Runnable], results: Sequence[CaseResult]) -> dict[int, list[Mark]]:
        """Marks by line; those of shared evaluators, and of cases in other files, are counted."""
        marks: dict[int, list[Mark]] = {}
        shared: dict[Shape | int, Summary] = {}
        for number, (case, result) in enumerate(zip(cases, results, strict=True)):
            here = case.file == self._file
            if not here and self._file is not None:
                continue
            own = self._lines_of(case) if here else range(0)
            for mark in self._case_marks(case, result, here):
                line = self._index.line_of(mark.span.start)
                if line in own or (mark.what == "band" and len(cases) == 1):
                    marks.setdefault(line, []).append(mark)
                elif mark.what != "band":  # each of several cases may be in another file
                    shared.setdefault(mark.of or line, Summary(mark.of)).put(CaseMark(str(number), mark))
        for mark in filter(None, (summary.mark for summary in shared.values())):
            marks.setdefault(self._index.line_of(mark.span.start), []).append(mark)
        return marks

    def _case_marks(self, case: Runnable, result: CaseResult, here: bool) -> Iterator[Mark]:
        """The marks of a case that stand in this file."""
        yield from (mark for mark in marks_of(case, result) if mark.in_suite != here)
        if not here:
            at = next((e.span for e in self._analysis.included if case.file in e.found.files), None)
            if at is not None:
                yield Mark(at, result.verdict, case_words(result))

    def _lines_of(self, case: Runnable) -> range:
        span = case.case_span(case.case.node.whole if case.case.node else case.case.span)
        return range(self._index.line_of(span.start), self._index.line_of(max(span.start, span.end - 1)) + 1)

    def _shown(self, cases: Sequence[Runnable]) -> tuple[int, int]:
        if not cases or len({case.id for case in cases}) >= len({entry.name for entry in self._analysis.cases}):
            last = self._index.line_count - 1
            return 0, last - 1 if last and not self._line(last) else last
        lines = [self._lines_of(case) for case in cases]
        return min(r.start for r in lines), max(r.stop for r in lines) - 1

    def _line(self, number: int) -> str:
        span = self._index.line_span(number)
        text = self._index.text[span.start : span.end]
        return visible(text)

    def _with_marks(self, line: str, marks: Sequence[Mark], column: int) -> str:
        if not marks:
            return self._style.paint(line, "dim") if line.lstrip().startswith("#") else line
        pieces: list[str] = []
        room = max(20, self._columns - column)
        if len(marks) > 1 and sum(width(mark.text) + 3 for mark in marks) - 3 > room:
            marks = [_in_short(marks)]
        for mark in marks:
            words = mark.text.partition(":")[0] if mark.error else mark.text
            text = self._style.paint(words, ROLES[mark.verdict] if mark.what != "band" else "dim")
            spare = min(_LONGEST_NOTE, room - len(words) - 4)
            note = mark.note if mark.what in ("criterion", "evaluator") and "unscored" not in words else ""
            if mark.error:
                note = "" if note in self._told else note
                self._told.add(mark.note)
            pieces.append(
                f"{text}  {self._style.paint(shortened(note, spare), 'dim')}" if note and spare > 12 else text
            )
        return f"{line}{' ' * max(2, column - width(line))}{'   '.join(pieces)}"


def _in_short(marks: Sequence[Mark]) -> Mark:
    """One mark for a line without room for all: that of the case, else the number of parts that passed."""
    case = next((mark for mark in marks if mark.what == "case"), None)
    if case is not None:
        return case
    worst = min((mark.verdict for mark in marks), key=WORST_FIRST.index)
    passed = sum(mark.verdict is Verdict.PASSED for mark in marks)
    sign = ERROR if any(mark.error for mark in marks) else SIGNS[worst]
    return Mark(marks[0].span, worst, f"{sign} {passed}/{len(marks)}")
