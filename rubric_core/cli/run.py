"""`rubric run FILE[::CASE-ID]`: run the cases of a suite and score the answers."""

import argparse
import asyncio
import contextlib
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rubric_core.adapters import system_ports
from rubric_core.cli.chosen import WrongUseError, chosen_cases, opened, still_to_do
from rubric_core.cli.report import Report
from rubric_core.evaluation.events import CaseDone, Event
from rubric_core.evaluation.result import CaseResult, Verdict
from rubric_core.evaluation.rows import case_row
from rubric_core.evaluation.run import save_recordings
from rubric_core.evaluation.runnable import Runnable
from rubric_core.evaluation.schedule import run_cases
from rubric_core.evaluation.store import ResultStore
from rubric_core.evaluation.suites import LoadedSuite, NoSuiteError
from rubric_core.loading.files import UnreadableError

__all__ = ["add_arguments", "main"]

PASSED, NOT_PASSED, WRONG_USE, NOT_SCORED = 0, 1, 2, 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `rubric run`."""
    parser.epilog = (
        "Exit code: 0 every case passed, 1 a case did not pass, 2 wrong use or unreadable input, "
        "3 a case could not be scored (also when others failed)."
    )
    add = parser.add_argument
    add("suite", metavar="FILE[::CASE-ID]", help="a suite, or one case of it")
    add(
        "--format",
        choices=("text", "json", "jsonl"),
        default="text",
        help="the suite with results inline, one JSON object, or a JSON row a case",
    )
    add("--explain", action="store_true", help="show how each score came about, and what would change the verdict")
    add("--failed", action="store_true", help="only the cases that did not pass when they ran last")
    add("--resume", action="store_true", help="leave out the cases whose last result still holds")
    add("--repeat", metavar="N", type=_count, help="run each case N times and take the mean")
    add("--record", action="store_true", help="keep what judges say in a file beside the suite")
    add("--replay", action="store_true", help="ask no judge: use what was recorded")
    add("--target", metavar="NAME", help="the target that answers")
    add("--grader-target", metavar="NAME", help="the target that judges")
    add("--targets", metavar="FILE", type=Path, help="the target file to use")
    add("--threshold", metavar="SCORE", type=_share, help="the score from which a case passes, 0 to 1")
    add("--workers", metavar="N", type=_count, help="how many cases run at once")
    add(
        "--keep-workspaces",
        choices=("failed", "all"),
        default="never",
        help="leave the directories of cases that did not pass, or all of them, and say where they are",
    )
    add("--dialect", metavar="NAME", help="the dialect to read the suite in, unless it names one itself")


def _share(text: str) -> float:
    value = float(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError("a number from 0 to 1")
    return value


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("a whole number of at least 1")
    return value


def main(options: argparse.Namespace) -> int:
    """Run and report. Gives the exit code."""
    try:
        suite, wanted = opened(options)
        cases = chosen_cases(suite, wanted, options)
    except (WrongUseError, NoSuiteError, UnreadableError) as error:
        print(f"rubric: {error}", file=sys.stderr)
        return WRONG_USE
    began = time.monotonic()
    report, results = asyncio.run(_run(suite, cases, options))
    if options.format == "json":
        print(json.dumps(_document(suite, results), ensure_ascii=False, indent=2))
    elif options.format == "text":
        report.finish(results, time.monotonic() - began, explain=options.explain)
    verdicts = {result.verdict for result in results}
    return NOT_SCORED if Verdict.UNSCORED in verdicts else PASSED if verdicts <= {Verdict.PASSED} else NOT_PASSED


async def _run(
    suite: LoadedSuite, cases: list[Runnable], options: argparse.Namespace
) -> tuple[Report, list[CaseResult]]:
    store = ResultStore.of(suite.path)
    name, dialect = str(suite.path), suite.analysis.dialect.name
    async with system_ports() as ports:
        if options.resume:
            cases = still_to_do(cases, ports)
        report = Report(suite, cases, options.format)

        def heard(event: Event) -> None:
            if isinstance(event, CaseDone):
                _note(store, event.result)
                if options.format == "jsonl":
                    row = {"suite": name, "dialect": dialect, **case_row(event.result)}
                    print(json.dumps(row, ensure_ascii=False), flush=True)
            report.heard(event)

        try:
            async with report.live.drawing():
                results = await run_cases(cases, ports, heard, options.workers)
        finally:
            _keep(cases, store, name, dialect)
    return report, results


def _note(store: ResultStore, result: CaseResult) -> None:
    with contextlib.suppress(OSError):  # said once, at the end
        store.note(result)


def _keep(cases: Sequence[Runnable], store: ResultStore, suite: str, dialect: str) -> None:
    """Put what is done in its place, also after a run that was broken off."""
    try:
        store.settle(suite, dialect)
        save_recordings(cases)
    except OSError as error:
        print(f"rubric: the results could not be stored: {error}", file=sys.stderr)


def _document(suite: LoadedSuite, results: Sequence[CaseResult]) -> dict[str, Any]:
    counts = Counter(result.verdict.value for result in results)
    summary = {verdict.value: counts[verdict.value] for verdict in Verdict}
    return {
        "suite": str(suite.path),
        "dialect": suite.analysis.dialect.name,
        "summary": summary,
        "cases": [case_row(result) for result in results],
    }
