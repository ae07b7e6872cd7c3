"""The requests of one target within the last minute, and when the next one is allowed.

Imports only the standard library: the scheduler of a cluster, which may have no rubric, is handed this module as code.
"""

from collections import deque

__all__ = ["CountedRequest", "MinuteWindow"]

_MINUTE = 60.0
#: The tolerance for sums of times, in seconds.
_EPSILON = 1e-6
#: Characters of a prompt that count as one token until the target has reported its usage.
_CHARACTERS = 4


class CountedRequest:
    """A request within the last minute."""

    __slots__ = ("at", "tokens")

    def __init__(self, at: float, tokens: float) -> None:
        #: Seconds of the clock.
        self.at = at
        #: The expected tokens, replaced by the actual ones when the answer arrives.
        self.tokens = tokens


class MinuteWindow:
    """Counts requests and their tokens, so that no minute exceeds the limits.

    The usage of a request is known when it is answered; until then, the average of earlier requests stands in, or a
    quarter of the characters of its prompt if that is more. A single request with more tokens than allowed gets a minute to
    itself.

    Args:
        requests: How many are allowed a minute; None for no limit.
        tokens: How many tokens are; None for no limit.
    """

    def __init__(self, requests: int | None, tokens: int | None) -> None:
        self._requests = requests
        self._tokens = tokens
        self._sent: deque[CountedRequest] = deque()
        self._answers = 0
        self._taken = 0

    def expected(self, characters: int) -> float:
        """The estimated tokens of a request whose prompt has that many characters."""
        return max(characters / _CHARACTERS, self._taken / self._answers if self._answers else 0.0)

    def count(self, tokens: float, now: float) -> CountedRequest:
        """Count a request that is sent at `now`, in seconds."""
        self._sent.append(CountedRequest(now, tokens))
        return self._sent[-1]

    def answered(self, request: CountedRequest, tokens: int) -> None:
        """Record the tokens that a request took."""
        request.tokens = tokens
        self._answers += 1
        self._taken += tokens

    def wait(self, expected: float, now: float) -> float:
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
