"""A model behind an OpenAI-compatible chat endpoint: OpenAI, Ollama, LM Studio, vLLM, llama.cpp and many more."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import AliasChoices, Field

from rubric_core.evaluation.providers.asking import Asking, RefusalError
from rubric_core.evaluation.providers.kind import Place, ProviderKind, Retries
from rubric_core.ports import Answer, Ports, ProviderError, Request, Tokens

__all__ = ["OPENAI", "chat_answer", "chat_body"]

_DEFAULT_URL = "https://api.openai.com/v1"
#: What may be left out of a request when a server does not take it.
_OPTIONAL = ("response_format", "temperature", "max_tokens")


class _Settings(Retries):
    base_url: str = Field(default=_DEFAULT_URL, validation_alias=AliasChoices("base_url", "endpoint"), min_length=1)
    api_key: str = ""
    model: str = Field(validation_alias=AliasChoices("model", "deployment"), min_length=1)
    variant: str | None = None
    api_format: str | None = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_output_tokens: int | None = Field(default=None, ge=1)


@dataclass
class _OpenAi:
    name: str
    settings: _Settings
    asking: Asking
    kind: str = "openai"
    #: What this server was found not to take.
    _left_out: set[str] = field(default_factory=set)

    @property
    def identity(self) -> str:
        return f"openai:{self.settings.model}"

    async def ask(self, request: Request) -> Answer:
        body = chat_body(request, self.settings.model, self.settings.temperature, self.settings.max_output_tokens)
        url = self.settings.base_url.rstrip("/")
        url = url if url.endswith("/chat/completions") else f"{url}/chat/completions"
        headers = {"Authorization": f"Bearer {self.settings.api_key}"} if self.settings.api_key else {}
        while True:
            try:
                reply, took = await self.asking.ask(
                    url, headers, {k: v for k, v in body.items() if k not in self._left_out}
                )
            except RefusalError as refusal:
                unwanted = self._unwanted(refusal, body)
                if unwanted is None:
                    raise
                self._left_out.add(unwanted)
            else:
                return chat_answer(reply, took)

    def _unwanted(self, refusal: RefusalError, body: Mapping[str, Any]) -> str | None:
        """The optional setting that a server complains of, or the last one when it does not say."""
        left = [name for name in _OPTIONAL if name in body and name not in self._left_out]
        if refusal.status not in (400, 422) or not left:
            return None
        named = [name for name in left if name in str(refusal)]
        return named[0] if named else ("response_format" if "response_format" in left else None)


def chat_body(request: Request, model: str, temperature: float | None, max_output_tokens: int | None) -> dict[str, Any]:
    """The JSON of a chat completion; settings of the request come before those of the target."""
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": m.role, "content": m.content} for m in request.messages],
    }
    warmth = temperature if request.temperature is None else request.temperature
    if warmth is not None:
        body["temperature"] = warmth
    longest = request.max_output_tokens or max_output_tokens
    if longest is not None:
        body["max_tokens"] = longest
    if request.schema is not None:
        name, schema = request.schema
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": name, "strict": True, "schema": schema},
        }
    return body


def chat_answer(reply: Mapping[str, Any], took: float) -> Answer:
    """The answer in a chat completion. Raises ProviderError when there is none in it."""
    try:
        choice = reply["choices"][0]
        message = choice["message"]
        text = message.get("content") or message.get("refusal") or ""
    except (KeyError, IndexError, TypeError, AttributeError):
        raise ProviderError(f"the server's reply is no chat completion: {json.dumps(reply)[:200]}") from None
    if isinstance(text, list):
        text = "".join(p.get("text", "") for p in text if isinstance(p, dict))
    if not isinstance(text, str):
        raise ProviderError("the server's reply has no text in it")
    if not text and choice.get("finish_reason") == "length":
        raise ProviderError(
            "the model stopped at the limit of its output before it said anything; raise max_output_tokens"
        )
    usage = reply.get("usage")
    tokens, cost = _usage(usage if isinstance(usage, dict) else {})
    return Answer(
        text,
        duration_ms=took,
        tokens=tokens,
        cost_usd=cost,
        tool_uses=(),
        llm_calls=1,
        model=str(reply.get("model") or ""),
    )


def _usage(usage: Mapping[str, Any]) -> tuple[Tokens | None, float | None]:
    counts = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")]
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else 0
    cost = usage.get("cost")
    spent = float(cost) if isinstance(cost, int | float) else None
    if not all(isinstance(c, int) for c in counts):
        return None, spent
    hidden = cached if isinstance(cached, int) else 0
    return Tokens((counts[0] or 0) - hidden, counts[1] or 0, hidden), spent


def _make(settings: _Settings, place: Place, ports: Ports) -> _OpenAi:
    if settings.api_format not in (None, "chat"):
        raise ValueError(f"rubric talks to openai targets in the chat format only ({place.where('api_format')})")
    return _OpenAi(place.name, settings, Asking(settings, place, ports))


OPENAI = ProviderKind("openai", _Settings, _make, judges=True)
