"""`rubric results prune`: remove old runs."""

import argparse
import re
from datetime import timedelta

from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.prune import PruneLimits
from rubric_core.validation.wording import count

__all__ = ["add_prune_arguments", "prune_runs"]

_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}
_BYTES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}


def add_prune_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `rubric results prune`."""
    parser.description = "Remove old runs, oldest first. A baseline stays, and so does a run that is not over."
    add = parser.add_argument
    add("--older-than", metavar="AGE", type=_age, help="remove runs that are older: 30d, 8w, 6m, 1y")
    add("--keep", metavar="N", type=_whole, help="keep the N newest runs")
    add(
        "--max-size",
        metavar="SIZE",
        type=_size,
        help="remove the oldest runs until the file is about this small: 500MB, 2GB",
    )
    add("--dry-run", action="store_true", help="print what would be removed")


def _age(text: str) -> timedelta:
    found = re.fullmatch(r"(\d{1,5})([dwmy])", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"a number of days, weeks, months or years such as 30d, not {text!r}")
    return timedelta(days=int(found[1]) * _DAYS[found[2]])


def _size(text: str) -> int:
    found = re.fullmatch(r"(\d{1,15})([kmg]?)b?", text.lower())
    if found is None:
        raise argparse.ArgumentTypeError(f"a number of bytes such as 500MB, not {text!r}")
    return int(found[1]) * _BYTES[found[2]]


def _whole(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"a whole number, not {text!r}")
    return int(text)


def prune_runs(database: ResultDatabase, options: argparse.Namespace) -> None:
    """Remove runs, and list them. Raises OSError."""
    limits = PruneLimits(options.older_than, options.keep, options.max_size)
    if limits == PruneLimits():
        raise OSError("prune needs --older-than, --keep or --max-size")
    removed = database.prune(limits, dry_run=options.dry_run)
    for run in removed:
        print(f"{run.id}  {count(run.cases, 'case')}")
    print(f"{count(len(removed), 'run')} {'would be removed' if options.dry_run else 'removed'}")
