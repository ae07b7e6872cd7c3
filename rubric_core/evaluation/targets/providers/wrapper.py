"""Providers around another one."""

from rubric_core.lazy_compilation import dataclass, replace
from rubric_core.ports import Answer, Provider, Request

__all__ = ["ModelOverride", "ProviderWrapper"]


@dataclass
class ProviderWrapper:
    """Delegates its names to the inner provider; subclasses add behaviour in `ask`."""

    inner: Provider

    @property
    def name(self) -> str:
        """See `Provider.name`."""
        return self.inner.name

    @property
    def kind(self) -> str:
        """See `Provider.kind`."""
        return self.inner.kind

    @property
    def identity(self) -> str:
        """See `Provider.identity`."""
        return self.inner.identity


@dataclass
class ModelOverride(ProviderWrapper):
    """A provider that uses another model."""

    model: str

    @property
    def identity(self) -> str:
        """See `Provider.identity`; another model makes another judge."""
        return f"{self.inner.identity}:{self.model}"

    async def ask(self, request: Request) -> Answer:
        """See `Provider.ask`."""
        return await self.inner.ask(replace(request, model=self.model))
