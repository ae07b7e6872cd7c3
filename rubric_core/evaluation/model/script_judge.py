"""A judge provided by a script: a provider, an object with `ask` or `invoke`, or a function."""

import inspect
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, TypeAlias

from rubric_core.deadlines import run_apart
from rubric_core.ports import Answer, Provider, ProviderError, Request

__all__ = ["Judge", "Reply", "ScriptJudge", "as_provider"]


class HasText(Protocol):
    """A reply of a client library, with its text."""

    @property
    def text(self) -> str:
        """The reply of the model."""


class HasContent(Protocol):
    """A reply of a client library, with its text under the other usual name."""

    @property
    def content(self) -> str:
        """The reply of the model."""


#: What a judge may reply: a text, an answer, an object or mapping with its text as `text` or `content`, or the judgement itself.
Reply: TypeAlias = str | Answer | Mapping[str, Any] | HasText | HasContent


class SupportsAsk(Protocol):
    """A judge with the method of providers."""

    def ask(self, request: Request, /) -> Reply | Awaitable[Reply]:
        """The reply to a request; it may be async."""


class SupportsInvoke(Protocol):
    """A judge with the method that several client libraries have."""

    def invoke(self, request: Any, /) -> Any:
        """The reply to a request; it may be async."""


#: Something that judges: a provider, an object with `ask(request)` or `invoke(request)`, or a function of the request.
Judge: TypeAlias = Provider | SupportsAsk | SupportsInvoke | Callable[[Request], Reply | Awaitable[Reply]]

_PROVIDER = ("ask", "name", "kind", "identity")
#: Under these names an object takes a request.
_METHODS = ("ask", "invoke")
#: Where replies of client libraries keep their text.
_TEXTS = ("text", "content")


def as_provider(judge: Any) -> Provider:
    """A judge as a provider. Raises TypeError for anything that cannot be called as one."""
    named = not isinstance(judge, type) and all(hasattr(judge, n) for n in _PROVIDER)
    if isinstance(judge, ScriptJudge) or (named and inspect.iscoroutinefunction(judge.ask)):
        return judge  # type: ignore[no-any-return]  # it has all that a provider has
    method = next((m for name in _METHODS if callable(m := getattr(judge, name, None))), None)
    ask = method or (judge if callable(judge) else None)
    if ask is None or isinstance(judge, type):
        said = f"the class {judge.__name__}" if isinstance(judge, type) else f"{judge!r:.60}"
        raise TypeError(
            f"a judge must be a provider, an object with `ask(request)` or `invoke(request)`, or a function, found {said}"
        )
    return ScriptJudge(judge, ask)


class ScriptJudge:
    """A function that answers a request, as a provider. One that is not async runs in a thread.

    It may reply with an `Answer`, a text, an object or mapping with its text as `text` or `content`, or the mapping
    that the judgement itself is. What it raises leaves the evaluator without a score, with the reason.
    """

    def __init__(self, judge: object, ask: Callable[[Request], Any]) -> None:
        name = getattr(judge, "name", None) or getattr(judge, "__name__", None)
        self.name = name if isinstance(name, str) else type(judge).__name__
        self.kind = str(getattr(judge, "kind", "python"))
        self.identity = str(getattr(judge, "identity", f"python:{self.name}"))
        self._ask = ask

    async def ask(self, request: Request) -> Answer:
        """The reply of the function. Raises ProviderError."""
        try:
            if inspect.iscoroutinefunction(self._ask):
                reply = await self._ask(request)
            else:
                reply = await run_apart(lambda: self._ask(request))
                reply = await reply if isinstance(reply, Awaitable) else reply
        except ProviderError:
            raise
        except (Exception, SystemExit) as error:  # it may be anybody's code
            raise ProviderError(f"{type(error).__name__}: {error}") from error
        return _answer(reply)


def _answer(reply: object) -> Answer:
    if isinstance(reply, Answer):
        return reply
    if isinstance(reply, str):
        return Answer(reply)
    if isinstance(reply, Mapping):
        text = next((t for name in _TEXTS if isinstance(t := reply.get(name), str)), None)
        return Answer(json.dumps(reply, ensure_ascii=False, default=str) if text is None else text)
    text = next((t for name in _TEXTS if isinstance(t := getattr(reply, name, None), str)), None)
    if text is None:
        raise ProviderError(f"replied with {type(reply).__name__}: a reply is a text, or has one as `text`")
    return Answer(text)
