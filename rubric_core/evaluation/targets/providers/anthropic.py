"""Anthropic's messages API. Structured replies use a forced tool call."""

import json
from collections.abc import Collection, Mapping
from typing import Any

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
from rubric_core.language.providers import Anthropic
from rubric_core.lazy_compilation import dataclass
from rubric_core.ports import Answer, Ports, ProviderError, Request, Tokens

__all__ = ["ANTHROPIC", "tokens_of"]

_URL = "https://api.anthropic.com/v1/messages"
_VERSION = "2023-06-01"
#: The API requires a limit; this one is enough for every answer to be graded.
_LONGEST = 8192


@dataclass(frozen=True)
class _Wire:
    headers: Mapping[str, str]
    model: str
    settings: Anthropic

    @property
    def options(self) -> Mapping[Option, tuple[str, ...]]:
        return {"temperature": ("temperature",), "schema": ("tool_choice", "tools", "input_schema")}

    def call(self, request: Request, without: Collection[Option]) -> Call:
        system, turns = merge_messages(request.messages)
        warmth, longest = sampling(request, self.settings)
        thinking = self.settings.thinking_budget or 0
        said = [{"role": role, "content": text} for role, text in turns]
        body: dict[str, Any] = {"model": self.model, "max_tokens": (longest or _LONGEST) + thinking, "messages": said}
        if system:
            body["system"] = system
        if thinking:
            # With thinking enabled, a model accepts neither a temperature nor a forced tool call.
            body["thinking"] = {"type": "enabled", "budget_tokens": thinking}
            return Call(_URL, self.headers, body, alternate_roles(system, turns))
        if warmth is not None and "temperature" not in without:
            body["temperature"] = min(1.0, warmth)
        if request.schema is not None and "schema" not in without:
            name, schema = request.schema
            body["tools"] = [{"name": name, "description": "Submit the result.", "input_schema": schema}]
            body["tool_choice"] = {"type": "tool", "name": name}
        return Call(_URL, self.headers, body, alternate_roles(system, turns))

    def answer(self, reply: Mapping[str, Any], took: float) -> Answer:
        blocks = reply.get("content")
        if not isinstance(blocks, list):
            raise ProviderError(f"the server's reply is not a message: {json.dumps(reply)[:200]}")
        parts = [b for b in blocks if isinstance(b, dict)]
        handed_in = next((p["input"] for p in parts if p.get("type") == "tool_use" and "input" in p), None)
        texts = (p.get("text") for p in parts if p.get("type") == "text")
        text = "".join(t for t in texts if isinstance(t, str))
        if handed_in is not None:
            text = json.dumps(handed_in, ensure_ascii=False)
        if not text:
            raise no_text(reply.get("stop_reason") == "max_tokens")
        return Answer(
            text, duration_ms=took, tokens=tokens_of(reply.get("usage")), tool_uses=(), llm_calls=1,
            model=str(reply.get("model") or self.model), finish_reason=str(reply.get("stop_reason") or ""),
        )  # fmt: skip


def tokens_of(usage: object) -> Tokens | None:
    counts = usage if isinstance(usage, dict) else {}
    kept = counts.get("cache_read_input_tokens")
    tokens = count_tokens(usage, "input_tokens", "output_tokens", kept, cached_apart=True)
    written = counts.get("cache_creation_input_tokens")
    if tokens is None or not isinstance(written, int):
        return tokens
    return Tokens(tokens.input + written, tokens.output, tokens.cached)


def _make(settings: Anthropic, place: TargetLocation, ports: Ports) -> ApiModel:
    model, setting = model_of(settings, place, "anthropic")
    if not settings.api_key:
        raise ValueError(f"anthropic targets need `api_key` ({place.where('')})")
    headers = {"x-api-key": settings.api_key, "anthropic-version": _VERSION}
    return ApiModel(
        place.name,
        "anthropic",
        model,
        HttpTarget(settings, place, ports, "", model, setting),
        _Wire(headers, model, settings),
    )


ANTHROPIC = ProviderKind(
    ("anthropic",), Anthropic, _make, judges=True, unused={"variant": "set thinking_budget to enable thinking"}
)
