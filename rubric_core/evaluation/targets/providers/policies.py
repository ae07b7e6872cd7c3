"""Policies for targets of any kind: concurrency, fallbacks, and redaction of secrets."""

from collections.abc import Callable, Sequence

from rubric_core.dataclass_copies import replace_fields
from rubric_core.deadlines import untimed
from rubric_core.evaluation.model.redaction import Redactor
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.targets.providers.wrapper import ProviderWrapper
from rubric_core.evaluation.targets.rate_limits import Pace, RateLimit
from rubric_core.language.providers import Prices
from rubric_core.lazy_compilation import dataclass, field, replace
from rubric_core.ports import Answer, Clock, Provider, ProviderError, Request, SentPayload

__all__ = ["FallbackProvider", "GuardedProvider", "PricedProvider"]


_MILLION = 1_000_000


@dataclass
class PricedProvider(ProviderWrapper):
    """A provider whose costs are computed from its tokens if it does not report them."""

    prices: Prices

    async def ask(self, request: Request) -> Answer:
        answer = await self.inner.ask(request)
        if answer.cost_usd is not None or answer.tokens is None:
            return answer
        tokens, prices = answer.tokens, self.prices
        read, written = prices.input or 0.0, prices.output or 0.0
        cached = read if prices.cached_input is None else prices.cached_input
        cost = (tokens.input * read + tokens.cached * cached + tokens.output * written) / _MILLION
        return replace(answer, cost_usd=cost)


@dataclass
class GuardedProvider(ProviderWrapper):
    """A provider with limits on its requests, whose replies contain no secrets."""

    redact: Redactor
    clock: Clock
    #: How many requests are on their way at once, and how long after each other they start.
    pace: Pace | None = None
    #: Its limits per minute.
    rate: RateLimit | None = None

    async def ask(self, request: Request) -> Answer:
        if request.model is not None:
            raise ProviderError(f"a target cannot change its model to {request.model}; use a target with that model")
        if self.pace is None:
            return await self._ask(request)
        async with self.pace.kept(self.clock):
            return await self._ask(request)

    async def _ask(self, request: Request) -> Answer:
        sent = request.sent
        if self.redact:
            request = replace_fields(request, sent=lambda each: sent(self.redact.within(each)))
        try:
            answer = await (self.inner.ask(request) if self.rate is None else self._within(self.rate, request))
        except ProviderError as error:
            raise ProviderError(" ".join(self.redact(str(error)).split())) from None
        return self.redact.within(answer)

    async def _within(self, rate: RateLimit, request: Request) -> Answer:
        """Ask as soon as the limits of the target allow it; retries count, too."""
        with untimed():
            counted = await rate.admit(request.prompt, self.clock)
        sent = request.sent

        def heard(payload: SentPayload) -> None:
            if payload.again:
                rate.repeated(counted, self.clock)
            sent(payload)

        answer = await self.inner.ask(replace_fields(request, sent=heard))
        rate.answered(counted, answer.tokens)
        return answer


@dataclass
class FallbackProvider(ProviderWrapper):
    """A provider with fallbacks that are called in order after an error."""

    #: The names of the fallbacks, and how each is created on demand. The latter raises Unscored.
    others: Sequence[str]
    make: Callable[[str], Provider]
    _made: dict[str, Provider] = field(default_factory=dict)

    async def ask(self, request: Request) -> Answer:
        try:
            return await self.inner.ask(request)
        except ProviderError as error:
            troubles = [str(error)]
        for name in self.others:
            try:
                other = self.make(name)
                answer = await other.ask(request)
            except ProviderError as error:
                troubles.append(f"{name}: {error}")
            except Unscored as problem:
                troubles.append(f"{name}: {problem.reason}")
            else:
                return replace(answer, stand_in=answer.stand_in or (other.name, other.identity))
        raise ProviderError("; and its fallback ".join(troubles))
