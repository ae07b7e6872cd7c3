"""The run of one suite: each finished result is stored at once."""

import argparse
import asyncio
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from rubric_core.adapters import system_ports
from rubric_core.cli.export import RunExports
from rubric_core.cli.live_table import Live
from rubric_core.cli.result_group import ResultGroup
from rubric_core.cli.run_limits import RunLimits
from rubric_core.cli.selection import unfinished_cases
from rubric_core.cli.signals import TerminationSignal
from rubric_core.cli.stored_run import StoredRun
from rubric_core.cluster.errors import ClusterError
from rubric_core.evaluation.cases.load import LoadedSuite
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.engine.attempt import targets_of
from rubric_core.evaluation.engine.events import CaseDone, Event, Noted
from rubric_core.evaluation.engine.executor import Executor
from rubric_core.evaluation.engine.run import save_recordings
from rubric_core.evaluation.engine.schedule import Schedule
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.evaluation.scoring.derived_metrics import DerivedMetrics
from rubric_core.lazy_compilation import dataclass, field
from rubric_core.ports import Ports

__all__ = ["Ending", "ResultDisplay", "SuiteOutcome", "SuiteRun"]


@dataclass(slots=True)
class SuiteOutcome:
    """The outcome of the run of one suite, whether it was completed or interrupted."""

    suite: LoadedSuite
    #: The cases that were selected.
    cases: Sequence[Runnable]
    derived: DerivedMetrics
    #: In the order of the cases; after an interruption, in the order in which they finished.
    results: list[CaseResult] = field(default_factory=list)
    #: The verdicts of the cases that `--resume` left out.
    before: Counter[Verdict] = field(default_factory=Counter)
    #: How many evaluators could not run or crashed, counted once for each case.
    grader_errors: int = 0
    interrupted: bool = False
    #: The ids of the cases that were not run, because the run ended before.
    not_run: list[str] = field(default_factory=list)


class Ending(NamedTuple):
    """How a run ended."""

    seconds: float
    #: The command that runs again what did not pass.
    again: str
    interrupted: bool
    #: The ids of the cases of all suites that were not run, because the run ended before.
    not_run: Sequence[str] = ()


class ResultDisplay(Protocol):
    """Shows results while a run goes on and at its end, as text or as JSON."""

    def begin(self, suite: LoadedSuite, cases: int, /) -> None:
        """Start the next suite, of which `cases` cases are run."""

    def take(self, place: int, result: CaseResult) -> None:
        """Show the result of a finished case; `place` is the position of the case in its file, from 0."""

    def kept(self, result: CaseResult) -> CaseResult:
        """The part of a result that is needed at the end. The rest is in the store and need not stay in memory."""

    def end(self, done: SuiteOutcome) -> None:
        """Show the summary of a finished suite."""

    def finish(self, ending: Ending) -> None:
        """Show the summary of the whole run, after its last suite or an interruption."""


