"""A run for a person at a terminal: progress while it goes on, then the suite with its results, and what did not pass."""

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TextIO

from rubric_core.cli.inline import ROLES, Inline
from rubric_core.cli.live import Live
from rubric_core.cli.style import Style, columns_of
from rubric_core.evaluation.events import CaseDone, Event
from rubric_core.evaluation.explain import explanation
from rubric_core.evaluation.marks import case_words, seconds_words, shortened
from rubric_core.evaluation.result import CaseResult, EvaluatorResult, Verdict
from rubric_core.evaluation.runnable import Runnable
from rubric_core.evaluation.suites import LoadedSuite

__all__ = ["Report"]

_ASCII = str.maketrans(
    {
        "✔": "+",
        "◐": "~",
        "✘": "x",
        "○": "o",
        "⟳": "*",
        "→": "->",
        "…": "...",
        "–": "-",
        "·": "|",
        "×": "x",
        "←": "<-",
        "�": "?",
    }
)
#: Colours, and characters that a terminal acts on.
_CONTROL = re.compile(r"\x1b\[[0-9;]*m|[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_LONGEST_ID = 100
#: Lines of a suite that are still printed as a whole.
_MOST_LINES = 250
_MOST_NAMES = 6
_NOTHING = EvaluatorResult(name="", type="", verdict=Verdict.UNSCORED)


class Report:
    """Shows progress while cases run, and everything at the end."""

    def __init__(
        self,
        suite: LoadedSuite,
        cases: Sequence[Runnable],
        form: str,
        out: TextIO,
        again: str,
        *,
        explain: bool = False,
    ) -> None:
        self._out = out
        self._again = again
        self._suite = suite
        self._path = str(suite.path)
        self._cases = list(cases)
        self._style = Style.of(out)
        self._plain = not _can_say("✔", out)
        text = form == "text"
        texts = (suite.analysis, *suite.files.values())
        self._listing = text and sum(each.document.line_count for each in texts) > _MOST_LINES
        #: Whether results are told as a whole when everything has run.
        self._whole = form == "json" or (text and (explain or not self._listing))
        # Rows on a terminal would be torn apart by what is redrawn between them.
        shown = not (form == "jsonl" and out.isatty())
        self.live = Live(len(self._cases), self._said, shown=shown, plain=text and not self._listing)

    def heard(self, event: Event) -> None:
        """Show what happens: finished cases of a long suite at once, and what goes on."""
        if self._listing and isinstance(event, CaseDone):
            self.live.clear()
            print(self._said(self._listed(event.result)), file=self._out, flush=True)
        self.live.heard(event)

    def kept(self, result: CaseResult) -> CaseResult:
        """What is still told of a result at the end. The rest is stored, and needs no memory meanwhile."""
        if self._whole:
            return result
        judges = (replace(_NOTHING, verdict=result.verdict, judge=e.judge) for e in result.evaluators if e.judge)
        failing = result.verdict is not Verdict.PASSED and self._listing
        told = tuple(map(_told, result.evaluators)) if failing else tuple(judges)
        return replace(result, evaluators=told, answer="", details=None, fingerprint="", at="")

    def finish(
        self,
        results: Sequence[CaseResult],
        seconds: float,
        *,
        explain: bool = False,
        inline: bool = True,
        before: Counter[Verdict] | None = None,
    ) -> None:
        """Print the suite with its results, if `inline`, what did not pass, and a summary.

        Args:
            results: Those of the cases that were run.
            seconds: How long that took.
            explain: Whether to say how each score came about.
            inline: Whether to print the suite; its results are those of all cases then.
            before: How cases ended that were left out, because they were run before.
        """
        for line in self._inline(results) if results and inline and not self._listing else ():
            print(self._said(line), file=self._out)
        for line in (*(self._explained(results) if explain else ()), *self._failures(results)):
            print(self._said(line), file=self._out)
        print(self._said(f"\n{self._summary(results, seconds, before or Counter())}"), file=self._out)

    def _inline(self, results: Sequence[CaseResult]) -> Iterator[str]:
        """The suite, and then each file with cases of its own, with results behind the lines."""
        files, columns = {case.file for case in self._cases}, columns_of(self._out)
        if None in files or len(self._cases) >= len(self._suite.cases):
            yield from Inline(self._suite.analysis, self._style, columns).lines(self._cases, results)
        for file, analysis in self._suite.files.items():
            if file in files:
                name = next(c.file_name for c in self._cases if c.file == file)
                yield ""
                yield self._style.paint(str(self._suite.path.parent / name), "bold")
                yield from Inline(analysis, self._style, columns, file).lines(self._cases, results)

    def _said(self, line: str) -> str:
        """A line as the terminal may have it: what an answer or an id holds moves no cursor and sets no title."""
        line = _CONTROL.sub(lambda found: found[0] if found[0].endswith("m") and self._style.colour else "�", line)
        return line.translate(_ASCII) if self._plain else line

    def _listed(self, result: CaseResult) -> str:
        return f"{self._style.paint(case_words(result), ROLES[result.verdict])}  {shortened(result.id, _LONGEST_ID)}"

    @staticmethod
    def _explained(results: Sequence[CaseResult]) -> Iterator[str]:
        for result in results:
            yield ""
            yield from explanation(result)

    # What did not pass

    def _failures(self, results: Sequence[CaseResult]) -> Iterator[str]:
        """Each with what did not hold; what several in a row have in common is told once, behind the last of them."""
        several = len({result.target for result in results}) > 1
        failing = [result for result in results if result.verdict is not Verdict.PASSED]
        details = [self._details(result) for result in failing]
        for number, result in enumerate(failing):
            needs = "" if result.reason else f", needs {result.threshold:.2f}"
            score = f" {result.score:.2f}{needs}" if result.score is not None else ""
            where = self._style.paint(f"{self._file_of(result)}:{result.line}", "bold")
            verdict = self._style.paint(result.verdict.value, ROLES[result.verdict])
            if number == 0 or details[number - 1] != details[number]:
                yield ""
            yield f"{where} {shortened(result.id, _LONGEST_ID)}{f' ({result.target})' if several else ''} {verdict}{score}"
            if details[number + 1 : number + 2] != [details[number]]:
                yield from details[number]

    def _details(self, result: CaseResult) -> list[str]:
        lines = [f"    {result.reason}"] if result.reason else []
        return lines + [line for e in result.evaluators for line in self._evaluator_lines(e, result.reason)]

    def _file_of(self, result: CaseResult) -> str:
        return os.path.normpath(self._suite.path.parent / result.file) if result.file else self._path

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

    def _summary(self, results: Sequence[CaseResult], seconds: float, before: Counter[Verdict]) -> str:
        kept = f"run before, and still so: {self._counted(before)}" if before else ""
        if not results:
            return f"nothing to run{f'; {kept}' if kept else ''}"
        counts = Counter(result.verdict for result in results)
        judges = sorted({e.judge for r in results for e in r.evaluators if e.judge})
        targets = sorted({r.target for r in results})
        parts = [
            self._counted(counts),
            *([kept] if kept else []),
            f"target {_listed(targets)}",
            *([f"judge: {', '.join(judges)}"] if judges else []),
        ]
        spent = sum(r.cost_usd or 0 for r in results)
        parts += [f"${spent:.4f}"] if spent else []
        again = ""
        if len(results) > 1 and any(r.verdict is not Verdict.PASSED for r in results):
            again = f"\n{self._style.paint(f'again: {self._again}', 'dim')}"
        return " · ".join([*parts, seconds_words(seconds * 1000)]) + again

    def _counted(self, counts: Counter[Verdict]) -> str:
        return ", ".join(self._style.paint(f"{counts[v]} {v.value}", ROLES[v]) for v in Verdict if counts[v])


def _told(result: EvaluatorResult) -> EvaluatorResult:
    return replace(result, hits=(), evaluator_raw_request=None, details=None, members=tuple(map(_told, result.members)))


def _listed(names: Sequence[str]) -> str:
    """Some of many names."""
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"{', '.join(names[:_MOST_NAMES])}{more}"


def _can_say(text: str, out: TextIO) -> bool:
    try:
        text.encode(out.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
