"""`rubric compare [A [B]]`: the differences between two runs, and their statistical significance."""

import argparse
import json
import sys
from pathlib import Path

from rubric_core.cli.sanitize import StreamSanitizer
from rubric_core.evaluation.comparison.runs import chosen_runs, compare_runs
from rubric_core.evaluation.reporting.comparison_report import comparison_lines, comparison_markdown, comparison_row
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.records import RunNotFoundError
from rubric_core.evaluation.results.signatures import FOREIGN

__all__ = ["add_arguments", "main"]

DONE, WRONG_USE = 0, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `rubric compare`."""
    parser.description = "Compare two runs case by case: what flipped, what moved, and whether that is more than noise."
    parser.epilog = (
        "A run is an id or the beginning of one, `last`, `last~2`, a commit, or the name of a baseline. "
        "Without any, the last run is compared with the one before it of the same suites; with one, the last run is compared with it. "
        "Exit code: 0 compared, 2 usage error, no such run, or results that cannot be read. docs/statistics.md says what is computed."
    )
    parser.add_argument("before", metavar="A", nargs="?", help="the run to compare with")
    parser.add_argument("after", metavar="B", nargs="?", help="the run to examine (default: the last one)")
    parser.add_argument(
        "--format", choices=("text", "json", "markdown"), default="text", help="for people, for programs, for a comment"
    )


def main(options: argparse.Namespace) -> int:
    """Compare and print. Returns the exit code."""
    database = ResultDatabase.at(Path.cwd())
    try:
        chosen = chosen_runs(database, options.before, options.after)
        comparison = compare_runs(database, *chosen)
        for run in chosen:
            if not database.counts(run):
                print(f"rubric: {run.id} was {FOREIGN}: the comparison is only as good as it is", file=sys.stderr)
    except (RunNotFoundError, OSError) as error:
        print(f"rubric: {error}", file=sys.stderr)
        return WRONG_USE
    if options.format == "json":
        print(json.dumps(comparison_row(comparison), indent=2))
    elif options.format == "markdown":
        print(comparison_markdown(comparison), end="")
    else:
        safe = StreamSanitizer(sys.stdout)
        for line in comparison_lines(comparison):
            print(safe(line))
    return DONE
