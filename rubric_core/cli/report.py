"""A run for a person at a terminal: the suite with its results where they belong, and what failed, with its line."""

import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Sequence

from rubric_core.analysis import Analysis
from rubric_core.cli.style import Style, width
from rubric_core.evaluation.events import CaseDone, CaseStarted, CriterionJudged, EvaluatorStarted, Event
from rubric_core.evaluation.marks import Mark, case_words, marks_of, seconds_words, shortened
from rubric_core.evaluation.result import CaseResult, EvaluatorResult, Verdict
from rubric_core.evaluation.runnable import Runnable
from rubric_core.text import LineIndex

__all__ = ["Report"]

_ROLES = {
    Verdict.PASSED: "good",
    Verdict.BORDERLINE: "warning",
    Verdict.FAILED: "bad",
    Verdict.UNSCORED: "warning",
}
_ASCII = str.maketrans({"✔": "+", "◐": "~", "✘": "x", "○": "o", "⟳": "*", "→": "->", "…": "...", "–": "-", "·": "|"})
#: Lines of a suite that are still printed as a whole.
_MOST_LINES = 250
#: The column at which marks stand at the latest.
_FURTHEST = 64
_LONGEST_NOTE = 110
#: Columns where nobody looks at a terminal.
_WIDE = 160


