"""The cases of one command on their way. Imported when something is run: it brings in all that runs need."""

import asyncio
import logging
from collections.abc import Callable, Sequence

from rubric_core.evaluation.events import Answered, CaseStarted, CriterionJudged, EvaluatorStarted, Event
from rubric_core.evaluation.marks import SIGNS
from rubric_core.evaluation.result import CaseResult
from rubric_core.evaluation.run import run_case
from rubric_core.evaluation.runnable import Runnable
from rubric_core.ports import Ports
from rubric_core.validation.words import count

__all__ = ["Job", "tally"]

log = logging.getLogger("rubric")
#: Cases that run at once when the suite does not say.
_WORKERS = 4


class Job:
    """The cases of one command, on their way."""

    def __init__(self, uri: str, cases: list[Runnable], running: Callable[[str, str, str], None]) -> None:
        self.uri = uri
        self.cases = cases
        self.over = asyncio.Event()
        self._running = running
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._cancelled: set[str] = set()
        for case in cases:
            running(uri, case.id, "waiting")

    @property
    def title(self) -> str:
        """What it is, for the client's progress."""
        return f"Running {self.cases[0].id}" if len(self.cases) == 1 else f"Running {count(len(self.cases), 'case')}"

    def cancel(self, names: set[str] | None = None) -> None:
        """Stop cases, all of them without `names`."""
        for case in self.cases:
            if names is None or case.id in names:
                self._cancelled.add(case.id)
                self._running(self.uri, case.id, "")
                if case.id in self._tasks:
                    self._tasks[case.id].cancel()

    async def run(self, ports: Ports, told: Callable[[str], None], finished: Callable[[CaseResult], None]) -> None:
        """Run the cases, as many at once as the suite allows."""
        room = asyncio.Semaphore(_workers(self.cases[0]))

        async def one(number: int, case: Runnable) -> None:
            async with room:
                words = _Words(case.id, number, len(self.cases), told, lambda w: self._running(self.uri, case.id, w))
                words.say("starting")
                result = await run_case(case, ports, words)
                finished(result)

        wanted = [(n, c) for n, c in enumerate(self.cases, 1) if c.id not in self._cancelled]
        self._tasks = {case.id: asyncio.ensure_future(one(number, case)) for number, case in wanted}
        try:
            results = await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        except asyncio.CancelledError:
            for task in self._tasks.values():
                task.cancel()
            # Programs are ended in there.
            await asyncio.gather(*self._tasks.values(), return_exceptions=True)
            raise
        for error in results:
            if isinstance(error, Exception):
                log.error("a run failed", exc_info=error)
        for case in self.cases:
            if case.id in self._cancelled or not self._tasks[case.id].cancelled():
                continue
            self._running(self.uri, case.id, "")


class _Words:
    """Turns what happens in a run into a few words: on the case's line, and in the client's progress."""

    def __init__(
        self, case: str, number: int, of: int, told: Callable[[str], None], on_line: Callable[[str], None]
    ) -> None:
        self._case = case
        self._where = f"case {number}/{of}, " if of > 1 else ""
        self._told = told
        self._on_line = on_line

    def say(self, words: str) -> None:
        """Show words."""
        self._on_line(words)
        self._told(f"{self._where}{words}" if self._where else f"{self._case}: {words}")

    def __call__(self, event: Event) -> None:
        """Something happened."""
        if isinstance(event, CaseStarted):
            self.say("asking")
        elif isinstance(event, Answered):
            self.say("grading")
        elif isinstance(event, EvaluatorStarted):
            self.say(f"{event.position}/{event.count} {event.name}")
        elif isinstance(event, CriterionJudged):
            self.say(f"{SIGNS[event.result.verdict]} {event.result.id}")


def _workers(case: Runnable) -> int:
    execution = case.suite.execution
    return (execution.workers if execution is not None else None) or _WORKERS


def tally(done: Sequence[CaseResult], of: int) -> str:
    """What came of cases: ✔ 2  ✘ 1  1 not run."""
    verdicts = [result.verdict for result in done]
    words = [f"{sign} {verdicts.count(verdict)}" for verdict, sign in SIGNS.items() if verdict in verdicts]
    missing = of - len(done)
    return "  ".join([*words, f"{missing} not run"] if missing else words)
