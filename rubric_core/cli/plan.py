"""The suites of a run, read and with their cases chosen, before anything of them is run."""

import argparse
import sys
from collections.abc import Sequence
from typing import NamedTuple

from rubric_core.cli.selection import RunSelection, SuiteSelection, WrongUseError, chosen_cases
from rubric_core.evaluation.cases.load import LoadedSuite, NoSuiteError
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.loading.files import UnreadableError
from rubric_core.validation.wording import count

__all__ = ["SuitePlan", "plan_suites"]


class SuitePlan(NamedTuple):
    """A suite, and the cases of it that are to be run."""

    suite: LoadedSuite
    cases: list[Runnable]


def plan_suites(
    choice: RunSelection, wanted: Sequence[SuiteSelection], options: argparse.Namespace
) -> tuple[list[SuitePlan], list[str]]:
    """The suites with something to run, and a sentence for each that cannot be run.

    One that is alone is there without cases, too: that nothing of it failed is told.
    """
    plans: list[SuitePlan] = []
    failures: list[str] = []
    alone = len(wanted) == 1
    for each in wanted:
        try:
            suite = choice.load(each)
            cases = chosen_cases(suite, each.ids, options, alone=alone)
        except (WrongUseError, NoSuiteError, UnreadableError) as error:
            failures.append(str(error))
            continue
        if not each.ids and len(suite.in_range) < len(suite.cases):
            left = f"`filter_range` leaves {len(suite.in_range)} of {count(len(suite.cases), 'case')}"
            print(f"rubric: {suite.path}: {left}", file=sys.stderr)
        if cases or alone:
            plans.append(SuitePlan(suite, cases))
    return plans, failures
