"""Compares a run with its baseline: `rubric run --baseline RUN --fail-on regression`."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rubric_core.cli.selection import WrongUseError
from rubric_core.cli.stored_run import StoredRun
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.records import RunNotFoundError, RunRecord
from rubric_core.evaluation.results.signatures import FOREIGN, REMEDY

if TYPE_CHECKING:
    from rubric_core.evaluation.comparison.compare import Comparison

__all__ = ["BaselineCheck"]


class BaselineCheck:
    """Compares a run with a baseline, which is looked up before anything runs.

    Args:
        options: The command line.
        suites: The suites to run.

    Raises WrongUseError without such a run, or if nothing would be stored to compare with it.
    """

    def __init__(self, options: argparse.Namespace, suites: Sequence[Path]) -> None:
        self._fails_on = options.fail_on
        if not options.baseline:
            if options.fail_on != "case":
                raise WrongUseError(f"--fail-on {options.fail_on} needs --baseline: with what is the run compared?")
            self._baselines: dict[Path, RunRecord] = {}
            return
        if options.no_store:
            raise WrongUseError("--baseline compares stored runs, and --no-store keeps none")
        databases = {database.root: database for database in map(ResultDatabase.of, suites)}
        try:
            self._baselines = {root: each.find(options.baseline) for root, each in databases.items()}
        except (RunNotFoundError, OSError) as error:
            raise WrongUseError(f"--baseline: {error}") from None
        for root, run in self._baselines.items():
            if not databases[root].counts(run, options.baseline):
                raise WrongUseError(
                    f"--baseline: {run.id} was {FOREIGN}: it may have been changed to hide a regression; {REMEDY}"
                )
        self._comparisons: list[Comparison] = []

    def __bool__(self) -> bool:
        return bool(self._baselines)

    def compare(self, stored: StoredRun) -> Iterator[str]:
        """Compare a run that has ended; returns the lines to print. Raises ResultStoreError."""
        from rubric_core.evaluation.comparison.runs import compare_runs  # noqa: PLC0415  # most runs have no baseline
        from rubric_core.evaluation.reporting.comparison_report import comparison_lines  # noqa: PLC0415  # as above

        for database, name in stored.runs:
            before, after = self._baselines[database.root], database.find(name)
            comparison = compare_runs(database, before, after)
            self._comparisons.append(comparison)
            yield ""
            yield from comparison_lines(comparison)

    @property
    def decides(self) -> bool:
        """Whether the comparison determines if the run fails, rather than its verdicts alone."""
        return bool(self) and self._fails_on != "case"

    @property
    def failed(self) -> bool:
        """Whether the run regressed by the criterion of `--fail-on`."""
        from rubric_core.evaluation.comparison.pairs import CaseChange  # noqa: PLC0415  # most runs have no baseline

        if self._fails_on == "flip":
            return any(each.with_change(CaseChange.NO_LONGER_PASSES) for each in self._comparisons)
        return any(each.regressed for each in self._comparisons)
