"""`rubric run FILE[::CASE-ID]…`: run the cases of suites and score the answers."""

import argparse
import asyncio
import contextlib
import logging
import signal
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from rubric_core.cli.chosen import Choice, WrongUseError, chosen_cases
from rubric_core.cli.output import results_alone
from rubric_core.cli.style import Style
from rubric_core.cli.suite_run import Done, SuiteRun
from rubric_core.evaluation.result import Verdict
from rubric_core.evaluation.rows import case_row
from rubric_core.evaluation.suites import LoadedSuite, NoSuiteError
from rubric_core.evaluation.writing import json_text
from rubric_core.loading.files import UnreadableError
from rubric_core.validation.words import count

__all__ = ["add_arguments", "main"]

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
    with results_alone() as out, _log_told():
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
    several = len(wanted) > 1
    wrong = bool(choice.failures)
    done: list[Done] = []
    for each in wanted:
        try:
            suite = choice.load(each)
            cases = chosen_cases(suite, each.ids, options, alone=not several)
        except (WrongUseError, NoSuiteError, UnreadableError) as error:
            print(f"rubric: {error}", file=sys.stderr)
            wrong = True
            continue
        if not each.ids:
            _tell_left_out(suite)
        if not cases and several:
            continue  # nothing of it failed
        if options.format == "text" and several:
            print(f"{chr(10) if done else ''}{Style.of(out).paint(str(suite.path), 'bold')}", file=out)
        run = SuiteRun(suite, cases, options, out)
        try:
            done.append(run.to_end())
        except (KeyboardInterrupt, asyncio.CancelledError):
            print(f"rubric: {run.broken_off(several=several)}", file=sys.stderr)
            return 128 + (run.signal or signal.SIGINT)
    _conclude(done, options.format, out, several=several)
    return WRONG_USE if wrong else _exit_code(done)


def _exit_code(done: Sequence[Done]) -> int:
    verdicts = {verdict for each in done for verdict in (*each.before, *(r.verdict for r in each.results))}
    return NOT_SCORED if Verdict.UNSCORED in verdicts else PASSED if verdicts <= {Verdict.PASSED} else NOT_PASSED


class _ToldOnStandardError(logging.Handler):
    """What loading a suite logs; everything else that is wrong with it is for `rubric check`."""

    def emit(self, record: logging.LogRecord) -> None:
        """See `logging.Handler`."""
        print(f"rubric: {record.getMessage()}", file=sys.stderr)


@contextlib.contextmanager
def _log_told() -> Iterator[None]:
    """Meanwhile, warnings of the core reach the person who runs the command."""
    log, told = logging.getLogger("rubric_core"), _ToldOnStandardError(logging.WARNING)
    log.addHandler(told)
    try:
        yield
    finally:
        log.removeHandler(told)


def _tell_left_out(suite: LoadedSuite) -> None:
    if len(suite.in_range) < len(suite.cases):
        left = f"`filter_range` leaves {len(suite.in_range)} of {count(len(suite.cases), 'case')}"
        print(f"rubric: {suite.path}: {left}", file=sys.stderr)


def _conclude(done: Sequence[Done], form: str, out: TextIO, *, several: bool) -> None:
    """What is told when everything has run."""
    documents = [_document(each) for each in done] if form == "json" else []
    if form == "json" and (several or documents):
        print(json_text({"suites": documents} if several else documents[0], indent=2), file=out)
    if form == "text" and several:
        counts = Counter(result.verdict for each in done for result in each.results)
        words = ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in Verdict if counts[verdict])
        print(f"\n{count(len(done), 'suite')}: {words or 'nothing to run'}", file=out)


def _document(done: Done) -> dict[str, Any]:
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
