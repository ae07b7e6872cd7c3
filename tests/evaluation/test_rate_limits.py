"""`requests_per_minute` and `tokens_per_minute` of a target: no minute has more, whoever asks."""

import asyncio
import time
from datetime import datetime, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge_server import Fault, JudgeServer
from suites import Folder, Waits

from rubric_core.evaluation.cases.options import Options
from rubric_core.evaluation.model.result import Verdict
from rubric_core.evaluation.targets.rate_limits import RateLimit, RateLimits
from rubric_core.ports import Tokens


def many(count: int, start: int = 0) -> str:
    return "tests:\n" + "".join(
        f"  - {{id: c{n}, criteria: c, input: hi {n}, assertions: [{{type: contains, value: ok}}]}}\n"
        for n in range(start, start + count)
    )


class Sleeping:
    """A clock whose time passes while somebody sleeps, and only then; sleepers wake in order."""

    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> datetime:
        return datetime(2026, 11, 21, tzinfo=timezone.utc)

    def seconds(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        until = self.time + seconds
        await asyncio.sleep(0)
        self.time = max(self.time, until)


@given(
    st.one_of(st.none(), st.integers(1, 5)),
    st.one_of(st.none(), st.integers(100, 500)),
    st.lists(st.tuples(st.integers(0, 90), st.integers(0, 100)), min_size=1, max_size=25),
)
def test_no_minute_has_more_than_is_allowed(
    requests: int | None, tokens: int | None, asked: list[tuple[int, int]]
) -> None:
    """Each request comes so many seconds after the one before, and takes so many tokens, known at once."""
    limit, clock, sent = RateLimit(requests, tokens), Sleeping(), list[tuple[float, int]]()

    async def run() -> None:
        for pause, takes in asked:
            clock.time += pause
            request = await limit.admit("x" * takes * 4, clock)
            limit.answered(request, Tokens(takes))
            sent.append((clock.time, takes))

    asyncio.run(run())
    for first, _ in sent:
        minute = [takes for at, takes in sent if first <= at < first + 60 - 1e-3]
        assert requests is None or len(minute) <= requests
        assert tokens is None or sum(minute) <= tokens


@given(st.integers(1, 4), st.integers(1, 9))
def test_whoever_asks_at_once_shares_the_limit(requests: int, askers: int) -> None:
    limit, clock, sent = RateLimit(requests, None), Sleeping(), list[float]()

    async def one() -> None:
        await limit.admit("", clock)
        sent.append(clock.time)

    async def run() -> None:
        await asyncio.gather(*(one() for _ in range(askers)))

    asyncio.run(run())
    assert len(sent) == askers
    assert all(sum(first <= at < first + 60 - 1e-3 for at in sent) <= requests for first in sent)


async def test_a_request_with_more_tokens_than_allowed_has_a_minute_for_itself() -> None:
    limit, clock = RateLimit(None, 100), Waits()
    for _ in range(2):
        limit.answered(await limit.admit("", clock), Tokens(400))
    assert clock.waited == [60.0]


async def test_what_requests_took_on_average_is_expected_of_the_next() -> None:
    limit, clock = RateLimit(None, 100), Waits()
    limit.answered(await limit.admit("", clock), Tokens(40))
    await limit.admit("", clock)
    assert clock.waited == []
    await limit.admit("", clock)  # 80 are taken or expected
    assert clock.waited == [60.0]


def test_suites_of_a_run_share_the_limits_of_a_target() -> None:
    limits = RateLimits()
    assert limits.of("bot", 3, None) is limits.of("bot", 3, None)
    assert limits.of("bot", 3, None) is not limits.of("other", 3, None)
    assert limits.of("bot", None, None) is None


async def test_cases_wait_for_their_turn(folder: Folder) -> None:
    folder.clock = clock = Waits()
    folder.targets({"name": "default", "provider": "mock", "response": "ok", "requests_per_minute": 2})
    results = await folder.run(many(5), workers=1)
    assert {r.verdict for r in results.values()} == {Verdict.PASSED}
    assert clock.waited == [60.0, 60.0]


async def test_two_suites_with_the_same_options(folder: Folder) -> None:
    folder.clock = clock = Waits()
    folder.targets({"name": "default", "provider": "mock", "response": "ok", "requests_per_minute": 2})
    shared = Options().rate_limits
    await folder.run(many(2), workers=1, rate_limits=shared)
    assert clock.waited == []
    await folder.run(many(1), workers=1, rate_limits=shared)
    assert clock.waited == [60.0]


async def test_tokens_are_those_that_the_server_tells(folder: Folder, judge: JudgeServer) -> None:
    folder.clock = clock = Waits()
    judge.replies = ["ok"]  # 120 tokens each
    folder.targets(judge.target("default", tokens_per_minute=300))
    await folder.run(many(5), workers=1)
    assert clock.waited == [60.0, 60.0]


async def test_what_is_sent_again_counts(folder: Folder, judge: JudgeServer) -> None:
    folder.clock = clock = Waits()
    judge.replies = [Fault(503), "ok"]
    folder.targets(judge.target("default", requests_per_minute=2, retry_initial_delay_ms=1000))
    await folder.run(many(2), workers=1)
    assert clock.waited == [1.0, 59.0]


async def test_a_judge_has_limits_too(folder: Folder, judge: JudgeServer) -> None:
    folder.clock = clock = Waits()
    judge.replies = ['{"score": 1, "hits": [], "misses": []}']
    folder.targets({"name": "default", "provider": "mock", "response": "ok", "grader_target": "judge"}, judge.target(requests_per_minute=1))  # fmt: skip
    text = "tests:\n" + "".join(f"  - {{id: c{n}, criteria: Says ok, input: hi}}\n" for n in range(3))
    await folder.run(text, workers=1)
    assert clock.waited == [60.0, 60.0]


@pytest.mark.parametrize("written", ["requests_per_minute: 0", "tokens_per_minute: many"])
async def test_a_limit_is_a_number(folder: Folder, written: str) -> None:
    folder.write(".agentv/targets.yaml", f"targets: [{{name: default, provider: mock, response: ok, {written}}}]")
    result = (await folder.run(many(1)))["c0"]
    name, value = written.split(": ")
    assert (
        result.reason
        == f"target default: {name} is a whole number of at least 1, found {value if value == '0' else 'a string'} (targets.yaml:1, {name})"
    )


def limited(count: int, seconds: float, graders: str = "{type: contains, value: ok}") -> str:
    """Cases that may take so many seconds each."""
    cases = "".join(f"  - {{id: c{n}, vars: {{q: {n}}}, assert: [{graders}]}}\n" for n in range(count))
    return f"prompts: ['hi {{{{ q }}}}']\ntimeout_seconds: {seconds}\ntests:\n{cases}"


class Hurried:
    """A clock that runs a hundred times as fast as that of the machine, so that a minute is really waited for."""

    def now(self) -> datetime:
        return datetime(2026, 11, 21, tzinfo=timezone.utc)

    def seconds(self) -> float:
        return time.monotonic() * 100

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds / 100)


