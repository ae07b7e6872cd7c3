"""Running the cases of a suite: several at once, in the order that they ask for, within what may be spent."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from rubric_core.evaluation.events import CaseDone, CaseStarted, Listener, silent
from rubric_core.evaluation.result import CaseResult, Verdict
from rubric_core.evaluation.run import run_case, unrun, workspaces_of
from rubric_core.evaluation.runnable import Runnable
from rubric_core.language.model import Execution
from rubric_core.ports import Ports

__all__ = ["Schedule", "run_cases", "with_dependencies"]

#: Cases that run at once when nobody says how many.
_WORKERS = 4


async def run_cases(
    cases: Sequence[Runnable], ports: Ports, on_event: Listener = silent, workers: int | None = None
) -> list[CaseResult]:
    """Run cases, several at once, and give their results in the order of `cases`. Cancelling ends all of them.

    A case waits for those that it depends on, as far as they are among `cases`. A budget that is spent, and a case that
    could not be scored where the suite says `fail_on_error`, keep further cases from being started.
    """
    return await Schedule(cases, ports, on_event, workers).run()


def with_dependencies(chosen: Sequence[Runnable], every: Sequence[Runnable]) -> list[Runnable]:
    """`chosen` and all the cases that they depend on, in the order of `every`."""
    by_id: dict[str, list[Runnable]] = {}
    for each in every:
        by_id.setdefault(each.base_id, []).append(each)
    wanted: set[int] = set()
    waiting = list(chosen)
    while waiting:
        case = waiting.pop()
        if id(case) not in wanted:  # not by the id in the text, which two cases may have
            wanted.add(id(case))
            waiting += (each for name in _dependencies(case) for each in by_id.get(name, ()))
    return [case for case in every if id(case) in wanted]


def _dependencies(case: Runnable) -> list[str]:
    return [name for name in case.case.depends_on or () if isinstance(name, str)]


class Schedule:
    """The cases of one run, on their way; see `run_cases`. Single cases can be called off."""

    def __init__(self, cases: Sequence[Runnable], ports: Ports, on_event: Listener, workers: int | None = None) -> None:
        self.cases = cases
        self.ports = ports
        self.on_event = on_event
        self.room = asyncio.Semaphore(workers or _workers(cases))
        self.tasks: list[asyncio.Task[CaseResult]] = []
        self._called_off: set[str] = set()
        #: US dollars.
        self.spent = 0.0
        #: Why no further case is started.
        self.stop = ""

    async def run(self) -> list[CaseResult]:
        """The results, in the order of the cases, without those that were called off."""
        position: dict[str, list[int]] = {}
        for number, case in enumerate(self.cases):
            position.setdefault(case.base_id, []).append(number)
        circular = _circular(self.cases)
        self.tasks = [asyncio.ensure_future(self._one(case, position, circular)) for case in self.cases]
        async with workspaces_of(self.cases, self.ports, self.on_event):
            try:
                for case, task in zip(self.cases, self.tasks, strict=True):
                    if case.id in self._called_off:
                        task.cancel()
                # A task that was called off is no reason to end the others; a listener that fails is.
                if self.tasks:
                    await asyncio.wait(self.tasks, return_when=asyncio.FIRST_EXCEPTION)
                failed = next((t for t in self.tasks if t.done() and not t.cancelled() and t.exception()), None)
                if failed is not None:
                    failed.result()
                return [task.result() for task in self.tasks if not task.cancelled()]
            finally:
                for task in self.tasks:
                    task.cancel()
                await asyncio.gather(*self.tasks, return_exceptions=True)

    def call_off(self, names: Collection[str]) -> None:
        """End the cases with these ids, and those that wait for them; programs and requests are ended at once."""
        self._called_off |= set(names)
        for case, task in zip(self.cases, self.tasks, strict=False):
            if case.id in names:
                task.cancel()

    def _waits(self, case: Runnable, position: Mapping[str, Sequence[int]]) -> list[int]:
        """What a case waits for: every variation of what it depends on, as far as the same target answers them."""
        found: list[int] = []
        for name in _dependencies(case):
            numbers = position.get(name, ())
            same = [n for n in numbers if self.cases[n].options.target == case.options.target]
            found += same or numbers
        return found

    async def _one(self, case: Runnable, position: Mapping[str, Sequence[int]], circular: frozenset[str]) -> CaseResult:
        waits = self._waits(case, position)
        if case.base_id in circular:
            return self._left_out(case, "the cases that it depends on depend on it")
        before = await asyncio.gather(*(asyncio.shield(self.tasks[number]) for number in waits))
        failed = next((result for result in before if result.verdict is not Verdict.PASSED), None)
        if failed is not None and case.case.on_dependency_failure != "run":
            fails = case.case.on_dependency_failure == "fail"
            return self._left_out(case, f"not run: {failed.id}, which it depends on, did not pass", fails=fails)
        async with self.room:
            if self.stop:
                return self._left_out(case, self.stop)
            result = await run_case(case, self.ports, self.on_event)
        self._account(case, result)
        return result

    def _account(self, case: Runnable, result: CaseResult) -> None:
        self.spent += result.cost_usd or 0.0
        execution = case.suite.execution
        options = case.suite.evaluate_options
        budget = execution.budget_usd if isinstance(execution, Execution) else options.budget_usd if options else None
        if budget is not None and self.spent >= budget:
            self.stop = f"not run: the budget of ${budget:g} is spent"
        stops = isinstance(execution, Execution) and execution.fail_on_error is True
        if stops and result.verdict is Verdict.UNSCORED:
            self.stop = f"not run: {result.id} could not be scored, and fail_on_error is set"

    def _left_out(self, case: Runnable, reason: str, *, fails: bool = False) -> CaseResult:
        base = unrun(case, self.ports)
        result = replace(base, reason=reason, at=self.ports.clock.now().isoformat(timespec="seconds"))
        if fails:
            result = replace(result, verdict=Verdict.FAILED, score=0.0)
        self.on_event(CaseStarted(case.id, ()))
        self.on_event(CaseDone(case.id, result))
        return result


def _workers(cases: Sequence[Runnable]) -> int:
    suite = cases[0].suite if cases else None
    execution = suite.execution if suite is not None else None
    options = suite.evaluate_options if suite is not None else None
    written = execution.workers if isinstance(execution, Execution) else None
    return written or (options.max_concurrency if options is not None else None) or _WORKERS


def _circular(cases: Sequence[Runnable]) -> frozenset[str]:
    """The ids of cases that wait for themselves, directly or not, or for such a case."""
    needs: dict[str, set[str]] = {}
    for case in cases:  # variations, and cases that share an id by mistake, are waited for together
        needs.setdefault(case.base_id, set()).update(_dependencies(case))
    done: set[str] = set()
    while True:
        ready = {name for name, waits in needs.items() if name not in done and not (waits & needs.keys()) - done}
        if not ready:
            return frozenset(needs.keys() - done)
        done |= ready
