"""How much targets may be asked in a minute: `requests_per_minute` and `tokens_per_minute` of an entry."""

from collections import deque
from collections.abc import Hashable

from rubric_core.lazy_compilation import dataclass
from rubric_core.ports import Clock, Tokens

__all__ = ["RateLimit", "RateLimits", "SentRequest"]

_MINUTE = 60.0
#: Seconds by which sums of times may be wrong.
_EPSILON = 1e-6
#: Characters of a prompt that are treated as one token until the target has told how many it takes.
_CHARACTERS = 4


@dataclass(slots=True)
class SentRequest:
    """A request within the last minute."""

    #: Seconds of the clock.
    at: float
    #: As many as are expected, and when the answer is there as many as it took.
    tokens: float


class RateLimit:
    """The limits of one target, which everybody who asks it shares. No minute has more requests, or more tokens, than allowed.

    What a request takes is known when it is answered; before, what an earlier one took on average stands for it, or a
    quarter of the characters of its prompt where that is more. A single request with more tokens than allowed has a minute for
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
        """The same was sent again, after an error."""
        self._counted(request.tokens, clock)

    def answered(self, request: SentRequest, tokens: Tokens | None) -> None:
        """The answer to a request is there, and took so many tokens, if it tells."""
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
        """When so many tokens are allowed."""
        used, until = sum(each.tokens for each in self._sent), now
        for each in self._sent:
            if used + expected <= most:
                break
            used -= each.tokens
            until = each.at + _MINUTE
        return until


class RateLimits:
    """The limits of all targets of a run: suites that ask the same target share them."""

    def __init__(self) -> None:
        self._known: dict[Hashable, RateLimit] = {}

    def of(self, target: Hashable, requests: int | None, tokens: int | None) -> RateLimit | None:
        """Those of a target, which `target` tells from all others; None for one without."""
        if requests is None and tokens is None:
            return None
        return self._known.setdefault((target, requests, tokens), RateLimit(requests, tokens))
