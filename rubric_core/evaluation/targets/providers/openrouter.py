"""Any model on OpenRouter, which reports the cost of each answer."""

from rubric_core.evaluation.targets.providers.api import ApiModel
from rubric_core.evaluation.targets.providers.base import ProviderKind, TargetLocation
from rubric_core.evaluation.targets.providers.chat import ChatWire
from rubric_core.evaluation.targets.providers.http_retries import HttpTarget
from rubric_core.evaluation.targets.providers.openai import model_of
from rubric_core.language.providers import Model
from rubric_core.ports import Ports

__all__ = ["OPENROUTER"]

_URL = "https://openrouter.ai/api/v1/chat/completions"


def _make(settings: Model, place: TargetLocation, ports: Ports) -> ApiModel:
    model, setting = model_of(settings, place, "openrouter")
    if not settings.api_key:
        raise ValueError(f"openrouter targets need `api_key` ({place.where('')})")
    effort = {"reasoning": {"effort": settings.variant}} if settings.variant else {}
    headers = {"Authorization": f"Bearer {settings.api_key}"}
    wire = ChatWire(_URL, headers, model, settings, {"usage": {"include": True}, **effort})
    return ApiModel(place.name, "openrouter", model, HttpTarget(settings, place, ports, "", model, setting), wire)


OPENROUTER = ProviderKind(("openrouter",), Model, _make, judges=True)
