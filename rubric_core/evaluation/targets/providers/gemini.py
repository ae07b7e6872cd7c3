"""Google's Gemini, by its `generateContent` API."""

import json
from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import quote

from rubric_core.evaluation.targets.providers.api import (
    ApiModel,
    Call,
    Option,
    alternate_roles,
    count_tokens,
    merge_messages,
    no_text,
    sampling,
)
from rubric_core.evaluation.targets.providers.base import ProviderKind, TargetLocation
from rubric_core.evaluation.targets.providers.http_retries import HttpTarget
from rubric_core.evaluation.targets.providers.openai import model_of
from rubric_core.language.providers import Model
from rubric_core.lazy_compilation import dataclass
from rubric_core.ports import Answer, Ports, ProviderError, Request, Tokens

__all__ = ["GEMINI", "tokens_of"]

_URL = "https://generativelanguage.googleapis.com/v1beta/models/"
#: The keywords of JSON Schema that its schemas do not support.
_NOT_KNOWN = ("additionalProperties", "$schema")


@dataclass(frozen=True)
class _Wire:
    headers: Mapping[str, str]
    model: str
    settings: Model

    @property
    def options(self) -> Mapping[Option, tuple[str, ...]]:
        return {
            "temperature": ("temperature",),
            "length": ("maxOutputTokens", "max_output_tokens"),
            "effort": ("thinking",),
            "schema": ("responseSchema", "response_schema", "responseMimeType", "response_mime_type", "JSON mode"),
        }

    def call(self, request: Request, without: Collection[Option]) -> Call:
        system, turns = merge_messages(request.messages)
        said = [{"role": "model" if r == "assistant" else r, "parts": [{"text": text}]} for r, text in turns]
        body: dict[str, Any] = {"contents": said}
        if system:
            body["systemInstruction"] = {"parts": [{"text": system}]}
        config = self._config(request, without)
        if config:
            body["generationConfig"] = config
        url = f"{_URL}{quote(self.model, safe='')}:generateContent"
        return Call(url, self.headers, body, alternate_roles(system, turns))

    def _config(self, request: Request, without: Collection[Option]) -> dict[str, Any]:
        warmth, longest = sampling(request, self.settings)
        config: dict[str, Any] = {}
        if warmth is not None and "temperature" not in without:
            config["temperature"] = warmth
        if longest is not None and "length" not in without:
            config["maxOutputTokens"] = longest
        if self.settings.variant and "effort" not in without:
            config["thinkingConfig"] = {"thinkingLevel": self.settings.variant}
        if request.schema is not None and "schema" not in without:
            config |= {"responseMimeType": "application/json", "responseSchema": _known(request.schema[1])}
        return config

    def answer(self, reply: Mapping[str, Any], took: float) -> Answer:
        blocked = reply.get("promptFeedback")
        if isinstance(blocked, dict) and blocked.get("blockReason"):
            raise ProviderError(f"the server rejected the prompt: {blocked['blockReason']}")
        try:
            candidate = reply["candidates"][0]
            parts = candidate.get("content", {}).get("parts", [])
            text = "".join(p["text"] for p in parts if isinstance(p.get("text"), str) and not p.get("thought"))
        except (KeyError, IndexError, TypeError, AttributeError):
            raise ProviderError(f"the server's reply is not generated content: {json.dumps(reply)[:200]}") from None
        why = candidate.get("finishReason")
        if not text:
            raise (
                no_text(why == "MAX_TOKENS")
                if why in (None, "STOP", "MAX_TOKENS")
                else ProviderError(f"the model gave no answer: {why}")
            )
        return Answer(
            text, duration_ms=took, tokens=tokens_of(reply.get("usageMetadata")), tool_uses=(), llm_calls=1,
            model=str(reply.get("modelVersion") or self.model), finish_reason=str(why or ""),
        )  # fmt: skip


def tokens_of(usage: object) -> Tokens | None:
    counts = usage if isinstance(usage, dict) else {}
    tokens = count_tokens(usage, "promptTokenCount", "candidatesTokenCount", counts.get("cachedContentTokenCount"))
    thought = counts.get("thoughtsTokenCount")
    if tokens is None or not isinstance(thought, int):
        return tokens
    return Tokens(tokens.input, tokens.output + thought, tokens.cached, thought)


def _known(schema: Any) -> Any:
    """A JSON Schema with the keywords that Gemini supports; it writes the properties in their order in the schema."""
    if isinstance(schema, list):
        return [_known(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    made = {name: _known(value) for name, value in schema.items() if name not in _NOT_KNOWN}
    properties = schema.get("properties")
    return {**made, "propertyOrdering": list(properties)} if isinstance(properties, Mapping) else made


def _make(settings: Model, place: TargetLocation, ports: Ports) -> ApiModel:
    model, setting = model_of(settings, place, "gemini")
    model = model.removeprefix("models/")
    if not settings.api_key:
        raise ValueError(f"gemini targets need `api_key` ({place.where('')})")
    headers = {"x-goog-api-key": settings.api_key}
    return ApiModel(
        place.name,
        "gemini",
        model,
        HttpTarget(settings, place, ports, "", model, setting),
        _Wire(headers, model, settings),
    )


GEMINI = ProviderKind(("gemini", "google", "google-gemini"), Model, _make, judges=True)