class SuiteRun:
    """One run of one suite."""

    def __init__(
        self, suite: LoadedSuite, cases: list[Runnable], options: argparse.Namespace, live: Live, shown: ResultDisplay, limits: RunLimits,
        stored: StoredRun, exports: RunExports, also: Callable[[int, CaseResult], None] = lambda _, __: None,
        executor: Executor | None = None,
    ) -> None:  # fmt: skip
        self._also = also
        self._executor = executor
        self._limits = limits
        self._schedule: Schedule | None = None
        self._options = options
        self._live = live
        self._shown = shown
        self._told = TerminationSignal()
        self._stored = stored
        self._exports = exports
        self._group = ResultGroup(self._take_all, self._stop)
        self.done = SuiteOutcome(suite, cases, DerivedMetrics(cases[0].suite if cases else suite.analysis.suite))
        #: The kept parts of results that are on their way to the end of the run, by identity.
        self._kept: dict[int, CaseResult] = {}
        #: The cases by their ids and targets.
        self._cases = {(case.id, case.options.target or ""): case for case in cases}
        #: Whether results or recordings could not be written, even at the end.
        self.lossy = False

    @property
    def signal(self) -> int:
        """The number of the signal that interrupted the run; 0 for none."""
        return self._told.signal

    async def results(self) -> None:
        """Run the cases and export what has finished, also after an interruption. The outcome is in `done`."""
        with self._told.cancels_this_task():
            await self._results()

    async def _results(self) -> None:
        async with system_ports() as ports:
            expected = len(self.done.cases)
            if self._options.resume:
                self.done.cases, self.done.before = unfinished_cases(self.done.cases, ports)
            cases = self.done.cases
            self._live.begin([(case.id, case.options.target or "") for case in cases], expected)
            self._shown.begin(self.done.suite, len(cases))
            try:
                async with self._live.drawing():
                    self.done.results = await self._scheduled(cases, ports)
            finally:
                self._keep()
                for note in dict.fromkeys(note for case in cases for note in targets_of(case, ports).notes):
                    self._live.say(f"rubric: {note}")

    async def _scheduled(self, cases: Sequence[Runnable], ports: Ports) -> list[CaseResult]:
        """Run the cases within the limits of the run."""
        schedule = self._schedule = Schedule(
            cases, ports, self._on_event, self._options.workers, self._keep_of, self._executor
        )
        seconds = self._limits.seconds_left
        ending = asyncio.get_running_loop().call_later(seconds, self._end_time) if seconds is not None else None
        try:
            return await schedule.run()
        finally:
            if ending is not None:
                ending.cancel()
            # After an error that ends the run, such as a lost cluster, the schedule has not reached some cases.
            not_run = schedule.without_result if isinstance(sys.exc_info()[1], ClusterError) else schedule.not_run
            self.done.not_run = [case.id for case in not_run]
            left_out = {id(case) for case in not_run}
            self.done.cases = [case for case in cases if id(case) not in left_out]
            self._group.flush()

    def _end_time(self) -> None:
        self._limits.end_time()
        if self._schedule is not None:
            self._schedule.halt(now=True)

    def _keep_of(self, result: CaseResult) -> CaseResult:
        """The part of a result that was kept when its case finished."""
        return self._kept.pop(id(result), None) or self._shown.kept(result)

    def _stop(self) -> None:
        if self._schedule is not None:
            self._schedule.halt(now=True)

    def _on_event(self, event: Event) -> None:
        if not isinstance(event, CaseDone):
            if isinstance(event, Noted):
                self._group.flush()
            self._live.heard(event)
            return
        self.done.grader_errors += len(event.result.grader_errors)
        kept = self._kept[id(event.result)] = self._shown.kept(event.result)
        self.done.results.append(kept)
        self.done.derived.take(event.result)
        self._limits.take(event.result)
        if self._limits.reason and self._schedule is not None:
            self._schedule.halt()
        self._group.add(event)

    def _take_all(self, ended: Sequence[CaseDone]) -> None:
        """Store finished cases, and only then show them."""
        every = [(self._case_of(done.result), done.result) for done in ended]
        self._stored.add_all(self.done.suite.path, every)
        self._exports.add_all(self.done.suite.path, every)
        with self._live.together():
            for done in ended:
                place = self._live.heard(done)
                self._shown.take(place, done.result)
                self._also(place, done.result)

    def _case_of(self, result: CaseResult) -> Runnable | None:
        return self._cases.get((result.id, result.target)) or self._cases.get((result.id, ""))

    def _keep(self) -> None:
        """Export finished cases, and try again to store those that could not be stored before."""
        self._keep_results()
        try:
            save_recordings(self.done.cases)
        except OSError as error:
            self._say_lossy(f"recordings could not be stored: {error}")

    def _keep_results(self) -> None:
        try:
            self._stored.store_waiting()
        except OSError as error:
            lost = f"{self._stored.waiting} of {len(self.done.results)} are lost"
            self._say_lossy(f"results could not be stored, {lost}: {error}")

    def _say_lossy(self, words: str) -> None:
        self.lossy = True
        self._live.say(f"rubric: {self.done.suite.path.name}: {words}")
