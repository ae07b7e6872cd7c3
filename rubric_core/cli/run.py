"""`rubric run FILE[::CASE-ID]…`: run the cases of suites and score the answers."""

import argparse
import contextlib
import gc
import logging
import sys
from collections.abc import Iterator
from typing import TextIO

from rubric_core.cli.baseline_check import BaselineCheck
from rubric_core.cli.output import results_only_stdout
from rubric_core.cli.plan import plan_run
from rubric_core.cli.run_cluster import check_cluster_options
from rubric_core.cli.run_options import add_arguments
from rubric_core.cli.sanitize import StreamSanitizer
from rubric_core.cli.selection import WrongUseError
from rubric_core.cli.session import CliSession
from rubric_core.evaluation.model.result import Verdict

__all__ = ["add_arguments", "main"]

PASSED, NOT_PASSED, WRONG_USE, NOT_SCORED, NOT_RUN = 0, 1, 2, 3, 4
#: The exit code of promptfoo if a row failed or was an error.
_FAILED_IN_PROMPTFOO = 100


def main(options: argparse.Namespace) -> int:
    """Run and report. Returns the exit code."""
    with results_only_stdout() as out, _log_told():
        try:
            return _main(options, out)
        finally:
            gc.unfreeze()


def _main(options: argparse.Namespace, out: TextIO) -> int:
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # messages about ended programs are of no use
    try:
        check_cluster_options(options)
        if options.watch and not options.plan:
            from rubric_core.cli.run_watch import RunWatch  # noqa: PLC0415  # one run needs none of it

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
    if options.plan:
        from rubric_core.cli.plan_output import print_plan  # noqa: PLC0415  # a run needs none of it

        print_plan(planned.plans, out, as_json=options.format != "text")
        return WRONG_USE if wrong else PASSED
    try:
        check = BaselineCheck(options, [plan.suite.path for plan in planned.plans])
    except WrongUseError as error:
        print(f"rubric: {error}", file=sys.stderr)
        return WRONG_USE
    session = CliSession(planned.plans, options, out, several=planned.several)
    session.run()
    if session.interrupt_code:
        return session.interrupt_code
    wrong = not _compared(check, session, options, out) or wrong
    passed = not check.failed if check.decides else session.verdicts <= {Verdict.PASSED}
    worst = PASSED if passed else NOT_PASSED
    unscored = Verdict.UNSCORED in session.verdicts or (session.grader_errors and not options.allow_grader_errors)
    if worst is PASSED and session.not_run:
        worst = NOT_RUN
    if wrong or session.lossy or session.unusable:
        return WRONG_USE
    code = NOT_SCORED if unscored else worst
    return _FAILED_IN_PROMPTFOO if options.promptfoo_exit_code and code in (NOT_PASSED, NOT_SCORED) else code


def _compared(check: BaselineCheck, session: CliSession, options: argparse.Namespace, out: TextIO) -> bool:
    """Print the comparison with the baseline; returns whether that was possible."""
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
    """Prints warnings from loading a suite; other problems are for `rubric check`."""

    def emit(self, record: logging.LogRecord) -> None:
        """See `logging.Handler`."""
        print(f"rubric: {record.getMessage()}", file=sys.stderr)


@contextlib.contextmanager
def _log_told() -> Iterator[None]:
    """Within this context, warnings of the core are printed."""
    log, told = logging.getLogger("rubric_core"), _StandardErrorLog(logging.WARNING)
    log.addHandler(told)
    try:
        yield
    finally:
        log.removeHandler(told)
