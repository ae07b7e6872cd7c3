"""A target whose answers are transformed by code: `transform` of its entry."""

import json

from rubric_core.evaluation.code.scripts import language_of, run_function
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.targets.providers.base import TargetLocation
from rubric_core.evaluation.targets.providers.wrapper import ProviderWrapper
from rubric_core.language.targets import Entry
from rubric_core.lazy_compilation import dataclass, replace
from rubric_core.ports import Answer, Ports, Provider, ProviderError, Request

__all__ = ["TransformedProvider", "transform_provider"]

_SECONDS = 60.0


def transform_provider(provider: Provider, entry: Entry, place: TargetLocation, ports: Ports) -> Provider:
    """The provider with the `transform` code of its entry applied, if it has any. Raises ValueError for invalid code."""
    code = entry.transform
    if code is None:
        return provider
    if not isinstance(code, str):
        raise ValueError(f"transform must be code, or a file with code ({place.where('transform')})")  # noqa: TRY004  # it is no mistake of a caller
    return TransformedProvider(provider, code, place, ports, entry)


@dataclass
class TransformedProvider(ProviderWrapper):
    """A provider whose answers pass through code, which gets `output` and `context`: the prompt and the variables of the case."""

    #: An expression, the body of a function, or `file://PATH[:FUNCTION]`.
    code: str
    place: TargetLocation
    ports: Ports
    entry: Entry

    async def ask(self, request: Request) -> Answer:
        answer = await self.inner.ask(request)
        context = {"vars": dict(request.variables), "prompt": request.prompt}
        told = {"output": answer.text, "context": context}
        try:
            made = await run_function(
                self.code, language_of(self.code), told, self.ports, self.place.directory, _SECONDS, self.entry, function="get_transform"
            )  # fmt: skip
        except Unscored as problem:
            raise ProviderError(
                f"its answer cannot be transformed: {problem.reason} ({self.place.where('transform')})"
            ) from None
        return replace(answer, text=made if isinstance(made, str) else json.dumps(made, ensure_ascii=False))
