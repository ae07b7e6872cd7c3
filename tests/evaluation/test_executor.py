"""A run asks its executor to run cases; everything that steers a run stays with the schedule."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from suites import Folder

from rubric_core.evaluation.engine.events import CaseDone, CaseStarted
from rubric_core.evaluation.engine.run import run_in_session, session_of
from rubric_core.evaluation.engine.schedule import run_cases

SUITE = """\
tests:
  - {id: first, criteria: c, input: hi, assertions: [{type: contains, value: hello}]}
  - {id: second, criteria: c, input: hi, assertions: [{type: contains, value: hello}], depends_on: [first]}
  - {id: third, criteria: c, input: hi, assertions: [{type: contains, value: bye}]}
"""


class OneByOne:
    """Runs one case after another, and remembers which."""

    def __init__(self):
        self.ran, self.most, self.now, self.open = [], 0, 0, False

    @asynccontextmanager
    async def around(self, cases, ports, on_event, workers) -> AsyncIterator["OneByOne"]:
        self.wanted, self.open = workers, True
        async with session_of(cases, ports, on_event) as self.session:
            self.ports, self.on_event = ports, on_event
            yield self
        self.open = False

    @property
    def slots(self) -> int:
        return 1

    async def run(self, case):
        self.now += 1
        self.most = max(self.most, self.now)
        self.ran.append(case.id)
        result = await run_in_session(case.copied(), self.ports, self.on_event, self.session)
        self.now -= 1
        return result

    def hold(self) -> None:
        """Every case that was given to it runs."""


class FirstOnly(OneByOne):
    """An executor that queues all cases, and starts only the first one; `hold` cancels the others."""

    def __init__(self):
        super().__init__()
        self.held = asyncio.Event()

    @property
    def slots(self) -> int:
        return 10

    async def run(self, case):
        if not self.ran:
            return await super().run(case)
        await asyncio.wait_for(self.held.wait(), 20)
        raise asyncio.CancelledError

    def hold(self) -> None:
        self.held.set()


def shown(results):
    """What does not tell when they ran, or how long that took."""
    return [(e.id, e.verdict, e.score, e.answer, e.fingerprint, [v.score for v in e.evaluators]) for e in results]


async def test_the_executor_runs_the_cases_that_the_schedule_gives_to_it(folder: Folder):
    folder.mock("hello")
    executor = OneByOne()
    results = await run_cases(folder.cases(SUITE), workers=3, executor=executor)
    assert [each.verdict.value for each in results] == ["passed", "passed", "failed"]
    assert (executor.most, executor.wanted, executor.open) == (1, 3, False)
    assert executor.ran == ["first", "second", "third"]
    assert shown(results) == shown(await run_cases(folder.cases(SUITE)))


LIMITED = """\
execution: {fail_on_error: true}
tests:
  - {id: wrong, criteria: c, input: hi, assertions: [{type: no-such-type}]}
  - {id: second, criteria: c, input: hi, assertions: [{type: contains, value: hello}]}
  - {id: third, criteria: c, input: hi, assertions: [{type: contains, value: hello}]}
"""


async def test_cases_that_the_executor_has_not_begun_are_held_back_when_the_run_stops(folder: Folder):
    folder.mock("hello")
    executor, events = FirstOnly(), []
    results = await run_cases(folder.cases(LIMITED), on_event=events.append, executor=executor)
    assert executor.ran == ["wrong"]
    assert shown(results) == shown(await run_cases(folder.cases(LIMITED), workers=1))
    assert {each.reason for each in results[1:]} == {"not run: wrong could not be scored, and fail_on_error is set"}
    for kind in (CaseStarted, CaseDone):
        assert sorted(e.case_id for e in events if isinstance(e, kind)) == ["second", "third", "wrong"]


class Lost(FirstOnly):
    """An executor whose other cases begin, too; the worker that runs them is lost before the first one ends."""

    async def run(self, case):
        if self.ran:
            self.on_event(CaseStarted(case.id, ()))
        return await super().run(case)


async def test_a_case_that_began_before_its_worker_was_lost_is_reported_as_started_once(folder: Folder):
    folder.mock("hello")
    events = []
    await run_cases(folder.cases(LIMITED), on_event=events.append, executor=Lost())
    for kind in (CaseStarted, CaseDone):
        assert sorted(e.case_id for e in events if isinstance(e, kind)) == ["second", "third", "wrong"]
