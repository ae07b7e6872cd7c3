"""The responses format of OpenAI and Azure."""

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from rubric_core.evaluation.targets.providers.api import Call, Option, answer_from_reply, no_text, sampling
from rubric_core.language.providers import Api
from rubric_core.lazy_compilation import dataclass
from rubric_core.ports import Answer, ProviderError, Request

__all__ = ["ResponsesWire"]


@dataclass(frozen=True)
class ResponsesWire:
    """Responses at one address. The server stores nothing: every request contains the whole conversation."""

    url: str
    headers: Mapping[str, str]
    model: str
    settings: Api
    effort: str | None = None

    @property
    def options(self) -> Mapping[Option, tuple[str, ...]]:
        """See `Wire.options`."""
        return {
            "length": ("max_output_tokens",),
            "effort": ("reasoning",),
            "temperature": ("temperature",),
            "schema": ("text.format", "json_schema", "'text'"),
        }

    def call(self, request: Request, without: Collection[Option]) -> Call:
        """See `Wire.call`."""
        said = [{"role": m.role if m.role != "tool" else "user", "content": m.content} for m in request.messages]
        body: dict[str, Any] = {"model": self.model, "input": said, "store": False}
        warmth, longest = sampling(request, self.settings)
        if warmth is not None and "temperature" not in without:
            body["temperature"] = warmth
        if longest is not None and "length" not in without:
            body["max_output_tokens"] = longest
        if self.effort is not None and "effort" not in without:
            body["reasoning"] = {"effort": self.effort}
        if request.schema is not None and "schema" not in without:
            name, schema = request.schema
            body["text"] = {"format": {"type": "json_schema", "name": name, "strict": True, "schema": schema}}
        return Call(self.url, self.headers, body, request.messages)

    def answer(self, reply: Mapping[str, Any], took: float) -> Answer:
        """See `Wire.answer`."""
        if not isinstance(reply.get("output"), list):
            raise ProviderError(f"the server's reply is not a response: {json.dumps(reply)[:200]}")
        text = "".join(_texts(reply["output"]))
        if not text:
            why = reply.get("incomplete_details")
            raise no_text(isinstance(why, dict) and why.get("reason") == "max_output_tokens")
        return answer_from_reply(text, reply, took, self.model, "input_tokens", "output_tokens")


def _texts(output: list[Any]) -> Iterator[str]:
    for item in output:
        parts = item.get("content") if isinstance(item, dict) and item.get("type") == "message" else None
        for part in parts if isinstance(parts, list) else []:
            said = (part.get("text") or part.get("refusal")) if isinstance(part, dict) else None
            if isinstance(said, str):
                yield said
