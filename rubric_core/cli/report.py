"""`rubric report [RUN]`: a stored run as a page, in one file."""

import argparse
import sys
from datetime import datetime, timezone
from pathlib import Path

from rubric_core.evaluation.report_page.write_report import write_report
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.records import RunNotFoundError
from rubric_core.validation.wording import count

__all__ = ["add_arguments", "main"]

WRITTEN, USAGE_ERROR = 0, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `rubric report`."""
    parser.epilog = (
        "RUN is an id or its beginning, `last`, `last~1`, a commit, or the name of a baseline. "
        "The page needs no network: open it from disk, attach it to a CI job, send it by mail."
    )
    parser.add_argument(
        "run",
        nargs="?",
        metavar="RUN",
        default="last",
        help="the run to show, the last one by default",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=Path,
        default=Path("report.html"),
        help="the file to write; report.html by default",
    )


def main(options: argparse.Namespace) -> int:
    """Write the page. Gives the exit code."""
    database = ResultDatabase.at(Path.cwd())
    try:
        run = database.find(options.run)
    except RunNotFoundError as error:
        print(f"rubric: {error}", file=sys.stderr)
        return USAGE_ERROR
    write_report(options.output, database, run, now=datetime.now(tz=timezone.utc))
    print(f"{options.output}: {run.id}, {count(run.cases, 'case')}")
    return WRITTEN
