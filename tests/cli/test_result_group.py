"""Cases that end close together are handed on together, and none of them waits for long."""

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

    def end(self, name: str) -> None:
        self.group.add(CaseDone(name, CaseResult(id=name, verdict=Verdict.PASSED)))


async def test_cases_that_end_in_turn_are_one_group_of_32_at_most() -> None:
    groups = Groups()
    names = [str(number) for number in range(40)]
    for name in names:
        groups.end(name)
    assert groups.ids == [names[:32]]
    groups.group.flush()
    groups.group.flush()
    assert groups.ids == [names[:32], names[32:]]


async def test_a_group_is_handed_on_though_no_other_case_ends() -> None:
    groups = Groups()
    for names in (["a"], ["b", "c"]):
        for name in names:
            groups.end(name)
        assert names not in groups.ids
        while names not in groups.ids:
            await asyncio.sleep(0.001)
    assert groups.ids == [["a"], ["b", "c"]]


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
