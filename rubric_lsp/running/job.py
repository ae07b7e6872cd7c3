"""The job of one run command. Imported when something is run: it brings in all that runs need."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from collections.abc import Set as AbstractSet
from functools import partial

from rubric_core.evaluation.cases.turns import TURN, turns_of
from rubric_core.evaluation.engine.events import (
    Answered,
    CaseStarted,
    CriterionJudged,
    EvaluatorDone,
    EvaluatorStarted,
    Event,
)
from rubric_core.evaluation.engine.schedule import Schedule
from rubric_core.evaluation.model.result import CaseResult, EvaluatorResult, Verdict
from rubric_core.evaluation.reporting.inline_marks import SIGNS
from rubric_core.lazy_compilation import replace
from rubric_core.ports import Ports
from rubric_core.validation.wording import count
from rubric_lsp.host import Host
from rubric_lsp.running.job_results import JobResults
from rubric_lsp.running.run_request import RunRequest
from rubric_lsp.running.selection import SelectedCases

__all__ = ["Job", "ProgressText", "steps_of", "tally"]


class Job:
    """The running cases of one command; several suites run one after another."""

    def __init__(self, name: str, parts: Sequence[SelectedCases], order: RunRequest, host: Host) -> None:
        #: Its id in the protocol.
        self.name = name
        self.parts = parts
        self.order = order
        self.over = asyncio.Event()
        #: Whether one of its cases was cancelled.
        self.cancelled = False
        self.results: list[CaseResult] = []
        #: Stores its results.
        self.stored = JobResults(host, parts, self.title)
        #: The ids of the cases that are neither done nor cancelled, by suite.
        self._waiting: dict[str, set[str]] = {}
        for part in parts:
            self._waiting.setdefault(part.uri, set()).update(case.id for case in part.cases)
        self._called_off: set[tuple[str, str]] = set()
        self._schedules: dict[int, Schedule] = {}

    @property
    def amount(self) -> int:
        """The number of its cases."""
        return sum(len(part.cases) for part in self.parts)

    @property
    def title(self) -> str:
        """The title of its progress."""
        first = self.parts[0]
        if self.amount > 1:
            what = count(self.amount, "case")
        else:
            what = f"{first.evaluator} of {first.cases[0].id}" if first.evaluator else first.cases[0].id
        times = f" ×{self.order.repeat}" if self.order.repeat else ""
        return f"{'Recording' if self.order.record else 'Running'} {what}{times}"

    def waiting(self, uri: str) -> AbstractSet[str]:
        """The ids of a suite's cases that are neither done nor cancelled, now and later."""
        return self._waiting.get(uri, frozenset())

    def done(self, uri: str, result: CaseResult) -> None:
        """A case has a result."""
        self.results.append(result)
        self._waiting[uri].discard(result.id)

    def has(self, uri: str) -> bool:
        """Whether it has cases of a suite."""
        return any(part.uri == uri for part in self.parts)

    def cancel(self, uri: str | None = None, names: Collection[str] | None = None) -> list[tuple[str, str]]:
        """Cancel cases: all, those of a suite, or some of them. Returns suite and id of each cancelled case."""
        stopped: list[tuple[str, str]] = []
        for number, part in enumerate(self.parts):
            if uri is not None and part.uri != uri:
                continue
            waiting = self._waiting[part.uri]
            ids = set(waiting) if names is None else waiting.intersection(names)
            stopped += [(part.uri, name) for name in sorted(ids)]
            if number in self._schedules:
                self._schedules[number].cancel(ids)
        self._called_off |= set(stopped)
        for suite, name in stopped:
            self._waiting[suite].discard(name)
        self.cancelled |= bool(stopped)
        return stopped

    async def run(self, ports: Ports, heard: Callable[[SelectedCases, Event], None]) -> None:
        """Run the cases; if this is cancelled, programs and requests are ended."""
        for number, part in enumerate(self.parts):
            schedule = Schedule(part.cases, ports, partial(heard, part))
            self._schedules[number] = schedule
            schedule.cancel({name for uri, name in self._called_off if uri == part.uri})
            await schedule.run()


class ProgressText:
    """Turns the events of a case into progress texts, and into results of evaluators in progress."""

    def __init__(self, number: int, of: int, turns: int = 0, only: int = 0) -> None:
        """The progress of case `number` of `of`.

        Args:
            number: From 1.
            of: The number of cases in the run.
            turns: The number of turns of the case, whose results come before those of its evaluators.
            only: The one evaluator of the case that grades, from 1; 0 for all of them.
        """
        self.words = "waiting"
        self._where = f"case {number}/{of}, " if of > 1 else ""
        self._turns = turns
        self._only = only
        self._number = 0
        self._part: EvaluatorResult | None = None
        #: The current turn, with the results of its evaluators so far.
        self._turn: EvaluatorResult | None = None

    @property
    def progress(self) -> str:
        """The progress message; the title names a case that runs alone."""
        return f"{self._where}{self.words}"

    def take(self, event: Event) -> tuple[int, EvaluatorResult] | None:
        """Handle an event: the updated result, with its number among the results of the case, from 1."""
        if isinstance(event, CaseStarted):
            self.words = "asking"
        elif isinstance(event, Answered):
            self.words = "grading"
        elif isinstance(event, EvaluatorStarted):
            turn = f"turn {event.turn}, " if event.turn else ""
            # For a single evaluator, the title names it.
            self.words = f"{turn}grading" if self._only else f"{turn}{event.position}/{event.count} {event.name}"
            self._begin(event)
        elif isinstance(event, CriterionJudged):
            self.words = f"{SIGNS[event.result.verdict]} {event.result.label}"
            if self._part is not None:
                self._part = replace(self._part, criteria=(*self._part.criteria, event.result))
                return self._number, self._with(self._part)
        elif isinstance(event, EvaluatorDone):
            known = self._with(event.result)
            self._turn = known if event.turn else None
            return self._number, known
        return None

    @property
    def evaluator(self) -> int:
        """The number of the case's evaluator that is grading, from 1."""
        return self._number - self._turns

    def _begin(self, event: EvaluatorStarted) -> None:
        self._part = EvaluatorResult(name=event.name, type="", verdict=Verdict.UNSCORED)
        if not event.turn:
            self._number, self._turn = self._turns + (self._only or event.position), None
        elif self._turn is None or event.position == 1:
            self._number = event.turn
            self._turn = EvaluatorResult(name=f"turn-{event.turn}", type=TURN, verdict=Verdict.UNSCORED)

    def _with(self, found: EvaluatorResult) -> EvaluatorResult:
        """The result so far of an evaluator, or of the turn that it grades."""
        return found if self._turn is None else replace(self._turn, members=(*self._turn.members, found))


def steps_of(job: Job) -> dict[tuple[str, str], ProgressText]:
    """The progress of every case of a run, by its suite and its id."""
    pairs = [(part, case) for part in job.parts for case in part.cases]
    return {
        (part.uri, case.id): ProgressText(number, job.amount, len(turns_of(case.case)), part.number)
        for number, (part, case) in enumerate(pairs, 1)
    }


def tally(done: Sequence[CaseResult], of: int) -> str:
    """Verdicts of cases in numbers: ✔ 2 ✘ 1 1 not run."""
    verdicts = [result.verdict for result in done]
    words = [f"{sign} {verdicts.count(verdict)}" for verdict, sign in SIGNS.items() if verdict in verdicts]
    missing = of - len(done)
    return "  ".join([*words, f"{missing} not run"] if missing else words)
