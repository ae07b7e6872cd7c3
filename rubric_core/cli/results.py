"""`rubric results`: lists stored runs, shows, exports and removes them."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from rubric_core.cli.arguments import count
from rubric_core.cli.export import add_export_arguments, export_run
from rubric_core.cli.results_flaky import add_flaky_arguments, show_flaky
from rubric_core.cli.results_prune import add_prune_arguments, prune_runs
from rubric_core.cli.results_show import show_run
from rubric_core.cli.sanitize import StreamSanitizer
from rubric_core.evaluation.model.result import Verdict
from rubric_core.evaluation.reporting.inline_marks import SIGNS, seconds_words
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.records import RunNotFoundError, RunRecord, RunState

__all__ = ["add_arguments", "main"]

DONE, WRONG_USE = 0, 2
#: The default number of listed runs.
_LISTED = 20
#: The characters of a commit.
_SHORT = 9


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `rubric results`."""
    parser.description = "List the runs that are stored for this repository, newest first."
    parser.epilog = (
        "RUN is an id or the beginning of one, `last`, `last~2`, a commit, or the name of a baseline. "
        "Exit code: 0 done, 2 usage error, or results that cannot be read."
    )
    parser.add_argument(
        "--limit", metavar="N", type=count, default=_LISTED, help=f"the number of runs to list (default: {_LISTED})"
    )
    parser.add_argument("--suite", metavar="FILE", type=Path, help="only runs of this suite")
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    show = actions.add_parser("show", help="show the cases of a run, or one case in full")
    show.add_argument(
        "run", metavar="RUN[::CASE]", nargs="?", default="last", help="the run, or a case of it (default: last)"
    )
    add_export_arguments(actions.add_parser("export", help="print or write a run in a format for other programs"))
    add_flaky_arguments(
        actions.add_parser(
            "flaky", help="list cases that pass in some runs and fail in others, although nothing changed"
        )
    )
    add_prune_arguments(actions.add_parser("prune", help="remove old runs"))


def main(options: argparse.Namespace) -> int:
    """Run the subcommand. Returns the exit code."""
    database = ResultDatabase.at(Path.cwd())
    actions: dict[str | None, Callable[[ResultDatabase, argparse.Namespace], None]] = {
        None: _list_runs, "show": show_run, "export": export_run, "flaky": show_flaky, "prune": prune_runs,
    }  # fmt: skip
    try:
        actions[options.action](database, options)
    except BrokenPipeError:  # the reader has closed the output: the exit code says so
        raise
    except (RunNotFoundError, OSError) as error:
        print(f"rubric: {error}", file=sys.stderr)
        return WRONG_USE
    return DONE


def _list_runs(database: ResultDatabase, options: argparse.Namespace) -> None:
    suites = [database.name_of(options.suite)] if options.suite is not None else []
    runs = database.runs(suites=suites, limit=options.limit)
    if not runs:
        print("no runs are stored")
    safe = StreamSanitizer(sys.stdout)
    for run in runs:
        print(safe(_line(run)))


def _line(run: RunRecord) -> str:
    counts = "  ".join(
        f"{SIGNS[verdict]} {run.counts.get(verdict, 0)}" for verdict in Verdict if run.counts.get(verdict)
    )
    commit = f"{run.commit[:_SHORT]}{'*' if run.dirty else ''}" if run.commit else ""
    cost = f"${run.cost_usd:.4g}" if run.cost_usd is not None else ""
    state = "" if run.state is RunState.DONE else run.state.value
    suites = ", ".join(run.suites)
    parts = (
        run.id,
        counts or "no cases",
        "" if run.is_own else "not yours",
        state,
        seconds_words(run.duration_ms),
        cost,
        commit,
        ", ".join(run.targets),
        suites,
    )
    return "  ".join(part for part in parts if part)
