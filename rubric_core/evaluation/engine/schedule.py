"""Schedules the cases of a suite: in parallel, in the order of their dependencies, within limits."""

import asyncio
from collections.abc import Callable, Collection, Sequence

from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.engine.case_order import CaseOrder
from rubric_core.evaluation.engine.comparisons import Comparisons
from rubric_core.evaluation.engine.events import CaseDone, CaseStarted, Event, Listener, Noted, ignore_event
from rubric_core.evaluation.engine.executor import CaseRunner, Executor, InProcess
from rubric_core.evaluation.engine.run import compared, require_runnables, unrun_result
from rubric_core.evaluation.engine.unsupported import notes_on
from rubric_core.evaluation.model.arguments import whole
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.evaluation.scoring.derived_metrics import DerivedMetrics
from rubric_core.language.model import Execution
from rubric_core.lazy_compilation import replace
from rubric_core.ports import Ports

__all__ = ["WORKERS", "Schedule", "run_cases"]

#: Default number of cases that run at once.
WORKERS = 4


async def run_cases(
    cases: Sequence[Runnable],
    ports: Ports | None = None,
    on_event: Listener = ignore_event,
    workers: int | None = None,
    keep: Callable[[CaseResult], CaseResult] = lambda result: result,
    executor: Executor | None = None,
) -> list[CaseResult]:
    """Run cases in parallel and return their results in the order of `cases`. Cancelling ends all of them.

    `ports` are files, programs and network, by default those of this computer. A case waits for those of `cases` that it
    depends on. No further cases are started when the budget is spent, or when a case could not be scored and the suite
    sets `fail_on_error`.

    `keep` reduces a result to what is still needed after its event was sent: a caller that has stored ten thousand results
    may need little more than their verdicts. `executor` says where the cases run, by default in this process.

    Raises TypeError for anything but cases of a suite, ValueError for a number of workers below 1.
    """
    require_runnables(cases)
    if ports is None:
        from rubric_core.adapters import system_ports  # noqa: PLC0415  # only a caller without ports needs the system's

        async with system_ports() as own:
            return await run_cases(cases, own, on_event, workers, keep, executor)
    return await Schedule(cases, ports, on_event, workers, keep, executor).run()


