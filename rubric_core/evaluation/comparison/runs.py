"""Which two stored runs are compared, and their comparison."""

from itertools import dropwhile

from rubric_core.evaluation.comparison.compare import Comparison
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.records import RunNotFoundError, RunRecord

__all__ = ["chosen_runs", "compare_runs", "last_two_runs"]


def compare_runs(database: ResultDatabase, before: RunRecord, after: RunRecord) -> Comparison:
    """Two runs of a database, compared case by case: scores are 0..1, p-values two-sided. Raises ResultStoreError if it cannot be read."""
    return Comparison(before, after, database.cases(before), database.cases(after))


def chosen_runs(database: ResultDatabase, before: str | None, after: str | None) -> tuple[RunRecord, RunRecord]:
    """The two selected runs, the earlier one first. Raises RunNotFoundError.

    Args:
        database: The database.
        before: The selector of the first run; None: the last run of the same suites before the other one.
        after: The selector of the second run; None: the last run, of the suites of the first one if that is given.
    """
    if before is None:
        later = database.find(after or "last")
        return _previous(database, later), later
    earlier = database.find(before)
    later = database.find(after) if after is not None else database.find("last", suites=earlier.suites)
    if later.id == earlier.id:
        raise RunNotFoundError(f"both are the run {later.id}: name two, or run the suites again")
    return earlier, later


def last_two_runs(database: ResultDatabase, suite: str) -> tuple[RunRecord, RunRecord]:
    """The last two runs of a suite, the earlier one first. Raises RunNotFoundError.

    Args:
        database: Where they are stored.
        suite: Its name there.
    """
    runs = [run for run in database.runs(suites=(suite,)) if run.cases]
    if len(runs) < 2:
        raise RunNotFoundError(
            f"{suite} has one run only: there is nothing to compare it with"
            if runs
            else f"{suite} has not been run yet"
        )
    return runs[1], runs[0]


def _previous(database: ResultDatabase, later: RunRecord) -> RunRecord:
    until = dropwhile(lambda run: run.id != later.id, database.runs(suites=later.suites))
    for run in until:
        if run.id != later.id and run.cases:
            return run
    suites = ", ".join(later.suites[:3]) or "its suites"
    raise RunNotFoundError(f"{later.id} is the only run of {suites}: there is nothing to compare it with")
