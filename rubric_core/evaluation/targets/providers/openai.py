"""OpenAI, and every server that speaks its API: Ollama, LM Studio, vLLM, llama.cpp and many more."""

from collections.abc import Mapping
from typing import Any

from rubric_core.evaluation.targets.providers.api import ApiModel, Wire
from rubric_core.evaluation.targets.providers.base import ProviderKind, TargetLocation
from rubric_core.evaluation.targets.providers.chat import ChatWire
from rubric_core.evaluation.targets.providers.http_retries import HttpTarget
from rubric_core.evaluation.targets.providers.responses import ResponsesWire
from rubric_core.language.providers import OpenAi
from rubric_core.ports import Ports

__all__ = ["FORMATS", "OPENAI", "model_of"]

_DEFAULT_URL = "https://api.openai.com/v1"
#: The formats of requests, with their paths below the address of the server.
FORMATS: Mapping[str, str] = {"chat": "/chat/completions", "responses": "/responses"}


def model_of(settings: Any, place: TargetLocation, kind: str) -> tuple[str, str]:
    """The model of a target, and the setting that names it. Raises ValueError when none does."""
    written = {"model": settings.model, "deployment": settings.deployment, "provider": place.model}
    setting = next((name for name, value in written.items() if value), None)
    if setting is None:
        raise ValueError(f"{kind} targets need `model` ({place.where('')})")
    return str(written[setting]), setting


def _make(settings: OpenAi, place: TargetLocation, ports: Ports) -> ApiModel:
    written = "base_url" if settings.base_url or not settings.endpoint else "endpoint"
    base = settings.base_url or settings.endpoint or _DEFAULT_URL
    form, url = _address(base.rstrip("/"), settings.api_format, place)
    model, setting = model_of(settings, place, "openai")
    headers = {"Authorization": f"Bearer {settings.api_key}"} if settings.api_key else {}
    wire: Wire
    if form == "responses":
        wire = ResponsesWire(url, headers, model, settings, settings.variant)
    else:
        more: Mapping[str, Any] = {"reasoning_effort": settings.variant} if settings.variant else {}
        wire = ChatWire(url, headers, model, settings, more)
    return ApiModel(place.name, "openai", model, HttpTarget(settings, place, ports, written, model, setting), wire)


def _address(base: str, asked: str | None, place: TargetLocation) -> tuple[str, str]:
    """The format and the whole address; an address may imply the format. Raises ValueError."""
    if asked not in (None, *FORMATS):
        raise ValueError(f"api_format must be chat or responses, found {asked} ({place.where('api_format')})")
    if not base.startswith(("http://", "https://")):
        raise ValueError(f"{place.redact(base)} is not an HTTP address ({place.where('base_url')})")
    told = next((form for form, path in FORMATS.items() if base.endswith(path)), None)
    if told is not None:
        if asked not in (None, told):
            raise ValueError(f"the address is for {told}, but api_format is {asked} ({place.where('api_format')})")
        return told, base
    form = asked or "chat"
    return form, base + FORMATS[form]


OPENAI = ProviderKind(("openai",), OpenAi, _make, judges=True)
