"""Providers of rehearsals: each is asked in all ways that make it act differently, and always answers."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from rubric_core.dataclass_copies import replace_fields
from rubric_core.evaluation.engine.rehearsal_ports import ATTEMPT, Masks, Recorder, Reply
from rubric_core.evaluation.model.holes import REPEATED
from rubric_core.evaluation.model.plan_entries import Start
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.targets.providers.transform import TransformedProvider
from rubric_core.evaluation.targets.providers.wrapper import ProviderWrapper
from rubric_core.evaluation.targets.rate_limits import Pace, RateLimit, RateLimits
from rubric_core.lazy_compilation import dataclass
from rubric_core.ports import Answer, ChatMessage, Provider, ProviderError, Request

__all__ = ["NoLimits", "rehearsed_providers"]

_REPLIES: tuple[Reply, ...] = ("data", "text", "failure")


class NoLimits(RateLimits):
    """No limits: a rehearsal sends nothing, and would wait for a minute."""

    def of(self, target: object, requests: int | None, tokens: int | None) -> RateLimit | None:  # noqa: ARG002  # of the interface
        """No limit."""
        return None

    def pace(self, target: object, workers: int | None, delay: float) -> Pace | None:  # noqa: ARG002  # of the interface
        """No pace."""
        return None


def rehearsed_providers(recorder: Recorder) -> Callable[[Provider], Provider]:
    """Puts a rehearsal around providers."""
    return lambda provider: _Rehearsed(provider, recorder)


@dataclass
class _Rehearsed(ProviderWrapper):
    """Asks a provider with holes in place of texts, in every way, and answers what a judge may answer."""

    recorder: Recorder

    async def ask(self, request: Request) -> Answer:
        """See `Provider.ask`."""
        masks = self.recorder.masks
        carried = masks.secrets_in("\n".join([request.prompt, *(each.content for each in request.messages)]))
        asked = _with_holes(request, masks)
        for reply in _REPLIES:
            with self.recorder.replying(reply, carried):
                for start in await self._asked(asked, masks):
                    self.recorder.starts.setdefault(start)
        return Answer(_answer(request), file_changes="-" if request.workspace is not None else "")

    async def _asked(self, request: Request, masks: Masks) -> list[Start]:
        """The programs of one call, without files and with one."""
        with self.recorder.collecting() as without:
            await self._called(request)
        if not without:
            return without
        with self.recorder.collecting() as one:
            await self._called(replace_fields(request, files=(Path(masks.word("file")),)))
        if without == one or len(without) != len(one):
            return [*without, *one] if without != one else without
        return [_repeated(*pair) for pair in zip(without, one, strict=True)]

    async def _called(self, request: Request) -> None:
        """Ask the provider, and transform another answer; they have acted when they fail."""
        for each in (self.inner, *_transforms(self.inner)):
            with suppress(ProviderError, Unscored):
                await each.ask(request)


@dataclass
class _Answering(ProviderWrapper):
    """Answers in place of a provider: no reply of a rehearsal is one that each vendor's model could have sent."""

    async def ask(self, request: Request) -> Answer:
        """See `Provider.ask`."""
        return Answer(_answer(request))


def _transforms(provider: Provider) -> Iterator[Provider]:
    """The code around a provider that its answers pass through, around one that answers."""
    layer: object = provider
    while isinstance(layer, ProviderWrapper):
        if isinstance(layer, TransformedProvider):
            yield replace_fields(layer, inner=_Answering(layer.inner))
        layer = layer.inner


def _with_holes(request: Request, masks: Masks) -> Request:
    """A request whose texts are holes."""
    prompt = masks.word("prompt")
    return replace_fields(
        request,
        messages=tuple(ChatMessage(each.role, prompt) for each in request.messages),
        prompt=prompt,
        path_prompt=prompt,
        guidelines=masks.word("guidelines"),
        case_id=masks.word("case"),
        attempt=ATTEMPT,
        files=(),
        variables={name: masks.word(f"vars.{name}") for name in request.variables},
        row={},
        # Its text is that of the criteria of a case.
        schema=None if request.schema is None else (request.schema[0], {masks.word("schema"): 1}),
    )


def _answer(request: Request) -> str:
    """What fits the schema of a request, or anything that is read as a verdict."""
    if request.schema is not None:
        import json  # noqa: PLC0415  # judges alone have schemas

        return json.dumps(_example(request.schema[1], request.schema[1]))
    return '{"score": 1, "pass": true, "passed": true, "verdict": "pass", "reason": "ok", "hits": [], "misses": [], "text": "ok"}'


def _example(schema: Mapping[str, Any], whole: Mapping[str, Any]) -> Any:
    """A value that a JSON Schema allows, as far as schemas of judges go."""
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        return _example(whole.get("$defs", {}).get(name, {}), whole)
    for key in ("const", "default"):
        if key in schema:
            return schema[key]
    if schema.get("enum"):
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "object":
        wanted = schema.get("required", schema.get("properties", {}))
        return {name: _example(schema.get("properties", {}).get(name, {}), whole) for name in wanted}
    if kind == "array":
        items = [_example(each, whole) for each in schema.get("prefixItems", ())]
        return items or [_example(schema.get("items") or {}, whole)] * max(1, int(schema.get("minItems", 1)))
    return {"integer": 1, "number": 1, "boolean": True, "null": None}.get(str(kind), "ok")


def _repeated(without: Start, one: Start) -> Start:
    """A program whose arguments for a file occur any number of times."""
    if without.argv == one.argv:
        return one
    short, long = list(without.argv), list(one.argv)
    if len(short) == len(long):  # in the words themselves, as a shell has them
        words = tuple(_repeated_text(a, b) for a, b in zip(short, long, strict=True))
        return replace_fields(one, argv=words)
    at = next((n for n, pair in enumerate(zip(short, long, strict=False)) if pair[0] != pair[1]), len(short))
    more = len(long) - len(short)
    return replace_fields(one, argv=(*long[:at], REPEATED[0], *long[at : at + more], REPEATED[1], *long[at + more :]))


def _repeated_text(without: str, one: str) -> str:
    """The same for the command of a shell: the words of a file stand where none are without one."""
    short, long = without.split(" "), one.split(" ")
    begin, end = 0, 0
    while begin < len(short) and short[begin] == long[begin]:
        begin += 1
    while end < len(short) - begin and short[-1 - end] == long[-1 - end]:
        end += 1
    if begin == len(short) == len(long):
        return one
    words, after = " ".join(long[begin : len(long) - end]), long[len(long) - end :]
    return " ".join([*long[:begin], f"{REPEATED[0]}{words}{REPEATED[1]}", *after])
