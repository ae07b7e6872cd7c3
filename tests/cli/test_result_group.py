"""Cases that end close together are handed on together, and none of them waits for another one that is on its way."""

import asyncio
from collections.abc import Sequence

import pytest

from rubric_core.cli.result_group import ResultGroup
from rubric_core.evaluation.engine.events import CaseDone
from rubric_core.evaluation.model.result import CaseResult, Verdict


class Groups:
    """What was handed on; fails with the groups of these numbers."""

    def __init__(self, fails: Sequence[int] = ()) -> None:
        self.ids: list[list[str]] = []
        self.stopped = asyncio.Event()
        self._fails = fails
        self.group = ResultGroup(self._take, self.stopped.set)

    def _take(self, ended: Sequence[CaseDone]) -> None:
        self.ids.append([done.case_id for done in ended])
        if len(self.ids) in self._fails:
            raise BrokenPipeError(len(self.ids))

    def end(self, name: str, milliseconds: float = 1.0) -> None:
        self.group.add(CaseDone(name, CaseResult(id=name, verdict=Verdict.PASSED, duration_ms=milliseconds)))


async def turns(amount: int) -> None:
    for _ in range(amount):
        await asyncio.sleep(0)


async def test_cases_that_end_in_turn_are_one_group_of_eight_at_most() -> None:
    groups = Groups()
    for number in range(10):
        groups.end(str(number))
        await turns(1)
    assert groups.ids == [list("01234567")]
    groups.group.flush()
    groups.group.flush()
    assert groups.ids == [list("01234567"), list("89")]


async def test_a_case_alone_does_not_wait_for_the_next() -> None:
    groups = Groups()
    groups.end("a")
    assert groups.ids == []
    await turns(10)
    groups.end("b")
    await turns(10)
    assert groups.ids == [["a"], ["b"]]


async def test_a_case_that_took_its_time_is_handed_on_at_once() -> None:
    groups = Groups()
    groups.end("a")
    groups.end("b", milliseconds=100.0)
    assert groups.ids == [["a", "b"]]


async def test_a_reader_that_is_gone_ends_the_run() -> None:
    """In the order in which it was found, and once."""
    groups = Groups(fails=(1, 2))
    groups.end("a")
    await groups.stopped.wait()
    with pytest.raises(BrokenPipeError, match="1"):
        groups.group.flush()
    groups.end("b")
    with pytest.raises(BrokenPipeError, match="2"):
        groups.group.flush()
    groups.group.flush()
    assert groups.ids == [["a"], ["b"]]
