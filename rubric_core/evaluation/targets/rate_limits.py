"""Rate limits of targets per minute: `requests_per_minute` and `tokens_per_minute` of an entry."""

from collections import deque
from collections.abc import Hashable

from rubric_core.lazy_compilation import dataclass
from rubric_core.ports import Clock, Tokens

__all__ = ["RateLimit", "RateLimits", "SentRequest"]

_MINUTE = 60.0
#: The tolerance for sums of times, in seconds.
_EPSILON = 1e-6
#: Characters of a prompt that count as one token until the target has reported its usage.
_CHARACTERS = 4


@dataclass(slots=True)
class SentRequest:
    """A request within the last minute."""

    #: Seconds of the clock.
    at: float
    #: The expected tokens, replaced by the actual ones when the answer arrives.
    tokens: float


class RateLimit:
    """The limits of one target, shared by all its callers. No minute exceeds the allowed requests or tokens.

    The usage of a request is known when it is answered; until then, the average of earlier requests stands in, or a
    quarter of the characters of its prompt if that is more. A single request with more tokens than allowed gets a minute to
    itself.
    """

    def __init__(self, requests: int | None, tokens: int | None) -> None:
        self._requests = requests
        self._tokens = tokens
        self._sent: deque[SentRequest] = deque()
        self._answers = 0
        self._taken = 0

    async def admit(self, prompt: str, clock: Clock) -> SentRequest:
        """Wait until a request may be sent. It counts from then on."""
        expected = max(len(prompt) / _CHARACTERS, self._taken / self._answers if self._answers else 0.0)
        while (seconds := self._wait(expected, clock.seconds())) > 0:
            await clock.sleep(seconds)
        return self._counted(expected, clock)

    def repeated(self, request: SentRequest, clock: Clock) -> None:
        """Count a retry after an error."""
        self._counted(request.tokens, clock)

    def answered(self, request: SentRequest, tokens: Tokens | None) -> None:
        """Record the tokens of the answer to a request, if it reports them."""
        if tokens is not None:
            request.tokens = tokens.total
            self._answers += 1
            self._taken += tokens.total

    def _counted(self, tokens: float, clock: Clock) -> SentRequest:
        self._sent.append(SentRequest(clock.seconds(), tokens))
        return self._sent[-1]

    def _wait(self, expected: float, now: float) -> float:
        """Seconds until a request may be tried again; 0 when it may be sent."""
        while self._sent and self._sent[0].at + _MINUTE <= now + _EPSILON:
            self._sent.popleft()
        until = now
        if self._requests is not None and len(self._sent) >= self._requests:
            until = self._sent[-self._requests].at + _MINUTE
        if self._tokens is not None:
            until = max(until, self._room_for(expected, self._tokens, now))
        return until - now

    def _room_for(self, expected: float, most: int, now: float) -> float:
        """The time at which that many tokens are allowed."""
        used, until = sum(each.tokens for each in self._sent), now
        for each in self._sent:
            if used + expected <= most:
                break
            used -= each.tokens
            until = each.at + _MINUTE
        return until


class RateLimits:
    """The limits of all targets of a run, shared by the suites that use the same target."""

    def __init__(self) -> None:
        self._known: dict[Hashable, RateLimit] = {}

    def of(self, target: Hashable, requests: int | None, tokens: int | None) -> RateLimit | None:
        """The limits of the target identified by `target`; None for one without."""
        if requests is None and tokens is None:
            return None
        return self._known.setdefault((target, requests, tokens), RateLimit(requests, tokens))
