"""Asking a judge: live with three tries, or from recordings. A reply that cannot be used is never guessed at."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from rubric_core.evaluation.model.exchanges import Exchange, ExchangeLog, ask
from rubric_core.evaluation.model.inputs import conversation_text
from rubric_core.evaluation.model.result import GraderError
from rubric_core.lazy_compilation import dataclass
from rubric_core.ports import Answer, ChatMessage, Provider, ProviderError, Request

__all__ = ["ATTEMPTS", "ask_judge", "raw_request"]

#: How often a judge may reply before the evaluator stays without a score.
ATTEMPTS = 3
_SHOWN = 4_000
#: Characters of a prompt or a reply that a result keeps at most.
_KEPT = 50_000


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Judged:
    """A usable reply and what it took."""

    answer: Answer
    #: What was said in each try, as results keep it; the last is the usable one.
    replies: tuple[str, ...]

    @property
    def attempts(self) -> int:
        """How many tries it took, from 1."""
        return len(self.replies)


async def ask_judge(
    provider: Provider,
    request: Request,
    read: Callable[[str], T],
    consequence: str = "",
    log: ExchangeLog | None = None,
) -> tuple[T, Judged]:
    """What `read` makes of the judge's reply; each refusal is told to the judge, which may try again.

    `read` raises ValueError for a reply that cannot be used. Raises GraderError when the judge cannot be asked, or has not
    given a usable reply in three tries; `consequence` is what other engines make of that, and `log` takes note of each try.
    """
    messages, log = request.messages, log or ExchangeLog()
    replies: tuple[str, ...] = ()
    problem = ""
    for attempt in range(1, ATTEMPTS + 1):
        asked = replace(request, messages=messages, prompt=conversation_text(messages), attempt=attempt)
        exchange = Exchange(role="judge", to=provider.name, attempt=attempt, because=problem)
        try:
            answer = await ask(provider, asked, log, exchange)
        except ProviderError as error:
            told = raw_request(request, provider.name, attempt)
            raise GraderError(f"the judge `{provider.name}`: {error}", request=told, replies=replies) from None
        replies = (*replies, _kept(answer.text))
        try:
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
    """What was asked, for results: prompts and settings, neither addresses nor secrets."""
    by_role = {m.role: m.content for m in request.messages}
    settings = {
        "model": request.model,
        "temperature": request.temperature,
        "max_output_tokens": request.max_output_tokens,
    }
    return {
        "system_prompt": _kept(by_role.get("system", "")),
        "user_prompt": _kept(by_role.get("user", "")),
        "target": target,
        "attempts": attempts,
        **{name: value for name, value in settings.items() if value is not None},
    }


def _kept(text: str) -> str:
    """A text as a result keeps it: whole, or its beginning and how much is left out."""
    return text if len(text) <= _KEPT else f"{text[:_KEPT]}\n… and {len(text) - _KEPT:,} more characters"
