"""The plan of a run: its suites, loaded and with their cases selected, before anything runs."""

import argparse
import gc
import os
import secrets
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from rubric_core.cli.case_filter import CaseFilter, CaseNames, Shard, dependency_groups, sampled
from rubric_core.cli.selection import (
    RunSelection,
    SuiteSelection,
    WrongUseError,
    changed_cases,
    failed_cases,
    named_cases,
    with_needed_variations,
)
from rubric_core.evaluation.cases.load import LoadedSuite, NoSuiteError
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.loading.files import UnreadableError
from rubric_core.validation.wording import count

__all__ = ["RunPlan", "SuitePlan", "plan_run", "plan_suites"]

#: New objects between two garbage collections while suites are loaded.
_SELDOM = 1_000_000
#: Seeds are short enough to type.
_SEEDS = 100_000


class SuitePlan(NamedTuple):
    """A suite, and those of its cases that will run."""

    suite: LoadedSuite
    cases: list[Runnable]


class RunPlan(NamedTuple):
    """The suites and cases selected by a command line."""

    plans: list[SuitePlan]
    #: A message for each unusable name and suite.
    failures: list[str]
    #: Whether several suites were requested, even if only one has something to run.
    several: bool


def plan_run(options: argparse.Namespace) -> RunPlan:
    """Load the requested suites, and select their cases. Raises WrongUseError."""
    # Loaded suites live until they have run and leave no garbage: collecting it took a seventh of a run. Objects that
    # are then frozen by `freeze` are not traversed either; a session unfreezes them.
    before = gc.get_threshold()
    gc.set_threshold(_SELDOM, *before[1:])
    try:
        choice = RunSelection(options)
        wanted = choice.suites()
        plans, failures = plan_suites(choice, wanted, options)
    finally:
        gc.freeze()
        gc.set_threshold(*before)
    return RunPlan(plans, [*choice.failures, *failures], several=len(wanted) > 1)


def plan_suites(
    choice: RunSelection, wanted: Sequence[SuiteSelection], options: argparse.Namespace
) -> tuple[list[SuitePlan], list[str]]:
    """The suites with something to run, and a message for each that cannot run.

    A single suite is listed even without cases, so that "nothing failed" is printed. Raises WrongUseError if no case
    has the requested names, tags and values.
    """
    if options.seed is not None and options.sample is None:
        raise WrongUseError("--seed chooses the cases of --sample, which is not given")
    named: list[SuitePlan] = []
    failures: list[str] = []
    for each in wanted:
        try:
            suite = choice.load(each)
            named.append(SuitePlan(suite, named_cases(suite, each.ids)))
        except (WrongUseError, NoSuiteError, UnreadableError) as error:
            failures.append(str(error))
            continue
        if not each.ids and len(suite.in_range) < len(suite.cases):
            left = f"{suite.range_key} leaves {len(suite.in_range)} of {count(len(suite.cases), 'case')}"
            print(f"rubric: {suite.path}: {left}", file=sys.stderr)
    alone = len(wanted) == 1
    chosen = list(_stored(_filtered(named, options), options, failures, alone=alone))
    if options.shard or options.sample or options.limit:
        chosen = list(_some(chosen, options))
    plans = [SuitePlan(suite, with_needed_variations(cases, suite.cases)) for suite, cases in chosen if cases or alone]
    return plans, failures


def _filtered(plans: Sequence[SuitePlan], options: argparse.Namespace) -> list[SuitePlan]:
    """The cases that match `-k`, `--tag` and `--where`. Raises WrongUseError if there are none."""
    wish = CaseFilter(options)
    if not str(wish) or not plans:
        return list(plans)
    names = [(suite, [CaseNames(case, _shown(suite.path)) for case in cases]) for suite, cases in plans]
    left = [SuitePlan(suite, [each.case for each in several if wish.takes(each)]) for suite, several in names]
    if not any(plan.cases for plan in left):
        raise WrongUseError(wish.refusal(each for _, several in names for each in several))
    return left


def _stored(
    plans: Sequence[SuitePlan], options: argparse.Namespace, failures: list[str], *, alone: bool
) -> Iterator[SuitePlan]:
    """The cases selected by `--failed` and `--changed`; problems with a suite are added to `failures`."""
    for suite, cases in plans:
        try:
            left = failed_cases(suite.path, cases, options, alone=alone) if options.failed else cases
        except WrongUseError as error:
            failures.append(str(error))
            continue
        yield SuitePlan(suite, changed_cases(suite.path, left) if options.changed else left)


def _some(plans: Sequence[SuitePlan], options: argparse.Namespace) -> Iterator[SuitePlan]:
    """The cases selected by `--shard`, `--sample` and `--limit`, in this order, among those of all suites."""
    every = [(place, names) for place, plan in enumerate(plans) for names in _in_shard(plan, options.shard)]
    if options.sample is not None:
        number = count(len(every), "case")
        options.seed = secrets.randbelow(_SEEDS) if options.seed is None else options.seed
        every = [every[place] for place in sampled([names for _, names in every], options.sample, options.seed)]
        print(f"rubric: {len(every)} of {number}, chosen at random with --seed {options.seed}", file=sys.stderr)
    every = every[: options.limit]
    for place, plan in enumerate(plans):
        yield SuitePlan(plan.suite, [names.case for at, names in every if at == place])


def _in_shard(plan: SuitePlan, part: Shard | None) -> Iterator[CaseNames]:
    """The cases of a shard; those that depend on each other are in the same one."""
    shown = _shown(plan.suite.path)
    groups = dependency_groups(plan.suite.cases) if part is not None else {}
    for case in plan.cases:
        names = CaseNames(case, shown)
        group = groups.get(case.base_id)
        if part is None or part.has(names.key if group is None else f"{shown}::{group}"):
            yield names


def _shown(path: Path) -> str:
    """The path of a suite relative to the current folder, the same on every system."""
    try:
        return Path(os.path.relpath(path)).as_posix()
    except ValueError:  # on another drive of Windows
        return path.as_posix()
