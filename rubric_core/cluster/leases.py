"""Rate limits of targets over all workers, granted by the scheduler; see `RubricRuns`."""

from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from typing import Any, Protocol

from rubric_core.deadlines import untimed
from rubric_core.evaluation.targets.minute_window import CountedRequest
from rubric_core.evaluation.targets.rate_limits import Pace, QuietPeriod, RateLimit, RateLimits
from rubric_core.ports import Clock, Tokens

__all__ = ["LeasedRateLimits", "SchedulerLink"]


class SchedulerLink(Protocol):
    """A connection to the scheduler."""

    async def ask(self, what: str, **arguments: Any) -> Any:
        """The scheduler's answer."""

    def tell(self, what: str, **arguments: Any) -> None:
        """Send the scheduler a message that needs no answer."""


class _NumberedRequest(CountedRequest):
    """A request that the scheduler counts."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        super().__init__(0.0, 0.0)
        self.number = number


class _LeasedRateLimit(RateLimit):
    """The limits per minute of one target."""

    def __init__(self, link: SchedulerLink, target: str, requests: int | None, tokens: int | None) -> None:
        super().__init__(requests, tokens)
        self._link, self._target, self._limits = link, target, [requests, tokens]

    async def admit(self, prompt: str, clock: Clock) -> CountedRequest:
        """See `RateLimit.admit`."""
        while True:
            seconds, number = await self._link.ask(
                "admit", target=self._target, limits=self._limits, characters=len(prompt)
            )
            if number:
                return _NumberedRequest(number)
            await clock.sleep(seconds)

    def repeated(self, request: CountedRequest, clock: Clock) -> None:  # noqa: ARG002  # the scheduler uses its own clock
        """See `RateLimit.repeated`."""
        assert isinstance(request, _NumberedRequest)
        self._link.tell("repeated", target=self._target, number=request.number)

    def answered(self, request: CountedRequest, tokens: Tokens | None) -> None:
        """See `RateLimit.answered`."""
        assert isinstance(request, _NumberedRequest)
        total = tokens.total if tokens is not None else None
        self._link.tell("answered", target=self._target, number=request.number, tokens=total)


class _LeasedPace(Pace):
    """The pace of one target."""

    def __init__(self, link: SchedulerLink, target: str, workers: int | None, delay: float) -> None:
        super().__init__(workers, delay)
        self._link, self._target = link, target
        self._limits = {"most": workers, "delay": delay}

    @asynccontextmanager
    async def kept(self, clock: Clock) -> AsyncIterator[None]:
        """See `Pace.kept`."""
        with untimed():
            seconds, number = await self._link.ask("enter", target=self._target, **self._limits)
        try:
            if seconds > 0:
                with untimed():
                    await clock.sleep(seconds)
            yield
        finally:
            self._link.tell("leave", target=self._target, number=number)


class _SharedQuietPeriod(QuietPeriod):
    """The quiet period of one target, which begins on all workers at once."""

    def __init__(self, link: SchedulerLink, target: str) -> None:
        super().__init__()
        self._link, self._target = link, target

    def extend(self, seconds: float, clock: Clock) -> None:
        """See `QuietPeriod.extend`."""
        self.extend_here(seconds, clock)
        self._link.tell("pause", target=self._target, seconds=seconds)

    def extend_here(self, seconds: float, clock: Clock) -> None:
        """Extend it without a message to other workers."""
        super().extend(seconds, clock)


class LeasedRateLimits(RateLimits):
    """The limits of all targets of a run.

    Args:
        link: The connection to the scheduler.
        home: The directory of the run's files on this worker. It is removed from the names of targets, which are then the same on all workers.
    """

    def __init__(self, link: SchedulerLink, home: str) -> None:
        super().__init__()
        self._link, self._home = link, home
        self._quiet_periods: dict[str, _SharedQuietPeriod] = {}

    def made(self, target: Hashable, requests: int | None, tokens: int | None) -> RateLimit:
        """See `RateLimits.made`."""
        return _LeasedRateLimit(self._link, self._shared_name(target), requests, tokens)

    def pace(self, target: Hashable, workers: int | None, delay: float) -> Pace | None:
        """See `RateLimits.pace`."""
        if workers is None and not delay:
            return None
        return _LeasedPace(self._link, self._shared_name(target), workers, delay)

    def quiet_period(self, target: Hashable) -> QuietPeriod:
        """See `RateLimits.quiet_period`."""
        return self._quiet_period(self._shared_name(target))

    def pause(self, target: str, seconds: float, clock: Clock) -> None:
        """Begin a quiet period that another worker has reported."""
        self._quiet_period(target).extend_here(seconds, clock)

    def _quiet_period(self, target: str) -> _SharedQuietPeriod:
        return self._quiet_periods.setdefault(target, _SharedQuietPeriod(self._link, target))

    def _shared_name(self, target: Hashable) -> str:
        return repr(target).replace(self._home, "") if self._home else repr(target)
