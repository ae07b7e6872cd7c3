"""The report of a run on a terminal: the suite with its results, or a line per case, and at the end the failures."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, TextIO, TypeAlias

from rubric_core.cli.annotated_suite import ROLES, AnnotatedSuite
from rubric_core.cli.case_progress import InFileOrder
from rubric_core.cli.failures import count_graders, failures, grader_failures
from rubric_core.cli.live_table import Live
from rubric_core.cli.sanitize import StreamSanitizer
from rubric_core.cli.suite_run import Ending, SuiteOutcome
from rubric_core.cli.target_matrix import matrix_lines
from rubric_core.cli.terminal_style import TerminalStyle, columns_of
from rubric_core.dataclass_copies import replace_fields
from rubric_core.evaluation.cases.load import LoadedSuite
from rubric_core.evaluation.model.exchanges import add_usage, tokens_of
from rubric_core.evaluation.model.result import CaseResult, EvaluatorResult, Verdict
from rubric_core.evaluation.reporting.explain import explanation
from rubric_core.evaluation.reporting.inline_marks import seconds_words, shortened
from rubric_core.evaluation.reporting.target_matrix import TargetMatrix
from rubric_core.evaluation.reporting.transcript import transcript, usage_words
from rubric_core.lazy_compilation import dataclass
from rubric_core.validation.wording import count

__all__ = ["SuiteReport", "Volume", "listed"]

#: The longest suite that is printed as a whole, in lines.
_MOST_LINES = 250
_MOST_NAMES = 6
_LONGEST_REASON = 400
#: How much is shown.
Volume: TypeAlias = Literal["quiet", "normal", "verbose"]
_NOTHING = EvaluatorResult(name="", type="", verdict=Verdict.UNSCORED)


@dataclass(slots=True)
class _Ended:
    """A finished suite, with what is still needed for the summary; the suite itself only if it is shown as a whole."""

    path: Path
    results: Sequence[CaseResult]
    whole: SuiteOutcome | None = None


class SuiteReport:
    """Shows the results of suites: a short suite as a whole with results at the ends of its lines, a long one with a line per case.

    Args:
        out: The destination of results.
        live: The progress, above which lines are printed.
        several: Whether there is more than one suite.
        explain: Whether to explain each score.
        show_prompts: Whether to show the requests.
        allows_errors: Whether a case may pass although one of its graders failed.
        volume: Whether to show only what did not pass, or more of every case.
    """

    def __init__(
        self, out: TextIO, live: Live, *, several: bool, explain: bool, show_prompts: bool, allows_errors: bool,
        volume: Volume = "normal",
    ) -> None:  # fmt: skip
        self._volume = volume
        self._allows_errors = allows_errors
        self._show_prompts = show_prompts
        self._out = out
        self._live = live
        self._several = several
        self._explain = explain
        self._safe = StreamSanitizer(out)
        self._style = self._safe.style
        self._listing = several or volume != "normal"
        self._ended: list[_Ended] = []
        self._before: Counter[Verdict] = Counter()
        self._begun = False
        self._order: InFileOrder[CaseResult] = InFileOrder()

    @staticmethod
    def is_listed(suite: LoadedSuite) -> bool:
        """Whether a suite is too long to be shown as a whole."""
        return sum(each.document.line_count for each in (suite.analysis, *suite.files.values())) > _MOST_LINES

    def begin(self, suite: LoadedSuite, cases: int) -> None:
        """Begin the next suite."""
        self._listing = self._several or self._volume != "normal" or self.is_listed(suite)
        if self._several and cases and self._volume != "quiet":
            space = "\n" if self._begun else ""
            self._live.put(f"{space}{self._style.paint(self._safe(str(suite.path)), 'bold')}\n")
        self._begun, self._order = self._begun or cases > 0, InFileOrder()

    def take(self, place: int, result: CaseResult) -> None:
        """Add a finished case. On a terminal, lines are in file order, elsewhere in the order of completion."""
        if not self._listing or self._volume == "quiet":
            return
        ready = self._order.take(place, result) if self._live.draws and place >= 0 else (result,)
        for each in ready:
            self._print_result(each)

    def _print_result(self, result: CaseResult) -> None:
        lines = ["", *_explained(result)] if self._explain else [self._live.line(result, self._style)]
        lines += _detailed(result, self._style) if self._volume == "verbose" else []
        lines += [*transcript(result), ""] if self._show_prompts else []
        self._live.put("".join(f"{self._safe(line)}\n" for line in lines), self._order.next + 1)

    def kept(self, result: CaseResult) -> CaseResult:
        """The part of a result that the summary needs. The rest is stored and freed."""
        if not self._listing:
            return result
        judges = (
            replace_fields(_NOTHING, verdict=result.verdict, score=result.score, judge=e.judge)
            for e in result.evaluators
            if e.judge
        )
        brief = result.verdict is Verdict.PASSED and not result.grader_errors
        told = tuple(judges) if brief else tuple(map(_without_details, result.evaluators))
        return replace_fields(
            result, evaluators=told, answer="", details=None, fingerprint="", at="", exchanges=(), runs=()
        )

    def end(self, done: SuiteOutcome) -> None:
        """Print the rest of a suite that has ended or was interrupted."""
        for result in self._order.rest() if self._volume != "quiet" else ():
            self._print_result(result)
        self._before += done.before
        whole = None if self._listing or done.interrupted else done
        self._ended.append(_Ended(done.suite.path, done.results, whole))

    def finish(self, ending: Ending) -> None:
        """Print the suite with its results, if it is short and complete, the failures, and a summary."""
        for ended in self._ended:
            whole = self._whole(ended.whole) if ended.whole is not None and ended.results else ()
            for line in (*whole, *failures(ended.path, ended.results, self._style)):
                self._live.put(f"{self._safe(line)}\n")
            if matrix := TargetMatrix.of(ended.results):
                for line in matrix_lines(matrix, self._style):
                    self._live.put(f"{self._safe(line)}\n")
        suites = [(ended.path, ended.results) for ended in self._ended]
        for line in grader_failures(suites, allowed=self._allows_errors):
            self._live.put(f"{self._safe(line)}\n")
        self._live.put(f"\n{self._safe(self._summary(ending))}\n")

    def _whole(self, done: SuiteOutcome) -> Iterator[str]:
        """The suite, and then each of its case files, with results at the ends of lines."""
        suite, cases, results = done.suite, done.cases, done.results
        files, columns = {case.file for case in cases}, columns_of(self._out)
        if None in files or len(cases) >= len(suite.cases):
            yield from AnnotatedSuite(suite.analysis, self._style, columns).lines(cases, results)
        for file, analysis in suite.files.items():
            if file in files:
                name = next(c.file_name for c in cases if c.file == file)
                yield ""
                yield self._style.paint(str(suite.path.parent / name), "bold")
                yield from AnnotatedSuite(analysis, self._style, columns, file).lines(cases, results)
        for result in results if self._explain else ():
            yield ""
            yield from _explained(result)
        for result in results if self._show_prompts else ():
            yield ""
            yield from transcript(result)

    def _summary(self, ending: Ending) -> str:
        results = [result for ended in self._ended for result in ended.results]
        kept = f"already done and unchanged: {self._counted(self._before)}" if self._before else ""
        if not results:
            return f"{'no case ended' if ending.interrupted or ending.not_run else 'nothing to run'}{f'; {kept}' if kept else ''}"
        suites = f"{count(len(self._ended), 'suite')}: " if self._several else ""
        judges = sorted({e.judge for r in results for e in r.evaluators if e.judge})
        usage = add_usage(each for r in results for each in r.usage)
        tokens = tokens_of(each.tokens for each in usage)
        costs = [r.cost_usd for r in results if r.cost_usd is not None]
        recorded = any(each.recorded for each in usage if each.role == "judge")
        cached = sum(each.recorded for each in usage if each.role == "target")
        parts = (
            f"{suites}{self._counted(Counter(result.verdict for result in results))}",
            self._style.paint(count_graders(results), "bad"),
            kept,
            f"target {listed(sorted({r.target for r in results}))}",
            f"judge: {', '.join(judges)}" if judges else "",
            f"{tokens.total:,} tokens" if tokens else "",
            f"${sum(costs):.4f}" if costs else "",
            "recordings cost nothing" if recorded else "",
            f"{count(cached, 'answer')} from the cache" if cached else "",
            seconds_words(ending.seconds * 1000),
        )
        resume_hint = len(results) > 1 and any(r.verdict is not Verdict.PASSED for r in results)
        end = f"\n{self._style.paint(f'again: {ending.again}', 'dim')}" if resume_hint else ""
        return " · ".join(filter(None, parts)) + end

    def _counted(self, counts: Counter[Verdict]) -> str:
        return ", ".join(self._style.paint(f"{counts[v]} {v.value}", ROLES[v]) for v in Verdict if counts[v])


def _detailed(result: CaseResult, style: TerminalStyle) -> Iterator[str]:
    """The details of each evaluator of a case, and its answer."""
    for each in result.evaluators:
        score = "no score" if each.score is None else f"{each.score:.2f}"
        words = each.reason or each.reasoning or "; ".join((*each.shown_misses, *each.shown_hits))
        said = f": {shortened(words, _LONGEST_REASON)}" if words else ""
        yield f"    {style.paint(f'{each.name} {score}', ROLES[each.verdict])}{said}"
    for number, line in enumerate(result.answer.splitlines()):
        yield style.paint(f"    {'answer: ' if not number else '        '}{line}", "dim")


def _explained(result: CaseResult) -> list[str]:
    """The explanation of a case's score, and its usage."""
    return [*explanation(result), *(f"  {usage_words(each)}" for each in result.usage if each.has_usage)]


def _without_details(result: EvaluatorResult) -> EvaluatorResult:
    members = tuple(map(_without_details, result.members))
    return replace_fields(result, hits=(), evaluator_raw_request=None, details=None, exchanges=(), members=members)


def listed(names: Sequence[str]) -> str:
    """The first of many names."""
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"{', '.join(names[:_MOST_NAMES])}{more}"
