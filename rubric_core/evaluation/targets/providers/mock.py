"""A target with a fixed answer, for trying out a suite."""

from rubric_core.evaluation.targets.providers.base import ProviderKind, TargetLocation
from rubric_core.language.providers import Mock
from rubric_core.lazy_compilation import dataclass
from rubric_core.ports import Answer, Ports, Request

__all__ = ["MOCK"]

_DEFAULT = '{"answer": "This is a mock answer."}'


@dataclass(frozen=True)
class _Mock:
    name: str
    response: str
    kind: str = "mock"

    @property
    def identity(self) -> str:
        return f"mock:{self.name}"

    async def ask(self, _: Request) -> Answer:
        return Answer(self.response, tool_uses=(), llm_calls=1, model="mock")


def _make(settings: Mock, place: TargetLocation, _: Ports) -> _Mock:
    return _Mock(place.name, _DEFAULT if settings.response is None else settings.response)


MOCK = ProviderKind(("mock",), Mock, _make, unused={"trace": "a mock does not call tools"})
