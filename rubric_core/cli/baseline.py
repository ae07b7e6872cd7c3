"""`rubric baseline set|list|drop`: names for runs that others are compared with."""

import argparse
import sys
from pathlib import Path

from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.records import RunNotFoundError
from rubric_core.evaluation.results.signatures import FOREIGN, REMEDY

__all__ = ["add_arguments", "main"]

DONE, WRONG_USE = 0, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `rubric baseline`."""
    parser.description = (
        "Name runs that others are compared with, by `rubric compare NAME` and `rubric run --baseline NAME`."
    )
    parser.epilog = "A run that has a name is not pruned. Exit code: 0 done, 2 usage error, no such run, or results that cannot be read."
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    setting = actions.add_parser("set", help="give a run a name, taking it from any other run")
    setting.add_argument("name", metavar="NAME", help="letters, digits and ./@+-_")
    setting.add_argument("run", metavar="RUN", nargs="?", default="last", help="the run (default: last)")
    actions.add_parser("list", help="list the names and their runs")
    dropping = actions.add_parser("drop", help="remove a name; the run stays")
    dropping.add_argument("name", metavar="NAME", help="the name")


def main(options: argparse.Namespace) -> int:
    """Run the subcommand. Returns the exit code."""
    database = ResultDatabase.at(Path.cwd())
    try:
        return _act(database, options)
    except BrokenPipeError:  # the reader has closed the output: the exit code says so
        raise
    except (RunNotFoundError, ValueError, OSError) as error:
        print(f"rubric: {error}", file=sys.stderr)
        return WRONG_USE


def _act(database: ResultDatabase, options: argparse.Namespace) -> int:
    if options.action == "set":
        run = database.find(options.run)
        if not database.counts(run):
            print(f"rubric: {run.id} was {FOREIGN}: as a baseline it would not count; {REMEDY}", file=sys.stderr)
            return WRONG_USE
        database.set_baseline(options.name, run)
        print(f"{options.name} is {run.id}")
    elif options.action == "drop":
        if not database.drop_baseline(options.name):
            print(f"rubric: there is no baseline {options.name}: {_names(database)}", file=sys.stderr)
            return WRONG_USE
    else:
        for name, run_id in database.baselines().items():
            print(f"{name}  {run_id}")
    return DONE


def _names(database: ResultDatabase) -> str:
    return ", ".join(database.baselines()) or "none is set (`rubric baseline set NAME`)"
