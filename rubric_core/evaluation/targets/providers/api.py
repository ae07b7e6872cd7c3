"""A model behind an HTTP API: the shared parts, and fallbacks for servers that do not support every option."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol

from rubric_core.dataclass_copies import replace_fields
from rubric_core.evaluation.model.trace import iso_time
from rubric_core.evaluation.targets.providers.answer_reader import number
from rubric_core.evaluation.targets.providers.http_retries import HttpRefusalError, HttpTarget
from rubric_core.language.providers import Api
from rubric_core.lazy_compilation import dataclass, field
from rubric_core.ports import Answer, ChatMessage, ProviderError, Request, SentPayload, Tokens

__all__ = [
    "ApiModel",
    "Call",
    "Option",
    "Wire",
    "alternate_roles",
    "answer_from_reply",
    "count_tokens",
    "merge_messages",
    "no_text",
    "sampling",
]

#: Options that a server may not support. Without a schema, the prompt alone describes the reply.
Option = Literal["schema", "temperature", "length", "effort"]
_NAMES: Mapping[Option, str] = {
    "schema": "a JSON Schema", "temperature": "a temperature", "length": "a limit of tokens in its first form", "effort": "an effort",
}  # fmt: skip


class Call(NamedTuple):
    """One request over HTTP."""

    url: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    #: The messages in the body, in their order.
    messages: tuple[ChatMessage, ...]


class Wire(Protocol):
    """The format of an API's requests and replies."""

    #: The words with which a server names an option that it rejects.
    @property
    def options(self) -> Mapping[Option, tuple[str, ...]]:
        """The body parts for each option that a request may have."""

    def call(self, request: Request, without: Collection[Option]) -> Call:
        """The request, without some options."""

    def answer(self, reply: Mapping[str, Any], took: float) -> Answer:
        """The answer in a reply. Raises ProviderError when it contains none."""


@dataclass
class ApiModel:
    """A model that is called over HTTP."""

    name: str
    kind: str
    model: str
    asking: HttpTarget
    wire: Wire
    #: The options that this server turned out not to support.
    _unknown: set[Option] = field(default_factory=set)

    @property
    def identity(self) -> str:
        return f"{self.kind}:{self.model}"

    async def ask(self, request: Request) -> Answer:
        without = frozenset(self._unknown)
        call = self.wire.call(request, without)
        request.sent(SentPayload(self.name, call.messages))
        clock = self.asking.ports.clock
        began = iso_time(clock.now())
        while True:
            try:
                reply, took = await self.asking.ask(
                    call.url, call.headers, call.body, lambda why: request.sent(SentPayload(self.name, again=why))
                )
            except HttpRefusalError as refusal:
                unwanted = self._unwanted(refusal, without)
                if unwanted is None:
                    raise
                without |= {unwanted}
                call = self.wire.call(request, without)
                request.sent(
                    SentPayload(
                        self.name, again=f"without {_NAMES[unwanted]}; {refusal.status}: {refusal.refusal.said}"
                    )
                )
            else:
                # Only now is it known that the option caused the error.
                self._unknown |= without
                try:
                    answer = self.wire.answer(reply, took)
                    return replace_fields(answer, start_time=began, end_time=iso_time(clock.now()))
                except ProviderError as error:
                    place = self.asking.place
                    raise ProviderError(f"{place.redact(str(error))} ({place.where('')})") from None

    def _unwanted(self, refusal: HttpRefusalError, without: Collection[Option]) -> Option | None:
        """The option that a server rejects; the schema if the error names none."""
        if refusal.status not in (400, 422) or refusal.refusal.certain:
            return None
        left = {option: words for option, words in self.wire.options.items() if option not in without}
        said = str(refusal).lower()
        named = next((option for option, words in left.items() if any(word.lower() in said for word in words)), None)
        return named or ("schema" if "schema" in left and not refusal.refusal.cause else None)


def sampling(request: Request, settings: Api) -> tuple[float | None, int | None]:
    """Temperature and maximum tokens; those of the request take precedence over the settings of the target."""
    warmth = settings.temperature if request.temperature is None else request.temperature
    return warmth, request.max_output_tokens or settings.max_output_tokens


def alternate_roles(system: str, turns: Sequence[tuple[str, str]]) -> tuple[ChatMessage, ...]:
    """The result of `merged`, as messages."""
    said = (ChatMessage("assistant" if role == "assistant" else "user", text) for role, text in turns)
    return (*((ChatMessage("system", system),) if system else ()), *said)


def merge_messages(messages: Collection[ChatMessage]) -> tuple[str, list[tuple[str, str]]]:
    """For APIs with a separate system prompt and alternating roles: that prompt, and alternating (role, text) pairs."""
    system = "\n\n".join(m.content for m in messages if m.role == "system")
    turns: list[tuple[str, str]] = []
    for message in messages:
        if message.role == "system" or not message.content:
            continue
        role = "assistant" if message.role == "assistant" else "user"
        if turns and turns[-1][0] == role:
            turns[-1] = (role, f"{turns[-1][1]}\n\n{message.content}")
        else:
            turns.append((role, message.content))
    if not turns or turns[0][0] == "assistant":
        turns.insert(0, ("user", "(go on)"))
    return system, turns


def count_tokens(
    usage: object, given: str, made: str, cached: object, reasoning: object = 0, *, cached_apart: bool = False
) -> Tokens | None:
    """Tokens by the API's names for them; None when it reports none. `cached_apart`: not part of `given`."""
    counts = usage if isinstance(usage, dict) else {}
    read, written = counts.get(given), counts.get(made)
    if not isinstance(read, int) or not isinstance(written, int):
        return None
    hidden = cached if isinstance(cached, int) else 0
    thought = reasoning if isinstance(reasoning, int) else 0
    return Tokens(read if cached_apart else max(0, read - hidden), written, hidden, thought)


def answer_from_reply(text: str, reply: Mapping[str, Any], took: float, model: str, given: str, made: str) -> Answer:
    """An answer with the metadata of OpenAI's APIs; `given` and `made` are their names for tokens read and written."""
    told = reply.get("usage")
    usage = told if isinstance(told, dict) else {}
    cached = _detail(usage, given, "cached_tokens")
    thought = _detail(usage, made, "reasoning_tokens")
    return Answer(
        text, duration_ms=took, tokens=count_tokens(usage, given, made, cached, thought), cost_usd=number(usage.get("cost"), None),
        tool_uses=(), llm_calls=1, model=str(reply.get("model") or model),
    )  # fmt: skip


def _detail(usage: Mapping[str, Any], name: str, part: str) -> object:
    details = usage.get(f"{name}_details")
    return details.get(part) if isinstance(details, dict) else 0


def no_text(stopped_by_length: bool) -> ProviderError:
    """The error for a reply without text."""
    if stopped_by_length:
        return ProviderError("the model reached its output limit before it wrote any text; raise max_output_tokens")
    return ProviderError("the server's reply contains no text")
