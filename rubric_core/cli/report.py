"""A run for a person at a terminal: progress while it goes on, then the suite with its results, and what did not pass."""

import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence

from rubric_core.analysis import Analysis
from rubric_core.cli.inline import ROLES, Inline, columns
from rubric_core.cli.style import Style
from rubric_core.evaluation.events import CaseDone, CaseStarted, CriterionJudged, EvaluatorStarted, Event
from rubric_core.evaluation.explain import explanation
from rubric_core.evaluation.marks import case_words, seconds_words, shortened
from rubric_core.evaluation.result import CaseResult, EvaluatorResult, Verdict
from rubric_core.evaluation.runnable import Runnable

__all__ = ["Report"]

_ASCII = str.maketrans(
    {"✔": "+", "◐": "~", "✘": "x", "○": "o", "⟳": "*", "→": "->", "…": "...", "–": "-", "·": "|", "×": "x", "←": "<-"}
)
#: Lines of a suite that are still printed as a whole.
_MOST_LINES = 250


class Report:
    """Shows progress while cases run, and everything at the end."""

    def __init__(self, path: str, analysis: Analysis, cases: Sequence[Runnable], shown: bool) -> None:
        self._path = path
        self._cases = list(cases)
        self._style = Style.of()
        self._inline = Inline(analysis, self._style)
        self._plain = not _can_say("✔")
        self._live = shown and sys.stderr.isatty()
        self._listing = shown and len(analysis.document.text.splitlines()) > _MOST_LINES
        self._done: list[CaseResult] = []
        self._began = time.monotonic()

    def heard(self, event: Event) -> None:
        """Show what happens: finished cases of a long suite at once, and a line that says what goes on."""
        if isinstance(event, CaseDone):
            self._done.append(event.result)
            if self._listing:
                self._clear()
                print(self._said(self._listed(event.result)), flush=True)
        words = _progress(event) if self._live else ""
        if words:
            line = shortened(f"⟳ {self._footer()}  {words}", columns() - 1)
            sys.stderr.write(f"\r\x1b[K{self._said(line)}")
            sys.stderr.flush()

    def _footer(self) -> str:
        """3/12  2 passed, 1 failed  4.2s  $0.01  ~13s left."""
        done, elapsed = len(self._done), time.monotonic() - self._began
        counts = Counter(result.verdict for result in self._done)
        verdicts = ", ".join(f"{counts[v]} {v.value}" for v in Verdict if counts[v])
        spent = sum(result.cost_usd or 0 for result in self._done)
        left = seconds_words(elapsed / done * (len(self._cases) - done) * 1000) if done else ""
        parts = (
            f"{done}/{len(self._cases)}",
            verdicts,
            seconds_words(elapsed * 1000),
            f"${spent:.4f}" if spent else "",
            f"~{left} left" if left else "",
        )
        return "  ".join(part for part in parts if part)

    def _clear(self) -> None:
        if self._live:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def finish(self, results: Sequence[CaseResult], seconds: float, *, explain: bool = False) -> None:
        """Print the suite with its results, what did not pass, and a summary."""
        self._clear()
        if results and not self._listing:
            for line in self._inline.lines(self._cases, results):
                print(self._said(line))
        for line in (*(self._explained(results) if explain else ()), *self._failures(results)):
            print(self._said(line))
        print(self._said(f"\n{self._summary(results, seconds)}"))

    def _said(self, line: str) -> str:
        return line.translate(_ASCII) if self._plain else line

    def _listed(self, result: CaseResult) -> str:
        return f"{self._style.paint(case_words(result), ROLES[result.verdict])}  {result.id}"

    @staticmethod
    def _explained(results: Sequence[CaseResult]) -> Iterator[str]:
        for result in results:
            yield ""
            yield from explanation(result)

    # What did not pass

    def _failures(self, results: Sequence[CaseResult]) -> Iterator[str]:
        several = len({result.target for result in results}) > 1
        for result in results:
            if result.verdict is Verdict.PASSED:
                continue
            yield ""
            needs = "" if result.reason else f", needs {result.threshold:.2f}"
            score = f" {result.score:.2f}{needs}" if result.score is not None else ""
            where = self._style.paint(f"{self._path}:{result.line}", "bold")
            verdict = self._style.paint(result.verdict.value, ROLES[result.verdict])
            yield f"{where} {result.id}{f' ({result.target})' if several else ''} {verdict}{score}"
            if result.reason:
                yield f"    {result.reason}"
            for evaluator in result.evaluators:
                yield from self._evaluator_lines(evaluator, result.reason)

    def _evaluator_lines(self, result: EvaluatorResult, known: str) -> Iterator[str]:
        """What did not hold; the reason that is told already is not told again."""
        if result.verdict is Verdict.PASSED or (result.score is None and result.reason in known):
            return
        for member in result.members:
            yield from self._evaluator_lines(member, known)
        judged = result.score is not None
        failed = [c for c in result.criteria if c.verdict is not Verdict.PASSED and judged]
        for criterion in failed:
            raw = f" {criterion.raw}/10" if criterion.raw is not None else ""
            minimum = f" (needs {criterion.minimum * 10:g})" if criterion.raw is not None and criterion.minimum else ""
            words = criterion.reason or criterion.reasoning or criterion.outcome
            yield f"    {result.name} / {criterion.id}{raw}{minimum}: {shortened(words, 160)}"
        if not failed and not result.members:
            words = result.reason or "; ".join(result.misses) or result.reasoning
            yield f"    {result.name}: {shortened(words, 240)}"

    def _summary(self, results: Sequence[CaseResult], seconds: float) -> str:
        if not results:
            return "nothing to run"
        counts = Counter(result.verdict for result in results)
        words = [self._style.paint(f"{counts[v]} {v.value}", ROLES[v]) for v in Verdict if counts[v]]
        judges = sorted({e.judge for r in results for e in r.evaluators if e.judge})
        targets = sorted({r.target for r in results})
        parts = [", ".join(words), f"target {', '.join(targets)}", *([f"judge: {', '.join(judges)}"] if judges else [])]
        spent = sum(r.cost_usd or 0 for r in results)
        parts += [f"${spent:.4f}"] if spent else []
        again = ""
        if len(results) > 1 and any(r.verdict is not Verdict.PASSED for r in results):
            again = f"\n{self._style.paint(f'again: rubric run {self._path} --failed', 'dim')}"
        return " · ".join([*parts, seconds_words(seconds * 1000)]) + again


def _progress(event: Event) -> str:
    if isinstance(event, CaseStarted):
        return f"asking {event.case_id}"
    if isinstance(event, EvaluatorStarted):
        return f"grading {event.case_id}: {event.name}"
    if isinstance(event, CriterionJudged):
        return f"judging {event.case_id}: {event.result.id}"
    return ""


def _can_say(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
