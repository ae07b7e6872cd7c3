"""`rubric report [RUN [RUN]]`: a stored run as a page, or two runs compared, in one file."""

import argparse
import sys
from datetime import datetime, timezone
from pathlib import Path

from rubric_core.evaluation.report_page.write_report import write_report
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.records import RunNotFoundError, RunRecord
from rubric_core.evaluation.results.store_errors import ResultStoreError
from rubric_core.validation.wording import count

__all__ = ["add_arguments", "main", "selected_runs"]

WRITTEN, USAGE_ERROR = 0, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `rubric report`."""
    parser.epilog = (
        "RUN is an id or its beginning, `last`, `last~1`, a commit, or the name of a baseline. "
        "The page needs no network: open it from disk, attach it to a CI job, send it by mail."
    )
    parser.add_argument(
        "runs",
        nargs="*",
        metavar="RUN",
        help="the run to show, the last one by default; with two, the second compared with the first",
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
    """Write the page. Returns the exit code."""
    database = ResultDatabase.at(Path.cwd())
    try:
        base, run = selected_runs(database, options.runs)
        write_report(options.output, database, run, base=base, now=datetime.now(tz=timezone.utc))
    except (RunNotFoundError, ResultStoreError, ValueError) as error:
        print(f"rubric: {error}", file=sys.stderr)
        return USAGE_ERROR
    except OSError as error:
        print(f"rubric: {options.output} cannot be written: {error.strerror or error}", file=sys.stderr)
        return USAGE_ERROR
    print(f"{options.output}: {f'{base.id} → ' if base else ''}{run.id}, {count(run.cases, 'case')}")
    return WRITTEN


def selected_runs(database: ResultDatabase, selectors: list[str]) -> tuple[RunRecord | None, RunRecord]:
    """The run to compare with, if any, and the run to show. Raises RunNotFoundError; ValueError for more than two."""
    if len(selectors) > 2:
        raise ValueError(f"one run or two, not {len(selectors)}")
    *before, run = [database.find(each) for each in selectors or ["last"]]
    return (before[0] if before else None), run
