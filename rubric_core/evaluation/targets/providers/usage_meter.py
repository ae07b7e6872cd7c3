"""Counts the usage of a target or a judge."""

from collections.abc import Callable

from rubric_core.evaluation.model.exchanges import Usage
from rubric_core.evaluation.targets.providers.wrapper import ProviderWrapper
from rubric_core.lazy_compilation import dataclass
from rubric_core.ports import Answer, Request

__all__ = ["MeteredProvider"]


@dataclass
class MeteredProvider(ProviderWrapper):
    """A provider in one role whose usage is counted."""

    #: Raises ProviderError when the budget is spent.
    allowed: Callable[[], None]
    usage: Usage

    async def ask(self, request: Request) -> Answer:
        self.allowed()
        answer = await self.inner.ask(request)
        if answer.cached_at:
            self.usage += Usage(
                role=self.usage.role, name=self.usage.name, model=answer.model, recorded=1, cost_usd=0.0
            )
            return answer
        took = Usage(
            role=self.usage.role, name=self.usage.name, model=answer.model, calls=1, tokens=answer.tokens, cost_usd=answer.cost_usd
        )  # fmt: skip
        self.usage += took
        return answer
