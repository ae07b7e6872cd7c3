"""The chat format: OpenAI's chat completions, which OpenRouter, Azure and nearly every local server speak as well."""

import json
from collections.abc import Collection, Mapping
from typing import Any

from rubric_core.dataclass_copies import replace_fields
from rubric_core.evaluation.targets.providers.api import Call, Option, answer_from_reply, no_text, sampling
from rubric_core.language.providers import Api
from rubric_core.lazy_compilation import dataclass, field
from rubric_core.ports import Answer, ProviderError, Request

__all__ = ["CHAT_OPTIONS", "ChatWire"]

CHAT_OPTIONS: Mapping[Option, tuple[str, ...]] = {
    "length": ("max_tokens",),
    "effort": ("reasoning",),
    "temperature": ("temperature",),
    "schema": ("response_format", "json_schema", "guided", "grammar", "structured output"),
}


@dataclass(frozen=True)
class ChatWire:
    """Chat completions at one address."""

    url: str
    headers: Mapping[str, str]
    model: str
    settings: Api
    #: Additional parts of every request.
    more: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[Option, tuple[str, ...]] = field(default_factory=lambda: CHAT_OPTIONS)

    def call(self, request: Request, without: Collection[Option]) -> Call:
        """See `Wire.call`."""
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": m.role, "content": m.content} for m in request.messages],
        }
        warmth, longest = sampling(request, self.settings)
        if warmth is not None and "temperature" not in without:
            body["temperature"] = warmth
        if longest is not None:
            # Newer models of OpenAI reject the old name, and nearly all other servers know only that one.
            body["max_completion_tokens" if "length" in without else "max_tokens"] = longest
        if request.schema is not None and "schema" not in without:
            name, schema = request.schema
            wanted = {"name": name, "strict": True, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": wanted}
        body |= {} if "effort" in without else dict(self.more)
        return Call(self.url, self.headers, body, request.messages)

    def answer(self, reply: Mapping[str, Any], took: float) -> Answer:
        """See `Wire.answer`."""
        try:
            choice = reply["choices"][0]
            message = choice["message"]
            text = message.get("content") or message.get("refusal") or ""
        except (KeyError, IndexError, TypeError, AttributeError):
            raise ProviderError(f"the server's reply is not a chat completion: {json.dumps(reply)[:200]}") from None
        if isinstance(text, list):
            text = "".join(p.get("text", "") for p in text if isinstance(p, dict))
        if not isinstance(text, str):
            raise no_text(False)
        if not text and choice.get("finish_reason") == "length":
            raise no_text(True)
        made = answer_from_reply(text, reply, took, self.model, "prompt_tokens", "completion_tokens")
        return replace_fields(made, finish_reason=str(choice.get("finish_reason") or ""))