async def test_waiting_for_a_turn_is_not_the_time_of_the_case(folder: Folder) -> None:
    folder.clock = Hurried()
    folder.targets({"name": "default", "provider": "mock", "response": "ok", "requests_per_minute": 1})
    began = time.monotonic()
    results = await folder.run(limited(3, 0.4), "agentv-5", workers=3)
    assert time.monotonic() - began > 1.1, "two of them waited for longer than a case may take"
    assert {(r.verdict, r.reason) for r in results.values()} == {(Verdict.PASSED, "")}


@pytest.mark.parametrize("limit", [{"workers": 1}, {"requests_per_minute": 1}])
async def test_a_case_that_waited_still_has_its_limit(folder: Folder, limit: dict[str, int]) -> None:
    folder.clock = Hurried()
    # Each takes longer than it may, the second one after its turn came.
    folder.targets({"name": "default", "provider": "cli", "command": "sleep 30 # {PROMPT}", **limit})
    began = time.monotonic()
    results = await folder.run(limited(2, 0.4), "agentv-5", workers=2)
    assert time.monotonic() - began < 20
    assert {r.reason for r in results.values()} == {"stopped: the case took longer than 0.4 s (`timeout_seconds`)"}


async def test_a_queue_at_a_target_is_not_the_time_of_the_case(folder: Folder) -> None:
    folder.targets({"name": "default", "provider": "cli", "command": "sleep 0.3; echo ok # {PROMPT}", "workers": 1})
    results = await folder.run(limited(9, 2), "agentv-5", workers=9)
    assert {(r.verdict, r.reason) for r in results.values()} == {(Verdict.PASSED, "")}


async def test_leaving_a_server_alone_is_not_the_time_of_the_case(folder: Folder, judge: JudgeServer) -> None:
    folder.clock = Hurried()
    judge.replies = [Fault(429, headers={"Retry-After": "90"}), "ok"]
    folder.targets(judge.target("default"))
    (result,) = (await folder.run(limited(1, 0.5), "agentv-5")).values()
    assert (result.verdict, result.reason) == (Verdict.PASSED, "")


async def test_a_judge_that_waits_is_not_the_time_of_the_case(folder: Folder, judge: JudgeServer) -> None:
    folder.clock = Hurried()
    judge.replies = ['{"score": 1, "reasoning": "fine"}']
    folder.targets(
        {"name": "default", "provider": "mock", "response": "ok", "grader_target": "judge"},
        judge.target("judge", requests_per_minute=1),
    )
    judged = "{name: a, type: llm-rubric, value: Is kind}, {name: b, type: llm-rubric, value: Is short}"
    (result,) = (await folder.run(limited(1, 0.5, judged), "agentv-5")).values()
    assert "took longer" not in result.reason
    assert len(judge.bodies) == 2
