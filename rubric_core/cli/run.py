"""`rubric run FILE[::CASE-ID]…`: run the cases of suites and score the answers."""

import argparse
import asyncio
import contextlib
import gc
import json
import logging
import signal
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from rubric_core.adapters import system_ports
from rubric_core.cli.chosen import Choice, WrongUseError, again, chosen_cases, still_to_do
from rubric_core.cli.output import results_alone
from rubric_core.cli.report import Report
from rubric_core.cli.style import Style
from rubric_core.cli.told import ToldToEnd
from rubric_core.evaluation.attempt import targets_of
from rubric_core.evaluation.derived import DerivedMetrics
from rubric_core.evaluation.events import CaseDone, Event
from rubric_core.evaluation.result import CaseResult, Verdict
from rubric_core.evaluation.rows import case_row
from rubric_core.evaluation.run import save_recordings
from rubric_core.evaluation.runnable import Runnable
from rubric_core.evaluation.schedule import run_cases
from rubric_core.evaluation.store import ResultStore
from rubric_core.evaluation.suites import LoadedSuite, NoSuiteError
from rubric_core.loading.files import UnreadableError
from rubric_core.validation.words import count

__all__ = ["add_arguments", "main"]

#: So many warnings about old spellings stand in front of the results of a suite.
_MOST_WARNINGS = 5
PASSED, NOT_PASSED, WRONG_USE, NOT_SCORED = 0, 1, 2, 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `rubric run`."""
    parser.epilog = (
        "Exit code: 0 every case passed, 1 a case did not pass, 2 wrong use or unreadable input, "
        "3 a case could not be scored (also when others failed), 130 stopped by Ctrl-C. What is done is kept in .rubric/results."
    )
    parser.add_argument(
        "suites",
        nargs="+",
        metavar="FILE[::CASE-ID]",
        help="a suite, one case of it, a folder to look for suites in, or a pattern",
    )
    add = parser.add_argument_group("which cases").add_argument
    add("--failed", action="store_true", help="only the cases that did not pass when they ran last")
    add("--resume", action="store_true", help="leave out the cases whose last result still holds")
    add("--repeat", metavar="N", type=_count, help="run each case N times and take the mean")
    add("--workers", metavar="N", type=_count, help="how many cases run at once; 4, where the suite says nothing")
    add("--dialect", metavar="NAME", help="the dialect to read suites in that do not name one themselves")
    add = parser.add_argument_group("who answers and who judges").add_argument
    add("--target", metavar="NAME", help="the target that answers")
    add("--grader-target", metavar="NAME", help="the target that judges")
    add("--targets", metavar="FILE", type=Path, help="the target file to use")
    add("--threshold", metavar="SCORE", type=_share, help="the score from which a case passes, 0 to 1")
    add("--record", action="store_true", help="ask judges what is not recorded yet, and keep it beside the suite")
    add("--refresh", action="store_true", help="ask judges everything again, and keep it in place of what was recorded")
    add("--replay", action="store_true", help="ask no judge: use what was recorded")
    add = parser.add_argument_group("what is shown and kept").add_argument
    add(
        "--format",
        choices=("text", "json", "jsonl"),
        default="text",
        help="the suite with results inline, one JSON object, or a JSON row a case as soon as it is done",
    )
    add("--explain", action="store_true", help="show how each score came about, and what would change the verdict")
    add(
        "--keep-workspaces",
        choices=("failed", "all"),
        default="never",
        help="leave the directories of cases that did not pass, or all of them, and say where they are",
    )


def _share(text: str) -> float:
    with contextlib.suppress(ValueError):
        if 0 <= (value := float(text)) <= 1:
            return value
    raise argparse.ArgumentTypeError(f"a number from 0 to 1, not {text!r}")


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a whole number of at least 1, not {text!r}")
    return int(text)


def main(options: argparse.Namespace) -> int:
    """Run and report. Gives the exit code."""
    with results_alone() as out:
        return _main(options, out)


def _main(options: argparse.Namespace, out: TextIO) -> int:
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # what it says of programs that were ended is for nobody
    try:
        choice = Choice(options)
        wanted = choice.suites()
    except WrongUseError as error:
        print(f"rubric: {error}", file=sys.stderr)
        return WRONG_USE
    for failure in choice.failures:
        print(f"rubric: {failure}", file=sys.stderr)
    done: list[_Done] = []
    wrong = bool(choice.failures)
    before: Counter[Verdict] = Counter()
    for each in wanted:
        try:
            suite = choice.load(each)
            _warn(suite)
            cases = chosen_cases(suite, each.ids, options, alone=len(wanted) == 1)
            if not each.ids and len(suite.in_range) < len(suite.cases):
                left = f"`filter_range` leaves {len(suite.in_range)} of {count(len(suite.cases), 'case')}"
                print(f"rubric: {suite.path}: {left}", file=sys.stderr)
        except (WrongUseError, NoSuiteError, UnreadableError) as error:
            print(f"rubric: {error}", file=sys.stderr)
            wrong = True
            continue
        if not cases and len(wanted) > 1:
            continue  # nothing of it failed
        if options.format == "text" and len(wanted) > 1:
            print(f"{chr(10) if done else ''}{Style.of(out).paint(str(suite.path), 'bold')}", file=out)
        gc.freeze()  # what was read stays until the end: no need to look through it again and again
        run = _Run(suite, cases, options, out)
        try:
            results = asyncio.run(run.results())
        except (KeyboardInterrupt, asyncio.CancelledError):
            if options.format == "text" and run.done:
                run.report.finish(run.done, time.monotonic() - run.began, inline=False)
            print(f"rubric: {run.broken_off(several=len(wanted) > 1)}", file=sys.stderr)
            return 128 + (run.signal or signal.SIGINT)
        gc.unfreeze()
        if options.format == "text":
            run.report.finish(results, time.monotonic() - run.began, explain=options.explain, before=run.before)
        done.append(_Done(suite, results, run.derived))
        before.update(run.before)
    _conclude(done, options.format, out, several=len(wanted) > 1)
    verdicts = {*before, *(result.verdict for each in done for result in each.results)}
    worst = NOT_SCORED if Verdict.UNSCORED in verdicts else PASSED if verdicts <= {Verdict.PASSED} else NOT_PASSED
    return WRONG_USE if wrong else worst


class _Done(NamedTuple):
    """A suite that was run."""

    suite: LoadedSuite
    results: Sequence[CaseResult]
    derived: DerivedMetrics


def _warn(suite: LoadedSuite) -> None:
    """What is given up and read all the same (REQ-EVAL-009); everything else that is wrong is for `rubric check`."""
    old = [d for d in suite.analysis.diagnostics if "deprecated" in d.tags and d.severity == "warning"]
    for found in old[:_MOST_WARNINGS]:
        line = suite.analysis.document.position(found.span.start).line + 1
        print(f"rubric: {suite.path}:{line}: {found.message}", file=sys.stderr)
    if len(old) > _MOST_WARNINGS:
        print(f"rubric: {suite.path}: {len(old) - _MOST_WARNINGS} more like these; see rubric check", file=sys.stderr)


def _conclude(done: Sequence[_Done], form: str, out: TextIO, *, several: bool) -> None:
    """What is told when everything has run."""
    documents = [_document(each) for each in done] if form == "json" else []
    if form == "json" and (several or documents):
        print(_json({"suites": documents} if several else documents[0], indent=2), file=out)
    if form == "text" and several:
        counts = Counter(result.verdict for each in done for result in each.results)
        words = ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in Verdict if counts[verdict])
        print(f"\n{count(len(done), 'suite')}: {words or 'nothing to run'}", file=out)


class _Run:
    """One run: what is done is kept at once, whatever becomes of the rest."""

    def __init__(self, suite: LoadedSuite, cases: list[Runnable], options: argparse.Namespace, out: TextIO) -> None:
        self.suite = suite
        self.options = options
        self._again = again(options, [str(suite.path)], "failed")
        self.report = Report(suite, cases, options.format, out, self._again, explain=options.explain)
        self._out = out
        self.began = time.monotonic()
        self._told = ToldToEnd()
        self._cases = cases
        self._store = ResultStore.of(suite.path)
        #: The results so far.
        self.done: list[CaseResult] = []
        #: How those cases ended that `--resume` left out.
        self.before: Counter[Verdict] = Counter()
        self.derived = DerivedMetrics(suite.analysis.suite)
        #: Results that could not be stored yet.
        self._unkept: list[CaseResult] = []

    @property
    def signal(self) -> int:
        """The signal that broke it off; 0 for none."""
        return self._told.signal

    async def results(self) -> list[CaseResult]:
        """Run, and put what is done in its place, also when this is broken off."""
        with self._told.cancels_this_task():
            return await self._results()

    async def _results(self) -> list[CaseResult]:
        async with system_ports() as ports:
            if self.options.resume:
                self._cases, self.before = still_to_do(self._cases, ports)
                self.report = Report(
                    self.suite, self._cases, self.options.format, self._out, self._again, explain=self.options.explain
                )
            try:
                async with self.report.live.drawing():
                    return await run_cases(self._cases, ports, self._heard, self.options.workers, self.report.kept)
            finally:
                self._keep()
                for note in dict.fromkeys(note for case in self._cases for note in targets_of(case, ports).notes):
                    print(f"rubric: {note}", file=sys.stderr)

    def broken_off(self, *, several: bool) -> str:
        """What there is after a run that was broken off, and how to go on."""
        which = f" of {self.suite.path}" if several else ""
        kept = f"; {len(self.done)} of {len(self._cases)} cases{which} are done and kept" if not self._unkept else ""
        # What did not pass before and did now is not among the failed any more; what failed again is among what is done.
        goes_on = again(self.options, self.options.suites, "failed" if self.options.failed else "resume")
        return f"stopped{kept}; {goes_on} runs the others"

    def _heard(self, event: Event) -> None:
        if isinstance(event, CaseDone):
            self.done.append(self.report.kept(event.result))
            self.derived.take(event.result)
            self._note(event.result)
            if self.options.format == "jsonl":
                head = {"suite": str(self.suite.path), "dialect": self.suite.analysis.dialect.name}
                print(_json({**head, **case_row(event.result)}), file=self._out, flush=True)
        self.report.heard(event)

    def _note(self, result: CaseResult) -> None:
        try:
            self._store.note(result)
        except OSError as error:
            if not self._unkept:
                self.report.live.clear()
                print(f"rubric: results cannot be stored: {error}", file=sys.stderr)
            self._unkept.append(result)

    def _keep(self) -> None:
        """Put what is done in its place; what could not be stored before may be now."""
        name, dialect = self.suite.path.name, self.suite.analysis.dialect.name
        try:
            if self._unkept:
                self._store.add(self._unkept, name, dialect)
                print("rubric: now they are stored", file=sys.stderr)
                self._unkept.clear()
            else:
                self._store.settle(name, dialect)
            save_recordings(self._cases)
        except OSError as error:
            if not self._unkept:
                print(f"rubric: the results could not be stored: {error}", file=sys.stderr)


def _json(value: Any, indent: int | None = None) -> str:
    """JSON; half of a pair of surrogates, which is no text and may be in an answer, is written as its number."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, indent=indent)
    return text


def _document(done: _Done) -> dict[str, Any]:
    suite, results = done.suite, done.results
    counts = Counter(result.verdict.value for result in results)
    summary = {verdict.value: counts[verdict.value] for verdict in Verdict}
    return {
        "suite": str(suite.path),
        "dialect": suite.analysis.dialect.name,
        "summary": summary,
        **({"derived_metrics": {name: value for name, value, _ in done.derived.values()}} if done.derived else {}),
        "cases": [case_row(result) for result in results],
    }
