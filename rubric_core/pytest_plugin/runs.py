"""Runs the cases of a suite under pytest: one by one, unless the suite requires several together."""

import asyncio
import contextlib
from collections.abc import Collection, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

import pytest

from rubric_core.adapters import system_ports
from rubric_core.analysis import Language
from rubric_core.cli.case_filter import dependency_groups
from rubric_core.cli.selection import with_needed_variations
from rubric_core.control_characters import mask
from rubric_core.disk import DiskFiles
from rubric_core.evaluation.cases.generators import generate_cases
from rubric_core.evaluation.cases.load import GeneratedCases, LoadedSuite, load_suite
from rubric_core.evaluation.cases.options import Options
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.engine.events import CaseDone, Event, Noted
from rubric_core.evaluation.engine.extensions import extensions_written
from rubric_core.evaluation.engine.guard import guarded
from rubric_core.evaluation.engine.rehearse import rehearsed_generators
from rubric_core.evaluation.engine.run import save_recordings
from rubric_core.evaluation.engine.schedule import Schedule
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.language.model import Execution
from rubric_core.loading.project import Project
from rubric_core.pytest_plugin.permission import (
    NotAllowedError,
    permitted_plan,
    remember_first_run,
    require_allowed,
)
from rubric_core.trust import Trust

__all__ = ["SuiteRuns", "begin", "read_suite"]

T = TypeVar("T")
#: The group of all cases of a suite.
_WHOLE = "suite"


def read_suite(path: Path, language: Language, options: Options, dialect: str | None) -> LoadedSuite:
    """A suite, with the cases that its programs generate if these may start. Raises UnreadableError, NoSuiteError."""
    project = Project(DiskFiles(), Path.cwd())
    suite = load_suite(path, language, project, options, dialect)
    if not suite.programs:
        return suite
    made = _complete(_generated(suite))
    return suite if made is None else load_suite(path, language, project, options, dialect, made)


async def _generated(suite: LoadedSuite) -> Mapping[str, GeneratedCases] | None:
    """The cases that programs generate; None if nobody has allowed these programs."""
    folder = Trust().folder_of(suite.path)
    if folder is None:
        return None
    async with system_ports() as ports:
        plan = await rehearsed_generators(suite, ports)
        try:
            require_allowed(folder, plan)
        except NotAllowedError:  # its cases say so
            return None
        return await generate_cases(suite, guarded(ports, plan))


def begin(runs: "Mapping[SuiteRuns, Sequence[Runnable]]") -> None:
    """Begin a session that runs these cases."""
    _complete(_first_run(runs))


async def _first_run(runs: "Mapping[SuiteRuns, Sequence[Runnable]]") -> None:
    async with system_ports() as ports:
        suites = [(each.path, with_needed_variations(cases, each.cases)) for each, cases in runs.items()]
        with contextlib.suppress(OSError):  # the cases say so
            await remember_first_run(suites, ports)


class _Item(Protocol):
    """The part of pytest's items that is used here."""

    case: Runnable
    session: Any
    config: Any

    def warn(self, warning: Warning) -> None:
        """See `pytest.Item`."""


class SuiteRuns:
    """The results of the cases of one suite, each of which runs at most once."""

    def __init__(self, suite: LoadedSuite) -> None:
        self._suite = suite
        self._groups = dependency_groups(suite.cases)
        self._is_whole = any(map(_needs_all, suite.cases))
        self._results: dict[int, CaseResult] = {}

    @property
    def path(self) -> Path:
        """The path of the suite."""
        return self._suite.path

    @property
    def cases(self) -> Sequence[Runnable]:
        """All cases of the suite."""
        return self._suite.cases

    def group_of(self, case: Runnable) -> str:
        """A name for the cases that run together with this one; empty if it runs alone."""
        return _WHOLE if self._is_whole else self._groups.get(case.base_id, "")

    def result_of(self, item: _Item) -> CaseResult:
        """The result of the case of an item, which runs now unless it ran together with another one. Raises NotAllowedError."""
        case = item.case
        if id(case) not in self._results:
            for chosen in (self._together(item), [case]):
                # A run that ended early, for `-x`, may have left out this one.
                if id(case) not in self._results:
                    self._run(chosen, item)
        return self._results[id(case)]

    def _together(self, item: _Item) -> list[Runnable]:
        """The cases to run now: those of the group that are selected, or this one where a worker of pytest-xdist has only some of them."""
        group = self.group_of(item.case)
        alone = hasattr(item.config, "workerinput") and not item.config.getvalue("loadgroup")
        if not group or alone:
            return [item.case]
        selected = [each.case for each in item.session.items if getattr(each, "runs", None) is self]
        return [case for case in selected if self.group_of(case) == group and id(case) not in self._results]

    def _run(self, chosen: list[Runnable], item: _Item) -> None:
        """Run cases and those that they depend on. Notes on the run, such as of a hook that failed, are warnings of the item."""
        cases, notes = with_needed_variations(chosen, self._suite.cases), list[str]()
        work = _results(self._suite, cases, {case.id for case in chosen}, _failures_left(item), notes)
        self._results |= _complete(work)
        for note in dict.fromkeys(notes):
            item.warn(pytest.PytestWarning(f"rubric: {mask(note)}"))


def _needs_all(case: Runnable) -> bool:
    """Whether something of the suite counts for all of its cases: a budget, a time limit, a hook, or that an error ends the run."""
    options = case.suite.evaluate_options
    limited = options is not None and (options.budget_usd is not None or options.max_eval_time_ms is not None)
    executions = [e for e in (case.suite.execution, case.case.execution) if isinstance(e, Execution)]
    return (
        limited
        or bool(extensions_written(case))
        or any(e.budget_usd is not None or e.fail_on_error for e in executions)
    )


def _failures_left(item: _Item) -> int | None:
    """After how many failures pytest ends (`-x`, `--maxfail`); None if it does not."""
    most = item.config.getvalue("maxfail")
    return max(most - item.session.testsfailed, 1) if most else None


async def _results(
    suite: LoadedSuite, cases: list[Runnable], counted: Collection[str], failures_left: int | None, notes: list[str]
) -> dict[int, CaseResult]:
    """The results by the identity of their cases; raises NotAllowedError if these may not run. After `failures_left` failures among the ids `counted`, no further case starts."""
    failed: list[str] = []

    def heard(event: Event) -> None:
        if isinstance(event, Noted) and event.message != schedule.derived.words():
            notes.append(event.message)
        if isinstance(event, CaseDone) and event.case_id in counted and event.result.verdict is not Verdict.PASSED:
            failed.append(event.case_id)
            if failures_left is not None and len(failed) >= failures_left:
                schedule.halt()

    async with system_ports() as ports:
        plan = await permitted_plan(suite, cases, ports)
        schedule = Schedule(cases, guarded(ports, plan), heard)
        results = await schedule.run()
        save_recordings(cases)
    left_out = {id(case) for case in schedule.not_run}
    return {id(c): result for c, result in zip([c for c in cases if id(c) not in left_out], results, strict=True)}


def _complete(work: Coroutine[Any, Any, T]) -> T:
    """The result of `work`, in an event loop that other tests do not meet; an interrupt ends its programs and requests."""
    loop = asyncio.new_event_loop()
    try:
        task = loop.create_task(work)
        try:
            return loop.run_until_complete(task)
        except BaseException:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                loop.run_until_complete(task)
            raise
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()
