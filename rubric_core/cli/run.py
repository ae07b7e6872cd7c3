"""`rubric run FILE[::CASE-ID]…`: run the cases of suites and score the answers."""

import argparse
import contextlib
import gc
import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from rubric_core.cli.baseline_check import BaselineCheck
from rubric_core.cli.case_filter import condition, keywords, shard
from rubric_core.cli.export import output_file
from rubric_core.cli.output import results_only_stdout
from rubric_core.cli.plan import plan_run
from rubric_core.cli.run_watch import RunWatch
from rubric_core.cli.sanitize import StreamSanitizer
from rubric_core.cli.selection import WrongUseError
from rubric_core.cli.session import CliSession
from rubric_core.evaluation.model.result import Verdict

__all__ = ["add_arguments", "main"]

PASSED, NOT_PASSED, WRONG_USE, NOT_SCORED, NOT_RUN = 0, 1, 2, 3, 4


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `rubric run`."""
    parser.epilog = (
        "Exit code: 0 every case passed, 1 a case did not pass, 2 usage error, unreadable input, or results that could not be stored, 3 a case could not be scored, "
        "or a grader could not run or crashed (also when other cases failed), 4 every case that ran passed and --max-cost or "
        "--max-seconds ended the run before the others, 130 stopped by Ctrl-C. Finished results are kept in .rubric/results.db."
    )
    parser.set_defaults(invocation=())
    parser.usage = "rubric run [OPTION]… FILE[::CASE-ID]…"
    parser.add_argument(
        "suites",
        nargs="+",
        metavar="FILE[::CASE-ID]",
        help="a suite, one case of it, a folder to look for suites in, or a pattern",
    )
    _add_selection(parser)
    _add_baseline(parser)
    add = parser.add_argument_group("targets and judges").add_argument
    add(
        "--target",
        metavar="NAME",
        action="append",
        help="the target that answers; repeat it to compare several targets side by side",
    )
    add("--grader-target", metavar="NAME", help="the target that judges")
    add("--targets", metavar="FILE", type=Path, help="the targets file to use (default: the closest one)")
    add("--threshold", metavar="SCORE", type=_share, help="the lowest score that passes a case, 0 to 1")
    add(
        "--allow-grader-errors",
        action="store_true",
        help="let cases pass by their other graders when one could not run or crashed",
    )
    add(
        "--cache",
        action=argparse.BooleanOptionalAction,
        default=False,
        help="ask targets only what they have not been asked before; answers are kept in .rubric/cache",
    )
    add(
        "--record",
        action="store_true",
        help="call judges for replies that are not recorded yet, and record them beside the suite",
    )
    add("--refresh", action="store_true", help="call judges for all replies again, and replace the recorded ones")
    add("--replay", action="store_true", help="never call a judge: use recorded replies")
    shown = parser.add_argument_group("output")
    add = shown.add_argument
    how_much = shown.add_mutually_exclusive_group().add_argument
    how_much("-q", "--quiet", action="store_true", help="show only what did not pass, and the summary")
    how_much("-v", "--verbose", action="store_true", help="show the answer to each case, and what each evaluator says")
    add(
        "--format",
        choices=("text", "json", "jsonl"),
        default="text",
        help="the suite with results inline, one JSON object, or one JSON row per case as soon as it is done",
    )
    add("--show-prompts", action="store_true", help="show the requests to targets, judges and programs verbatim")
    add("--explain", action="store_true", help="explain each score, and what would change the verdict")
    add(
        "--keep-workspaces",
        choices=("failed", "all"),
        default="never",
        help="keep the directories of cases that did not pass, or all of them, and print their paths",
    )
    add(
        "-o",
        "--output",
        metavar="FILE",
        action="append",
        default=[],
        type=output_file,
        help="also write the results to a file; its ending says the format: .json, .jsonl, .csv, .xml (JUnit), .md, .html",
    )
    add("--no-store", action="store_true", help="do not keep the results")


def _add_baseline(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("what it is compared with").add_argument
    add("--baseline", metavar="RUN", help="compare the results with this run: a baseline's name, an id, a commit")
    add(
        "--fail-on",
        choices=("case", "flip", "regression"),
        default="case",
        help="what makes the exit code 1: a case that did not pass (default); with --baseline, a case that passed there and does not "
        "now; or a result that is worse beyond noise",
    )


def _add_selection(parser: argparse.ArgumentParser) -> None:
    """Declare which cases are run."""
    add = parser.add_argument_group("select cases").add_argument
    add(
        "-k",
        dest="keywords",
        metavar="EXPR",
        type=keywords,
        help="only cases whose id, tags, suite or file contain these words: 'refund and not (slow or late)', as in pytest",
    )
    add("--tag", metavar="NAME", action="append", help="only cases with this tag; repeat it to require several")
    add(
        "--where",
        metavar="PATH=VALUE",
        type=condition,
        action="append",
        help="only cases with this value at a path such as metadata.owner, or with != any other; repeat it to require several",
    )
    add("--failed", action="store_true", help="only cases that did not pass in their last run")
    add(
        "--changed",
        action="store_true",
        help="only cases that never ran, or that have changed since (with everything they use)",
    )
    add("--resume", action="store_true", help="skip cases with up-to-date results")
    add("--shard", metavar="I/N", type=shard, help="only part I of N, to share the work among N machines")
    add("--sample", metavar="N", type=_count, help="only N of the cases, chosen at random")
    add("--seed", metavar="S", type=int, help="the seed of --sample, to choose the same cases again")
    add("--limit", metavar="N", type=_count, help="only the first N cases")
    add = parser.add_argument_group("how").add_argument
    add("-x", "--exitfirst", action="store_true", help="start no further case after the first one that did not pass")
    add("--maxfail", metavar="N", type=_count, help="start no further case after N that did not pass")
    add(
        "--max-cost",
        metavar="USD",
        type=_amount,
        help="start no further case when targets and judges have cost this many US dollars",
    )
    add(
        "--max-seconds",
        metavar="N",
        type=_amount,
        help="end the run after this many seconds; finished results are kept",
    )
    add("--watch", action="store_true", help="run again what changes, until Ctrl-C: suites, prompts, targets, files")
    add("--repeat", metavar="N", type=_count, help="run each case N times and take the mean")
    add(
        "--workers",
        metavar="N",
        type=_count,
        help="the number of cases that run in parallel (default: that of the suite, else 4)",
    )
    add("--dialect", metavar="NAME", help="the dialect of suites that do not name one")


def _share(text: str) -> float:
    with contextlib.suppress(ValueError):
        if 0 <= (value := float(text)) <= 1:
            return value
    raise argparse.ArgumentTypeError(f"a number from 0 to 1, not {text!r}")


def _amount(text: str) -> float:
    with contextlib.suppress(ValueError):
        if 0 < (value := float(text)) < float("inf"):
            return value
    raise argparse.ArgumentTypeError(f"a number above 0, not {text!r}")


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a whole number of at least 1, not {text!r}")
    return int(text)


def main(options: argparse.Namespace) -> int:
    """Run and report. Gives the exit code."""
    with results_only_stdout() as out, _log_told():
        try:
            return _main(options, out)
        finally:
            gc.unfreeze()


def _main(options: argparse.Namespace, out: TextIO) -> int:
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # what it says of programs that were ended is for nobody
    try:
        if options.watch:
            return RunWatch(options, out).run()
        planned = plan_run(options)
    except WrongUseError as error:
        print(f"rubric: {error}", file=sys.stderr)
        return WRONG_USE
    for failure in planned.failures:
        print(f"rubric: {failure}", file=sys.stderr)
    wrong = bool(planned.failures)
    if wrong and not planned.plans:
        return WRONG_USE
    try:
        check = BaselineCheck(options, [plan.suite.path for plan in planned.plans])
    except WrongUseError as error:
        print(f"rubric: {error}", file=sys.stderr)
        return WRONG_USE
    session = CliSession(planned.plans, options, out, several=planned.several)
    session.run()
    if session.broken_off:
        return session.broken_off
    wrong = not _compared(check, session, options, out) or wrong
    passed = not check.failed if check.decides else session.verdicts <= {Verdict.PASSED}
    worst = PASSED if passed else NOT_PASSED
    unscored = Verdict.UNSCORED in session.verdicts or (session.grader_errors and not options.allow_grader_errors)
    if worst is PASSED and session.not_run:
        worst = NOT_RUN
    return WRONG_USE if wrong or session.lossy else NOT_SCORED if unscored else worst


def _compared(check: BaselineCheck, session: CliSession, options: argparse.Namespace, out: TextIO) -> bool:
    """Show how the run compares with its baseline; whether that could be done."""
    if not check:
        return True
    safe = StreamSanitizer(out)
    try:
        for line in check.compare(session.stored):
            print(safe(line), file=out if options.format == "text" else sys.stderr)
    except OSError as error:
        print(f"rubric: the run cannot be compared: {error}", file=sys.stderr)
        return False
    return True


class _StandardErrorLog(logging.Handler):
    """What loading a suite logs; everything else that is wrong with it is for `rubric check`."""

    def emit(self, record: logging.LogRecord) -> None:
        """See `logging.Handler`."""
        print(f"rubric: {record.getMessage()}", file=sys.stderr)


@contextlib.contextmanager
def _log_told() -> Iterator[None]:
    """Meanwhile, warnings of the core reach the person who runs the command."""
    log, told = logging.getLogger("rubric_core"), _StandardErrorLog(logging.WARNING)
    log.addHandler(told)
    try:
        yield
    finally:
        log.removeHandler(told)
