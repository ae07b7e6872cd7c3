"""A target that always says the same: for trying out a suite."""

from dataclasses import dataclass
from typing import Any

from rubric_core.evaluation.providers.kind import Common, Place, ProviderKind
from rubric_core.ports import Answer, Ports, Request

__all__ = ["MOCK"]

_DEFAULT = '{"answer": "This is a mock answer."}'


class _Settings(Common):
    response: str = _DEFAULT
    trace: Any = None


@dataclass(frozen=True)
class _Mock:
    name: str
    response: str
    kind: str = "mock"

    @property
    def identity(self) -> str:
        return f"mock:{self.name}"

    async def ask(self, _: Request) -> Answer:
        return Answer(self.response, duration_ms=0.0, model="mock")


def _make(settings: _Settings, place: Place, _: Ports) -> _Mock:
    return _Mock(place.name, settings.response)


MOCK = ProviderKind("mock", _Settings, _make)
