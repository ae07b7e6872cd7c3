"""Limits of targets in the scheduler, without a cluster around it."""

import asyncio
from types import SimpleNamespace

import pytest

pytest.importorskip("distributed", reason="the extra `cluster` is not installed: pip install distributed")

from rubric_core.cluster.scheduler_plugin import RubricRuns


@pytest.fixture
async def runs() -> RubricRuns:
    made = RubricRuns()
    scheduler = SimpleNamespace(handlers={}, workers={"a": 1, "b": 1}, log_event=lambda *_: None)
    await made.start(scheduler)
    made.open("run", "client", b"")
    return made


async def test_requests_of_all_workers_count_together(runs: RubricRuns):
    admitted = [runs.admit("run", "model", [3, None], 10) for _ in range(5)]
    assert [bool(number) for _, number in admitted] == [True, True, True, False, False]
    assert 59 < admitted[-1][0] <= 60
    assert runs.admit("run", "other", [3, None], 10)[1]


async def test_tokens_of_all_workers_count_together(runs: RubricRuns):
    _, number = runs.admit("run", "model", [None, 1000], 40)
    runs.answered("run", "model", number, 990)
    assert runs.admit("run", "model", [None, 1000], 40)[1] == 0


async def test_places_are_given_as_others_leave_and_when_their_worker_ends(runs: RubricRuns):
    _, first = await runs.enter("run", "model", "a", 2, 0.0)
    await runs.enter("run", "model", "b", 2, 0.0)
    third = asyncio.ensure_future(runs.enter("run", "model", "b", 2, 0.0))
    fourth = asyncio.ensure_future(runs.enter("run", "model", "a", 2, 0.0))
    await asyncio.sleep(0)
    assert not third.done()
    runs.leave("run", "model", first)
    await third
    assert not fourth.done()
    runs.remove_worker(runs.scheduler, "b")
    assert (await fourth)[1]


async def test_starts_are_apart_over_all_workers(runs: RubricRuns):
    waits = [(await runs.enter("run", "model", worker, None, 2.0))[0] for worker in ("a", "b", "a")]
    assert [round(seconds) for seconds in waits] == [0, 2, 4]


async def test_a_batch_is_begun_once_and_a_run_ends_with_its_client(runs: RubricRuns):
    assert [runs.claim("run", "batch", worker) for worker in ("a", "b")] == [True, False]
    runs.remove_client(runs.scheduler, "another")
    assert runs.alive("run")
    runs.remove_client(runs.scheduler, "client")
    assert not runs.alive("run")
    assert (runs.join("run"), runs.claim("run", "next", "a")) == (None, False)
