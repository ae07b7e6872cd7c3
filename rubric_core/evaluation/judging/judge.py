"""Calls a judge, with up to three attempts, or uses recordings. An unusable reply is never guessed at."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from rubric_core.dataclass_copies import replace_fields
from rubric_core.evaluation.model.exchanges import Exchange, ExchangeLog, ask
from rubric_core.evaluation.model.inputs import conversation_text
from rubric_core.evaluation.model.unscored import GraderError
from rubric_core.lazy_compilation import dataclass
from rubric_core.ports import Answer, ChatMessage, Provider, ProviderError, Request

__all__ = ["ATTEMPTS", "ask_judge", "raw_request"]

#: The number of attempts before the evaluator stays unscored.
ATTEMPTS = 3
_SHOWN = 4_000
#: The maximum length of a prompt or reply in a result, in characters.
_KEPT = 50_000


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Judged:
    """A usable reply and its usage."""

    answer: Answer
    #: The exchange of each attempt, as results keep it; the last is the usable one.
    replies: tuple[str, ...]

    @property
    def attempts(self) -> int:
        """The number of attempts, from 1."""
        return len(self.replies)


async def ask_judge(
    provider: Provider,
    request: Request,
    read: Callable[[str], T],
    consequence: str = "",
    log: ExchangeLog | None = None,
    require: Callable[[Answer], object] | None = None,
) -> tuple[T, Judged]:
    """Ask the judge and parse its reply with `read`.

    A rejected reply is returned to the judge with the reason, for another try.

    `read` raises ValueError for an unusable reply, as does `require`, which sees the whole answer before. Raises GraderError when the judge cannot be called, or has not
    given a usable reply in three attempts; `consequence` says how other engines treat that, and `log` records each attempt.
    """
    messages, log = request.messages, log or ExchangeLog()
    replies: tuple[str, ...] = ()
    problem = ""
    for attempt in range(1, ATTEMPTS + 1):
        asked = replace_fields(request, messages=messages, prompt=conversation_text(messages), attempt=attempt)
        exchange = Exchange(role="judge", to=provider.name, attempt=attempt, because=problem)
        try:
            answer = await ask(provider, asked, log, exchange)
        except ProviderError as error:
            told = raw_request(request, provider.name, attempt)
            raise GraderError(f"the judge `{provider.name}`: {error}", request=told, replies=replies) from None
        replies = (*replies, _truncated(answer.text))
        try:
            if require is not None:
                require(answer)
            return read(answer.text), Judged(answer, replies)
        except ValueError as error:
            problem = str(error)
        messages = (*request.messages, *_again(answer.text, problem))
    raise GraderError(
        f"the judge `{provider.name}` gave no usable reply in {ATTEMPTS} tries: {problem}{f'; {consequence}' if consequence else ''}",
        request=raw_request(request, provider.name, ATTEMPTS),
        replies=replies,
    )


def _again(reply: str, problem: str) -> tuple[ChatMessage, ChatMessage]:
    told = f"That reply cannot be used: {problem}. Reply again with the whole JSON object, in the form you were told."
    return ChatMessage("assistant", reply[:_SHOWN] or "(empty)"), ChatMessage("user", told)


def raw_request(request: Request, target: str, attempts: int = 1) -> Mapping[str, Any]:
    """The request, for results: prompts and settings, without addresses or secrets."""
    by_role = {m.role: m.content for m in request.messages}
    settings = {
        "model": request.model,
        "temperature": request.temperature,
        "max_output_tokens": request.max_output_tokens,
    }
    return {
        "system_prompt": _truncated(by_role.get("system", "")),
        "user_prompt": _truncated(by_role.get("user", "")),
        "target": target,
        "attempts": attempts,
        **{name: value for name, value in settings.items() if value is not None},
    }


def _truncated(text: str) -> str:
    """A text as a result keeps it: whole, or truncated with a note of how much is left out."""
    return text if len(text) <= _KEPT else f"{text[:_KEPT]}\n… and {len(text) - _KEPT:,} more characters"
