"""`rubric results flaky`: cases that pass in some runs and fail in others, although nothing has changed."""

import argparse
import sys
from collections.abc import Iterator, Sequence

from rubric_core.cli.arguments import count
from rubric_core.cli.sanitize import StreamSanitizer
from rubric_core.evaluation.comparison.flaky import CaseHistory, PastOutcome, case_histories
from rubric_core.evaluation.results.database import ResultDatabase

__all__ = ["add_flaky_arguments", "show_flaky"]

_LEVELS = "▁▂▃▄▅▆▇█"
#: The number of newest outcomes per line.
_SHOWN = 30
_RUNS = 50


def add_flaky_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `rubric results flaky`."""
    parser.add_argument(
        "--runs", metavar="N", type=count, default=_RUNS, help=f"look at the last N runs (default: {_RUNS})"
    )
    parser.add_argument("--all", action="store_true", help="list the cases that always end alike, too")


def show_flaky(database: ResultDatabase, options: argparse.Namespace) -> None:
    """List the cases, the most uneven first."""
    safe = StreamSanitizer(sys.stdout)
    runs = database.runs(limit=options.runs)
    histories = case_histories((case for case in database.cases(run) if case.is_own) for run in runs)
    shown = [each for each in histories if options.all or each.is_flaky]
    for history in sorted(shown, key=_evenness):
        print(safe(_line(history)))
    if not shown:
        seen = sum(len(each.outcomes) > 1 for each in histories)
        print(f"no case is flaky: {seen} ran more than once since they last changed, and ended alike")


def _evenness(history: CaseHistory) -> tuple[float, str, str]:
    return abs(history.passes / len(history.outcomes) - 0.5), history.suite, history.id


def _line(history: CaseHistory) -> str:
    low, high = history.interval
    target = f" ({history.target})" if history.target else ""
    rate = f"{history.passes} of {len(history.outcomes)} passed (95 % {low:.0%} to {high:.0%})".replace(
        "%", " %"
    ).replace("  ", " ")
    return f"{''.join(_sparkline(history.outcomes[-_SHOWN:]))}  {rate}  {history.suite}::{history.id}{target}"


def _sparkline(outcomes: Sequence[PastOutcome]) -> Iterator[str]:
    """The scores as bars, oldest first."""
    for each in outcomes:
        score = each.score if each.score is not None else float(each.passed)
        yield _LEVELS[min(len(_LEVELS) - 1, int(score * len(_LEVELS)))]
