"""Providers around another one."""

from dataclasses import dataclass

from rubric_core.ports import Provider

__all__ = ["Around"]


@dataclass
class Around:
    """Goes by the names of the provider inside; what it adds is in its `ask`."""

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
