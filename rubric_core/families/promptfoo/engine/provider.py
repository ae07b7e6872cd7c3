"""What promptfoo tells code that grades a row about its test and its provider."""

from collections.abc import Iterator, Mapping
from typing import Any

from rubric_core.evaluation.code.scripts import language_of
from rubric_core.evaluation.model.redaction import Redactor, header_secrets
from rubric_core.families.promptfoo.cases.providers import PromptfooProvider
from rubric_core.families.promptfoo.cases.runnable import PromptfooRunnable
from rubric_core.families.promptfoo.loading.environment_settings import fill_environment
from rubric_core.families.promptfoo.targets.http import http_address
from rubric_core.families.promptfoo.targets.scripts import script_of

__all__ = ["provider_of_row", "test_of_row"]


def test_of_row(case: PromptfooRunnable) -> Mapping[str, Any]:
    """The test of a row with all that it inherits, and its values before the templates in them are filled in."""
    chosen = case.variant.variables if case.variant is not None else None
    written = next(each for each in (case.transformed, chosen, case.test.part("vars")) if each is not None)
    checks = [settings for settings, _ in case.test.assertions]
    return {"options": {}, "metadata": {}, **case.test.data, "vars": dict(written), "assert": checks}


def provider_of_row(case: PromptfooRunnable, environment: Mapping[str, str], redact: Redactor) -> Mapping[str, Any]:
    """The provider of a row without its secrets; empty if the row has none."""
    provider = case.answering_provider
    if provider is None:
        return {}
    known = case.matrix.told_providers.get(redact)
    if known is None:
        known = case.matrix.told_providers.keep(redact, {})
    if provider.name not in known:
        known[provider.name] = _told(provider, environment, redact)
    return known[provider.name]


def _told(provider: PromptfooProvider, environment: Mapping[str, str], redact: Redactor) -> Mapping[str, Any]:
    """See `provider_of_row`."""
    identity, config = fill_environment([provider.id, dict(provider.config)], environment)
    pairs = [*_pairs(config), *header_secrets(config.get("headers"))]
    config = redact.within(Redactor.of(pairs).within(config))
    delay = int(provider.delay) if provider.delay.is_integer() else provider.delay
    url = redact(http_address(identity, config))
    made = {
        "id": url or redact(identity),
        "label": provider.label,
        "delay": delay,
        **_settings(provider, identity, url, config),
    }
    return {**made, **({"transform": provider.transform} if provider.transform else {})}


def _settings(provider: PromptfooProvider, identity: str, url: str, config: Mapping[str, Any]) -> Mapping[str, Any]:
    """The settings as promptfoo keeps them: those of a class in JavaScript are its own."""
    based = {**config, "basePath": "."}
    code = script_of(identity)
    if url:
        return {"url": url, "config": config}
    if identity.startswith("webhook:"):
        return {"webhookUrl": identity.partition(":")[2], "config": based}
    if identity.startswith("exec:"):
        return {"options": {"id": identity, "config": based}}
    if code and language_of(code, ruby=True) == "javascript":
        return {}
    model = provider.target.model if provider.target is not None else None
    return {"config": based, **({"modelName": model.model} if model is not None else {})}


def _pairs(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """The texts in some data with their keys."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _pairs(inner, str(key))
    elif isinstance(value, list):
        for inner in value:
            yield from _pairs(inner, name)
