"""`rubric run FILE[::CASE-ID]`: run the cases of a suite and score the answers."""

import argparse
import asyncio
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from rubric_core.adapters import system_ports
from rubric_core.analysis import Analysis, Language, analyze
from rubric_core.cli.report import Report
from rubric_core.evaluation.events import CaseDone, Event
from rubric_core.evaluation.judging.judge import RecordingMode
from rubric_core.evaluation.result import CaseResult, Verdict
from rubric_core.evaluation.rows import case_row
from rubric_core.evaluation.run import save_recordings
from rubric_core.evaluation.runnable import Options, Runnable, runnables
from rubric_core.evaluation.schedule import run_cases
from rubric_core.evaluation.store import ResultStore
from rubric_core.loading.files import UnreadableError, read_text

__all__ = ["add_arguments", "main"]

PASSED, NOT_PASSED, WRONG_USE, NOT_SCORED = 0, 1, 2, 3


class _WrongUseError(Exception):
    """Something that the caller has to mend; the message says what."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `rubric run`."""
    parser.epilog = "Exit code: 0 every case passed, 1 a case did not pass, 2 wrong use or unreadable input, 3 a case could not be scored (also when others failed)."
    parser.add_argument("suite", metavar="FILE[::CASE-ID]", help="a suite, or one case of it")
    parser.add_argument(
        "--format",
        choices=("text", "json", "jsonl"),
        default="text",
        help="the suite with results inline, one JSON object, or a JSON row a case",
    )
    parser.add_argument("--record", action="store_true", help="keep what judges say in a file beside the suite")
    parser.add_argument("--replay", action="store_true", help="ask no judge: use what was recorded")
    parser.add_argument("--target", metavar="NAME", help="the target that answers")
    parser.add_argument("--grader-target", metavar="NAME", help="the target that judges")
    parser.add_argument("--targets", metavar="FILE", type=Path, help="the target file to use")
    parser.add_argument("--threshold", metavar="SCORE", type=_share, help="the score from which a case passes, 0 to 1")
    parser.add_argument("--workers", metavar="N", type=_count, help="how many cases run at once")
    parser.add_argument(
        "--dialect", metavar="NAME", help="the dialect to read the suite in, unless it names one itself"
    )


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
        path, analysis, cases = _opened(options)
    except (_WrongUseError, UnreadableError) as error:
        print(f"rubric: {error}", file=sys.stderr)
        return WRONG_USE
    began = time.monotonic()
    report = Report(str(path), analysis, cases, options.format == "text")
    results = asyncio.run(_run(cases, options, report, analysis))
    if options.format == "json":
        print(json.dumps(_document(path, analysis, results), ensure_ascii=False, indent=2))
    elif options.format == "text":
        report.finish(results, time.monotonic() - began)
    verdicts = {result.verdict for result in results}
    return NOT_SCORED if Verdict.UNSCORED in verdicts else PASSED if verdicts <= {Verdict.PASSED} else NOT_PASSED


def _opened(options: argparse.Namespace) -> tuple[Path, Analysis, list[Runnable]]:
    """The suite and the cases that were asked for. Raises _WrongUseError or UnreadableError."""
    name, wanted = options.suite, None
    if "::" in name and not Path(name).exists():
        name, _, wanted = name.partition("::")
    if options.record and options.replay:
        raise _WrongUseError("--record and --replay exclude each other")
    language = Language()
    if options.dialect is not None and options.dialect not in {d.name for d in language.dialects}:
        raise _WrongUseError(
            f"there is no dialect {options.dialect}; there are {', '.join(d.name for d in language.dialects)}"
        )
    if options.targets is not None and not options.targets.is_file():
        raise _WrongUseError(f"{options.targets}: there is no such file")
    path = Path(name)
    analysis = analyze(language.document(read_text(path)), language, dialect=options.dialect)
    mode: RecordingMode = "record" if options.record else "replay" if options.replay else "auto"
    asked = Options(
        target=options.target, grader_target=options.grader_target, threshold=options.threshold, targets_file=options.targets, mode=mode
    )  # fmt: skip
    cases = runnables(path, analysis, asked)
    if not cases:
        raise _WrongUseError(_no_cases(path, analysis))
    if wanted is None:
        return path, analysis, cases
    chosen = [case for case in cases if case.id == wanted]
    if not chosen:
        close = get_close_matches(wanted, [case.id for case in cases], 1)
        raise _WrongUseError(f"{path}: no case has the id {wanted}{f'; did you mean {close[0]}?' if close else ''}")
    return path, analysis, chosen


def _no_cases(path: Path, analysis: Analysis) -> str:
    errors = [d for d in analysis.diagnostics if d.severity == "error"]
    if not errors:
        return f"{path}: there is no case to run"
    line = analysis.document.position(errors[0].span.start).line + 1
    return f"{path}:{line}: there is no case to run: {errors[0].message} (rubric check {path} says more)"


async def _run(
    cases: Sequence[Runnable], options: argparse.Namespace, report: Report, analysis: Analysis
) -> list[CaseResult]:
    store = ResultStore.of(cases[0].path)
    suite, dialect = str(cases[0].path), analysis.dialect.name
    waiting: list[CaseResult] = []

    def heard(event: Event) -> None:
        if isinstance(event, CaseDone):
            waiting.append(event.result)
            if options.format == "jsonl":
                print(
                    json.dumps({"suite": suite, "dialect": dialect, **case_row(event.result)}, ensure_ascii=False),
                    flush=True,
                )
        report.heard(event)

    async with system_ports() as ports:
        try:
            results = await run_cases(cases, ports, heard, options.workers)
        finally:
            _keep(cases, waiting, store, suite, dialect)
    return results


def _keep(
    cases: Sequence[Runnable], results: Sequence[CaseResult], store: ResultStore, suite: str, dialect: str
) -> None:
    """Store what is done, also of a run that was broken off."""
    try:
        store.add(results, suite, dialect)
        save_recordings(cases)
    except OSError as error:
        print(f"rubric: the results could not be stored: {error}", file=sys.stderr)


def _document(path: Path, analysis: Analysis, results: Sequence[CaseResult]) -> dict[str, Any]:
    counts = Counter(result.verdict.value for result in results)
    summary = {verdict.value: counts[verdict.value] for verdict in Verdict}
    return {
        "suite": str(path),
        "dialect": analysis.dialect.name,
        "summary": summary,
        "cases": [case_row(result) for result in results],
    }