class Report:
    """Shows progress while cases run, and everything at the end."""

    def __init__(self, path: str, analysis: Analysis, cases: Sequence[Runnable], shown: bool) -> None:
        self._path = path
        self._analysis = analysis
        self._cases = list(cases)
        self._shown = shown
        self._style = Style.of()
        self._plain = not _can_say("✔")
        self._live = shown and sys.stderr.isatty()
        self._done: list[CaseResult] = []

    def heard(self, event: Event) -> None:
        """Show what happens."""
        if isinstance(event, CaseDone):
            self._done.append(event.result)
        if not self._live:
            return
        words = _progress(event)
        if words:
            line = shortened(f"⟳ {len(self._done)}/{len(self._cases)} {words}", _columns() - 1)
            sys.stderr.write(f"\r\x1b[K{self._said(line)}")
            sys.stderr.flush()

    def finish(self, results: Sequence[CaseResult], seconds: float) -> None:
        """Print the suite with its results, what did not pass, and a summary."""
        if self._live:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
        inline = list(self._inline(results))
        for line in inline if len(inline) <= _MOST_LINES else self._listed(results):
            print(self._said(line))
        for line in self._failures(results):
            print(self._said(line))
        print(self._said(f"\n{self._summary(results, seconds)}"))

    def _said(self, line: str) -> str:
        return line.translate(_ASCII) if self._plain else line

    # The suite itself

    def _inline(self, results: Sequence[CaseResult]) -> Iterator[str]:
        index = LineIndex(self._analysis.document.text)
        marks: dict[int, list[Mark]] = {}
        shared: dict[int, list[Mark]] = {}
        for case, result in zip(self._cases, results, strict=True):
            own = self._lines_of(case)
            for mark in marks_of(case, result):
                line = index.line_of(mark.span.start)
                (marks if line in own else shared).setdefault(line, []).append(mark)
        for line, several in shared.items():
            marks.setdefault(line, []).append(_counted(several))
        first, last = self._shown_lines(index)
        column = min(_FURTHEST, max((width(_line(index, n)) for n in marks), default=0) + 2)
        for number in range(first, last + 1):
            yield self._with_marks(_line(index, number), marks.get(number, []), column)

    def _lines_of(self, case: Runnable) -> range:
        document = self._analysis.document
        start = case.case_span(case.case.node.whole if case.case.node else case.case.span)
        return range(document.position(start.start).line, document.position(max(start.start, start.end - 1)).line + 1)

    def _shown_lines(self, index: LineIndex) -> tuple[int, int]:
        """Everything, or the lines of the one case that was asked for."""
        if len(self._cases) == len(self._analysis.cases):
            last = index.line_count - 1
            return 0, last - 1 if last and not _line(index, last) else last
        lines = [self._lines_of(case) for case in self._cases]
        return min(r.start for r in lines), max(r.stop for r in lines) - 1

    def _with_marks(self, line: str, marks: Sequence[Mark], column: int) -> str:
        if not marks:
            return self._style.paint(line, "dim") if line.lstrip().startswith("#") else line
        pieces = []
        room = max(20, _columns() - column)
        for mark in marks:
            text = self._style.paint(mark.text, _ROLES[mark.verdict] if mark.what != "band" else "dim")
            spare = min(_LONGEST_NOTE, room - len(mark.text) - 4)
            note = mark.note if mark.what in ("criterion", "evaluator") and "unscored" not in mark.text else ""
            pieces.append(
                f"{text}  {self._style.paint(shortened(note, spare), 'dim')}" if note and spare > 12 else text
            )
        return f"{line}{' ' * max(2, column - width(line))}{'   '.join(pieces)}"

    def _listed(self, results: Sequence[CaseResult]) -> Iterator[str]:
        for result in results:
            yield f"{self._style.paint(case_words(result), _ROLES[result.verdict])}  {result.id}"

    # What did not pass

    def _failures(self, results: Sequence[CaseResult]) -> Iterator[str]:
        for result in results:
            if result.verdict is Verdict.PASSED:
                continue
            yield ""
            needs = "" if result.reason else f", needs {result.threshold:.2f}"
            score = f" {result.score:.2f}{needs}" if result.score is not None else ""
            where = self._style.paint(f"{self._path}:{result.line}", "bold")
            yield f"{where} {result.id} {self._style.paint(result.verdict.value, _ROLES[result.verdict])}{score}"
            if result.reason:
                yield f"    {result.reason}"
            for evaluator in result.evaluators:
                yield from self._evaluator_lines(evaluator)

    def _evaluator_lines(self, result: EvaluatorResult) -> Iterator[str]:
        if result.verdict is Verdict.PASSED:
            return
        judged = result.score is not None
        failed = [c for c in result.criteria if c.verdict is not Verdict.PASSED and judged]
        for criterion in failed:
            raw = f" {criterion.raw}/10" if criterion.raw is not None else ""
            minimum = f" (needs {criterion.minimum * 10:g})" if criterion.raw is not None and criterion.minimum else ""
            words = criterion.reason or criterion.reasoning or criterion.outcome
            yield f"    {result.name} / {criterion.id}{raw}{minimum}: {shortened(words, 160)}"
        if not failed:
            words = result.reason or "; ".join(result.misses) or result.reasoning
            yield f"    {result.name}: {shortened(words, 240)}"

    def _summary(self, results: Sequence[CaseResult], seconds: float) -> str:
        counts = Counter(result.verdict for result in results)
        words = [self._style.paint(f"{counts[v]} {v.value}", _ROLES[v]) for v in Verdict if counts[v]]
        judges = sorted({e.judge for r in results for e in r.evaluators if e.judge})
        targets = sorted({r.target for r in results})
        parts = [
            ", ".join(words),
            f"target {', '.join(targets)}",
            *([f"judge: {', '.join(judges)}"] if judges else []),
        ]
        spent = sum(r.cost_usd or 0 for r in results)
        parts += [f"${spent:.4f}"] if spent else []
        return " · ".join([*parts, seconds_words(seconds * 1000)])


def _line(index: LineIndex, number: int) -> str:
    span = index.line_span(number)
    return "".join(c if c.isprintable() or c == "\t" else "�" for c in index.text[span.start : span.end]).replace(
        "\t", "    "
    )


def _counted(marks: Sequence[Mark]) -> Mark:
    """One mark for an evaluator of the suite that graded several cases."""
    if len(marks) == 1:
        return marks[0]
    passed = sum(mark.verdict is Verdict.PASSED for mark in marks)
    worst = next(
        (v for v in (Verdict.FAILED, Verdict.UNSCORED, Verdict.BORDERLINE) if any(m.verdict is v for m in marks)),
        Verdict.PASSED,
    )
    sign = next(m.text[:1] for m in marks if m.verdict is worst)
    return Mark(marks[0].span, worst, f"{sign} {passed}/{len(marks)} cases", "", marks[0].what)


def _progress(event: Event) -> str:
    if isinstance(event, CaseStarted):
        return f"asking {event.case_id}"
    if isinstance(event, EvaluatorStarted):
        return f"grading {event.case_id}: {event.name}"
    if isinstance(event, CriterionJudged):
        return f"judging {event.case_id}: {event.result.id}"
    return ""


def _columns() -> int:
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else _WIDE


def _can_say(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
