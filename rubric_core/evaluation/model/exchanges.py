"""The requests of a run with receivers and usage: stored with results, shown by `--show-prompts` and reports."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from rubric_core.dataclass_copies import replace_fields
from rubric_core.lazy_compilation import dataclass
from rubric_core.ports import Answer, ChatMessage, Provider, ProviderError, Request, SentPayload, Tokens

__all__ = ["Exchange", "ExchangeLog", "Role", "Usage", "add_usage", "ask", "tokens_of"]

#: The receiver. A server is one without a model: a webhook, or one for embeddings.
Role = Literal["target", "judge", "program", "server"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One request: to a target or a judge, to a program that grades, or to a server. Secrets are taken out with the result."""

    role: Role
    #: The name of the target, the command, or the address.
    to: str
    #: The kind of the target: openai, cli, mock and so on.
    kind: str = ""
    #: The model, as the reply names it.
    model: str = ""
    messages: tuple[ChatMessage, ...] = ()
    #: The program and its arguments, if it is one.
    argv: tuple[str, ...] = ()
    #: Text on standard input, or data that was sent as JSON.
    payload: Any = None
    #: The files that were written for a program, each with its placeholder and its text.
    files: tuple[tuple[str, str], ...] = ()
    #: Which try of a judgement this is, from 1, and why the one before was of no use.
    attempt: int = 1
    because: str = ""
    #: Why the same was sent more than once: "429: slow down".
    again: tuple[str, ...] = ()
    #: Whether a recording replied, or the cache of answers, so that nothing was sent.
    recorded: bool = False
    #: The turn of a conversation, from 1; 0 without turns.
    turn: int = 0
    #: Why there was no reply.
    error: str = ""
    tokens: Tokens | None = None
    #: US dollars.
    cost_usd: float | None = None


class ExchangeLog:
    """Gathers the requests of one evaluator, or of a case, in their order."""

    def __init__(self) -> None:
        self._found: list[Exchange] = []

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """The exchanges so far."""
        return tuple(self._found)

    def add(self, *exchanges: Exchange) -> None:
        """Add exchanges."""
        self._found += exchanges


async def ask(provider: Provider, request: Request, log: ExchangeLog, exchange: Exchange) -> Answer:
    """Call a provider and record what it sent. Raises ProviderError.

    Args:
        provider: The target or judge.
        request: The request.
        log: Receives the records.
        exchange: The known fields: the role, the turn or the try.
    """
    sent: list[SentPayload] = []
    try:
        answer = await provider.ask(replace_fields(request, sent=sent.append))
    except ProviderError as error:
        log.add(*_exchanges(exchange, provider, request, sent, {"error": str(error)}))
        raise
    became: dict[str, Any] = {"model": answer.model, "recorded": True}
    if not answer.cached_at:
        became = {"model": answer.model, "tokens": answer.tokens, "cost_usd": answer.cost_usd}
    log.add(*_exchanges(exchange, provider, request, sent, became))
    return answer


def _exchanges(
    known: Exchange, provider: Provider, request: Request, sent: Sequence[SentPayload], became: Mapping[str, Any]
) -> list[Exchange]:
    """One for each sent payload; if a provider reports none, the request itself. `became` are fields of the last one.

    `became` are fields of the last one: what came of it.
    """
    made: list[Exchange] = []
    if len(sent) == 1 and not sent[0].again:  # as nearly always
        (only,) = sent
        return [
            replace_fields(
                known, to=only.target, kind=provider.kind, messages=only.messages, argv=only.argv, payload=only.stdin or None,
                files=only.files, **became,
            )
        ]  # fmt: skip
    for each in sent:
        if each.again and made:
            made[-1] = replace_fields(made[-1], again=(*made[-1].again, each.again))
        elif not each.again:
            own = replace_fields(
                known, to=each.target, kind=provider.kind, messages=each.messages, argv=each.argv, payload=each.stdin or None,
                files=each.files,
            )  # fmt: skip
            made.append(own)
    if made:
        return [*made[:-1], replace_fields(made[-1], **became)]
    messages = request.messages or (ChatMessage("user", request.prompt),)
    return [replace_fields(known, to=provider.name, kind=provider.kind, messages=messages, **became)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """The usage of a target or a judge, in a case or in a run."""

    role: Literal["target", "judge"]
    #: The name of the target.
    name: str
    #: The model, as replies name it.
    model: str = ""
    #: The number of calls, and how many of the replies were recorded or cached, which cost nothing.
    calls: int = 0
    recorded: int = 0
    #: If replies report them; None if none does.
    tokens: Tokens | None = None
    #: US dollars, from replies or from the target's prices; None if neither is known.
    cost_usd: float | None = None

    @property
    def has_usage(self) -> bool:
        """Whether tokens or costs are known."""
        return self.tokens is not None or self.cost_usd is not None

    def __add__(self, other: "Usage") -> "Usage":
        return replace_fields(
            self,
            model=self.model or other.model,
            calls=self.calls + other.calls,
            recorded=self.recorded + other.recorded,
            tokens=tokens_of((self.tokens, other.tokens)),
            cost_usd=_sum((self.cost_usd, other.cost_usd)),
        )


def add_usage(usages: Iterable[Usage]) -> tuple[Usage, ...]:
    """Usages with those of one target or judge added up."""
    found: dict[tuple[str, str], Usage] = {}
    for each in usages:
        key = (each.role, each.name)
        found[key] = found[key] + each if key in found else each
    return tuple(found.values())


def tokens_of(several: Iterable[Tokens | None]) -> Tokens | None:
    """The sum of those that are known; None when none is."""
    known = [each for each in several if each is not None]
    return sum(known, Tokens()) if known else None


def _sum(several: Iterable[float | None]) -> float | None:
    known = [each for each in several if each is not None]
    return sum(known) if known else None
