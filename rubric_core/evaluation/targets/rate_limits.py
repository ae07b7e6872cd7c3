"""Limits of targets: `requests_per_minute`, `tokens_per_minute`, `workers` and `delay`; `providers.http_retries` retries."""

import asyncio
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager

from rubric_core.deadlines import untimed
from rubric_core.evaluation.targets.minute_window import CountedRequest, MinuteWindow
from rubric_core.ports import Clock, Tokens

__all__ = ["CountedRequest", "Pace", "QuietPeriod", "RateLimit", "RateLimits"]


class RateLimit:
    """The limits of one target a minute, shared by all its callers; see `MinuteWindow`."""

    def __init__(self, requests: int | None, tokens: int | None) -> None:
        self._window = MinuteWindow(requests, tokens)

    async def admit(self, prompt: str, clock: Clock) -> CountedRequest:
        """Wait until a request may be sent. It counts from then on."""
        expected = self._window.expected(len(prompt))
        while (seconds := self._window.wait(expected, clock.seconds())) > 0:
            await clock.sleep(seconds)
        return self._window.count(expected, clock.seconds())

    def repeated(self, request: CountedRequest, clock: Clock) -> None:
        """Count a retry after an error."""
        self._window.count(request.tokens, clock.seconds())

    def answered(self, request: CountedRequest, tokens: Tokens | None) -> None:
        """Record the tokens of the answer to a request, if it reports them."""
        if tokens is not None:
            self._window.answered(request, tokens.total)


class Pace:
    """How many requests to one target run at once, and the delay between their starts.

    Args:
        workers: The number of requests at once; None for no limit.
        delay: Seconds between two starts.
    """

    def __init__(self, workers: int | None, delay: float) -> None:
        self._room = asyncio.Semaphore(workers) if workers is not None else None
        self._delay = delay
        self._next = 0.0

    @asynccontextmanager
    async def kept(self, clock: Clock) -> AsyncIterator[None]:
        """Wait until a request may start; it is over at the end of the `with` block."""
        if self._room is None:
            await self._wait(clock)
            yield
            return
        with untimed():
            await self._room.acquire()
        try:
            await self._wait(clock)
            yield
        finally:
            self._room.release()

    async def _wait(self, clock: Clock) -> None:
        if not self._delay:
            return
        now = clock.seconds()
        begin = max(now, self._next)
        self._next = begin + self._delay
        if begin > now:
            with untimed():
                await clock.sleep(begin - now)


class QuietPeriod:
    """The time in which a server wants no requests (`Retry-After`); all requests to its target wait until it is over."""

    def __init__(self) -> None:
        self._until = 0.0

    def extend(self, seconds: float, clock: Clock) -> None:
        """Send nothing for that many seconds."""
        self._until = max(self._until, clock.seconds() + seconds)

    async def over(self, clock: Clock) -> None:
        """Wait for the end of it."""
        while (seconds := self._until - clock.seconds()) > 0:
            with untimed():
                await clock.sleep(seconds)


class RateLimits:
    """The limits of all targets of a run, shared by the suites that use the same target."""

    def __init__(self) -> None:
        self._known: dict[Hashable, RateLimit] = {}

    def of(self, target: Hashable, requests: int | None, tokens: int | None) -> RateLimit | None:
        """The limits of the target identified by `target`; None for one without."""
        if requests is None and tokens is None:
            return None
        key = (target, requests, tokens)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self.made(target, requests, tokens)
        return known

    def made(self, target: Hashable, requests: int | None, tokens: int | None) -> RateLimit:  # noqa: ARG002  # for who limits targets elsewhere
        """New limits of a target."""
        return RateLimit(requests, tokens)

    def pace(self, target: Hashable, workers: int | None, delay: float) -> Pace | None:  # noqa: ARG002  # see `made`
        """The pace of a target; None for one without."""
        return Pace(workers, delay) if workers is not None or delay else None

    def quiet_period(self, target: Hashable) -> QuietPeriod:  # noqa: ARG002  # see `made`
        """The quiet period of a target."""
        return QuietPeriod()
