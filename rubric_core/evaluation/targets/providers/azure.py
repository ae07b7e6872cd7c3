"""A deployment of Azure OpenAI."""

from urllib.parse import quote, urlencode

from rubric_core.evaluation.targets.providers.api import ApiModel, Wire
from rubric_core.evaluation.targets.providers.base import ProviderKind, TargetLocation
from rubric_core.evaluation.targets.providers.chat import ChatWire
from rubric_core.evaluation.targets.providers.http_retries import HttpTarget
from rubric_core.evaluation.targets.providers.openai import FORMATS
from rubric_core.evaluation.targets.providers.responses import ResponsesWire
from rubric_core.language.providers import Azure
from rubric_core.ports import Ports

__all__ = ["AZURE"]

#: The first API version in which a deployment supports schemas.
_VERSION = "2024-10-21"


def _make(settings: Azure, place: TargetLocation, ports: Ports) -> ApiModel:
    deployment = settings.deployment or settings.model or place.model
    if not deployment:
        raise ValueError(f"azure targets need `deployment` ({place.where('')})")
    if not settings.api_key:
        raise ValueError(f"azure targets need `api_key` ({place.where('')})")
    form = settings.api_format or "chat"
    if form not in FORMATS:
        raise ValueError(f"api_format must be chat or responses, found {form} ({place.where('api_format')})")
    written = "endpoint" if settings.endpoint else "resource"
    url = _address(_base(settings, place), deployment, form, settings.version or settings.api_version)
    headers = {"api-key": settings.api_key}
    wire: Wire = (ResponsesWire if form == "responses" else ChatWire)(url, headers, deployment, settings)
    setting = "deployment" if settings.deployment else "model" if settings.model else "provider"
    asking = HttpTarget(settings, place, ports, written, deployment, setting)
    return ApiModel(place.name, "azure", deployment, asking, wire)


def _base(settings: Azure, place: TargetLocation) -> str:
    if not settings.endpoint and not settings.resource:
        raise ValueError(f"azure targets need `endpoint` or `resource` ({place.where('')})")
    base = settings.endpoint or settings.resource or ""
    if not base.startswith(("http://", "https://")):
        # A resource is a name; an endpoint may lack its scheme.
        base = f"https://{base}" if "." in base else f"https://{base}.openai.azure.com"
    return base.rstrip("/")


def _address(base: str, deployment: str, form: str, version: str | None) -> str:
    """The whole address. Endpoints may or may not include `/openai` and the deployment."""
    asked = urlencode({"api-version": version}) if version else ""
    if base.endswith("/openai/v1") or form == "responses":
        root = base if base.endswith("/openai/v1") else f"{base.removesuffix('/openai')}/openai/v1"
        return f"{root}{FORMATS[form]}{f'?{asked}' if asked else ''}"
    query = asked or urlencode({"api-version": _VERSION})
    if "/openai/deployments/" in base:
        return f"{base.removesuffix(FORMATS[form])}{FORMATS[form]}?{query}"
    return f"{base.removesuffix('/openai')}/openai/deployments/{quote(deployment, safe='')}{FORMATS[form]}?{query}"


AZURE = ProviderKind(("azure", "azure-openai"), Azure, _make, judges=True)