class Schedule:
    """The cases of one run in progress; see `run_cases`. Single cases can be cancelled."""

    def __init__(
        self,
        cases: Sequence[Runnable],
        ports: Ports,
        on_event: Listener,
        workers: int | None = None,
        keep: Callable[[CaseResult], CaseResult] = lambda result: result,
        executor: Executor | None = None,
    ) -> None:
        self.cases = cases
        self.ports = ports
        self.workers = _workers(cases) if workers is None else whole("workers", workers)
        if any(case.is_serial for case in cases):
            self.workers = 1
        #: Cost in US dollars.
        self.spent = 0.0
        #: The derived metrics of the suite.
        self.derived = DerivedMetrics(cases[0].suite if cases else None)
        #: Why no further cases are started.
        self.stop = ""
        self._on_event = on_event
        #: The ids of the cases reported as started; a case may be started again after its worker was lost.
        self._started: set[str] = set()
        self._keep = keep
        self._executor = executor or InProcess()
        self._called_off: set[str] = set()
        self._halted = False
        #: The numbers of the cases that were skipped because of their dependencies.
        self._not_run: set[int] = set()
        #: By the number of the case; None for a cancelled case.
        self._results: dict[int, CaseResult | None] = {}
        self._running: dict[asyncio.Task[CaseResult], int] = {}
        self._runner: CaseRunner | None = None
        self._comparisons = Comparisons(cases, lambda rows: compared(rows, ports))
        self._ended: asyncio.Queue[asyncio.Task[CaseResult]] = asyncio.Queue()
        #: Why cases that were still running at the end have no result.
        self._over = ""

    async def run(self) -> list[CaseResult]:
        """Run the cases; the results are in their order, without those of cancelled cases."""
        order = CaseOrder(self.cases)
        for note in notes_on(self.cases):
            self._report(Noted(note))
        async with self._executor.around(self.cases, self.ports, self._forward, self.workers) as runner:
            self._runner = runner
            ending = self._deadline()
            try:
                while True:
                    while len(self._running) < runner.slots and (number := order.next_ready()) is not None:
                        self._begin(number, order, runner)
                        await asyncio.sleep(0)  # many in a row may be skipped: let other tasks run, too
                    if not self._running:
                        break
                    self._end(await self._ended.get(), order)  # a listener that fails ends the other cases
            finally:
                if ending is not None:
                    ending.cancel()
                for task in self._running:
                    task.cancel()
                await asyncio.gather(*self._running, return_exceptions=True)
        if self.derived:
            self._report(Noted(self.derived.words()))
        return [result for _, result in sorted(self._results.items()) if result is not None]

    def cancel(self, names: Collection[str]) -> None:
        """Cancel the cases with these ids and those that depend on them; their programs and requests end at once."""
        self._called_off |= set(names)
        for task, number in self._running.items():
            if self.cases[number].id in names:
                task.cancel()

    def halt(self, *, now: bool = False) -> None:
        """Start no further cases. Running cases are cancelled if `now`; otherwise, they finish."""
        self._halted = True
        if self._runner is not None:
            self._runner.hold()
        for task in self._running if now else ():
            task.cancel()

    @property
    def not_run(self) -> list[Runnable]:
        """The cases that were cancelled, or not started because the run was halted."""
        return [self.cases[number] for number, result in sorted(self._results.items()) if result is None]

    @property
    def without_result(self) -> list[Runnable]:
        """The cases that have none, also when the run was ended by an error."""
        return [case for number, case in enumerate(self.cases) if self._results.get(number) is None]

    def _forward(self, event: Event) -> None:
        """Report the events of a running case, except results that are held back for a comparison."""
        if not isinstance(event, CaseDone) or not self._comparisons.holds_back(event.case_id):
            self._report(event)

    def _report(self, event: Event) -> None:
        if isinstance(event, CaseStarted):
            self._started.add(event.case_id)
        self._on_event(event)

    def _deadline(self) -> asyncio.TimerHandle | None:
        """End the run at the time limit of the suite, if it sets one."""
        options = self.cases[0].suite.evaluate_options if self.cases else None
        limit = options.max_eval_time_ms if options is not None else None
        if limit is None:
            return None
        return asyncio.get_running_loop().call_later(limit / 1000, self._time_is_over, limit)

    def _time_is_over(self, limit: float) -> None:
        words = f"the run took longer than {limit:g} ms (`max_eval_time_ms`)"
        self.stop, self._over = f"not run: {words}", f"stopped, {words}"
        for task in self._running:
            task.cancel()

    def _begin(self, number: int, order: CaseOrder, runner: CaseRunner) -> None:
        """Start a case that is ready, or report why it is not run."""
        case = self.cases[number]
        before = order.before[number]
        if self._halted or case.id in self._called_off or any(self._results[n] is None for n in before):
            self._done(number, None, order)
            return
        missing = self._missing(before)
        if case.base_id in order.circular:
            self._done(number, self._left_out(case, "the cases that it depends on depend on it"), order)
        elif missing and case.case.on_dependency_failure != "run":
            fails = case.case.on_dependency_failure == "fail"
            self._not_run.add(number)
            self._done(number, self._left_out(case, f"not run: {missing}", fails=fails), order)
        elif self.stop:
            self._done(number, self._left_out(case, self.stop), order)
        else:
            task = asyncio.ensure_future(self._run(number, case, runner))
            self._running[task] = number
            task.add_done_callback(self._ended.put_nowait)

    async def _run(self, number: int, case: Runnable, runner: CaseRunner) -> CaseResult:
        return await self._comparisons.ran(number, await runner.run(case))

    def _missing(self, before: Sequence[int]) -> str:
        """Which dependencies of a case are missing; empty when all of them ran, whatever they scored."""
        for number in before:
            result = self._results[number]
            # The verdict, not the score: `keep` may leave nothing but the verdict.
            if result is not None and (result.verdict is Verdict.UNSCORED or number in self._not_run):
                what = "was not run" if number in self._not_run else "could not be scored"
                return f"{result.id}, which it depends on, {what}"
        return ""

    def _end(self, task: "asyncio.Task[CaseResult]", order: CaseOrder) -> None:
        """Record that a case has ended. Raises what its listener raised."""
        number = self._running.pop(task)
        case = self.cases[number]
        if not task.cancelled():
            result: CaseResult | None = task.result()
            self._account(case, task.result())
        elif self._over and case.id not in self._called_off:
            result = self._left_out(case, self._over)
        elif self.stop and not self._halted and case.id not in self._called_off:  # held back before it began
            result = self._left_out(case, self.stop)
        else:
            result = None
        self._done(number, result, order)

    def _done(self, number: int, result: CaseResult | None, order: CaseOrder) -> None:
        for each, made, is_unreported in self._comparisons.ended(number, result):
            if made is not None and is_unreported:
                self._report(CaseDone(made.id, made))
            if made is not None:
                self.derived.take(made)
            self._results[each] = None if made is None else self._keep(made)
            order.done(each)

    def _account(self, case: Runnable, result: CaseResult) -> None:
        self.spent += result.cost_usd or 0.0
        execution = case.suite.execution
        options = case.suite.evaluate_options
        budget = execution.budget_usd if isinstance(execution, Execution) else options.budget_usd if options else None
        if budget is not None and self.spent >= budget:
            self._stop_early(f"not run: the budget of ${budget:g} is spent")
        own = case.case.execution
        stops = next((e for e in (own, execution) if isinstance(e, Execution) and e.has("fail_on_error")), None)
        if stops is not None and stops.fail_on_error is True and result.verdict is Verdict.UNSCORED:
            self._stop_early(f"not run: {result.id} could not be scored, and fail_on_error is set")

    def _stop_early(self, reason: str) -> None:
        """Start no further cases, and report the remaining ones as not run."""
        self.stop = reason
        if self._runner is not None:
            self._runner.hold()

    def _left_out(self, case: Runnable, reason: str, *, fails: bool = False) -> CaseResult:
        """The result of a case that was not run or not finished, reported like any other."""
        base = unrun_result(case, self.ports)
        result = replace(base, reason=reason, at=self.ports.clock.now().isoformat(timespec="seconds"))
        if fails:
            result = replace(result, verdict=Verdict.FAILED, score=0.0)
        if case.id not in self._started:
            self._report(CaseStarted(case.id, ()))
        self._report(CaseDone(case.id, result))
        return result


def _workers(cases: Sequence[Runnable]) -> int:
    suite = cases[0].suite if cases else None
    execution = suite.execution if suite is not None else None
    options = suite.evaluate_options if suite is not None else None
    written = execution.workers if isinstance(execution, Execution) else None
    return written or (options.max_concurrency if options is not None else None) or WORKERS
