"""The providers of a configuration of promptfoo: its own kinds, and rubric's kinds of targets."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from rubric_core.dataclass_copies import replace_fields
from rubric_core.evaluation.model.redaction import Redactor, header_secrets, named_variables, seal
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.model.variables import Variables
from rubric_core.evaluation.targets.providers.api import ApiModel
from rubric_core.evaluation.targets.providers.base import ProviderKind, TargetLocation
from rubric_core.evaluation.targets.providers.policies import GuardedProvider
from rubric_core.evaluation.targets.providers.program import ProgramRunner
from rubric_core.evaluation.targets.resolve import Targets
from rubric_core.evaluation.targets.settings import AnsweringTarget
from rubric_core.families.promptfoo.code.command import command_parts, without_escapes
from rubric_core.families.promptfoo.loading.environment_settings import fill_environment
from rubric_core.families.promptfoo.targets.http import PromptfooHttp, PromptfooWebhook
from rubric_core.families.promptfoo.targets.models.model import ModelSettings, PromptfooModel
from rubric_core.families.promptfoo.targets.scripts import PromptfooScript, call_context
from rubric_core.families.promptfoo.targets.websocket import PromptfooSocket
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.targets import Target
from rubric_core.lazy_compilation import dataclass, field
from rubric_core.loading.targets import LoadedTargetEntry
from rubric_core.ports import Answer, Ports, Provider, ProviderError, Request, SentPayload

__all__ = ["ADDRESS", "ECHO", "EXEC", "OWN_KINDS", "SCRIPT", "SOCKET", "WEBHOOK", "PromptfooTargets"]

ECHO, EXEC, ADDRESS, WEBHOOK, SCRIPT, SOCKET = "echo", "exec", "address", "webhook", "script", "socket"
#: The kinds that only configurations of promptfoo have.
OWN_KINDS = frozenset({ECHO, EXEC, ADDRESS, WEBHOOK, SCRIPT, SOCKET})
#: Alternative names of environment variables; as in promptfoo, the first one that is set is used.
_FURTHER_NAMES: Mapping[str, tuple[str, ...]] = {
    "GOOGLE_API_KEY": ("GEMINI_API_KEY", "PALM_API_KEY"),
    "AZURE_API_KEY": ("AZURE_OPENAI_API_KEY",),
    "AZURE_API_HOST": (
        "AZURE_OPENAI_API_HOST",
        "AZURE_API_BASE_URL",
        "AZURE_OPENAI_API_BASE_URL",
        "AZURE_OPENAI_BASE_URL",
    ),
}
#: Seconds; promptfoo itself has no limit.
_TIMEOUT = 300.0


@dataclass(frozen=True)
class PromptfooTargets(Targets):
    """The providers of one configuration, by label or id."""

    #: Why a provider cannot be called, by its name.
    troubles: Mapping[str, str] = field(default_factory=dict)
    #: The settings of models that their targets do not have, by the names of the targets.
    models: Mapping[str, ModelSettings] = field(default_factory=dict)

    #: The models that grade where the configuration names none, by the names of their targets.
    unnamed: Mapping[str, LoadedTargetEntry] = field(default_factory=dict)

    def entry(self, name: str) -> LoadedTargetEntry:
        """See `Targets.entry`."""
        return self.unnamed.get(name) or super().entry(name)

    def answering(self, name: str, ports: Ports) -> AnsweringTarget:
        """See `Targets.answering`. A provider of promptfoo has no working directory of its own."""
        return self.as_written(name) or super().answering(name, ports)

    def as_written(self, name: str) -> AnsweringTarget | None:
        """See `Targets.as_written`."""
        entry = self.file.entry(name) if self.file is not None else None
        return AnsweringTarget(Target(entry.span, entry.node), DIALECTS[-1], entry) if entry is not None else None

    def addressee(self, name: str, ports: Ports) -> Mapping[str, Any]:
        """See `Targets.addressee`."""
        entry = self.entry(name)
        if entry.kind not in OWN_KINDS:
            return super().addressee(name, ports)
        return {"name": entry.name, "kind": entry.kind, "settings": dict(entry.settings)}

    def _read(self, entry: LoadedTargetEntry, ports: Ports) -> tuple[ProviderKind[Any], Any]:
        return super()._read(entry, replace_fields(ports, environment=_with_further_names(ports.environment)))

    def _provider_of(self, kind: ProviderKind[Any], settings: Any, place: TargetLocation, ports: Ports) -> Provider:
        model = self.models.get(place.name)
        if model is None:
            return super()._provider_of(kind, settings, place, ports)
        filled = model._replace(
            model=fill_environment(model.model, ports.environment),
            config=fill_environment(model.config, ports.environment),
        )
        redact = Redactor.of(header_secrets(filled.config.get("headers")))
        made = super()._provider_of(kind, settings, place, seal(ports, redact))
        if not isinstance(made, ApiModel):
            return made
        return GuardedProvider(PromptfooModel(made, filled, ports.environment), redact, ports.clock)

    def refused(self, name: str, config: Mapping[str, Any]) -> str:
        """The first setting of a row with which rubric cannot call a target; empty for none."""
        model = self.models.get(name)
        return next((key for key in config if key in model.family.refused), "") if model is not None else ""

    def _new(self, entry: LoadedTargetEntry, ports: Ports) -> Provider:
        trouble = self.troubles.get(entry.name)
        if trouble:
            raise Unscored(f"{trouble} ({entry.where()})")
        if entry.kind not in OWN_KINDS:
            return super()._new(entry, ports)
        filled = replace_fields(entry, settings=fill_environment(entry.settings, ports.environment))
        redact = Redactor.of(_secrets(entry.settings, filled.settings, ports.environment))
        target = (entry.home.path, entry.name)
        quiet_period = self.rates.quiet_period(target)
        place = TargetLocation(
            entry.name, lambda _: entry.where(), self.directory, redact, entry.kind, quiet_period=quiet_period
        )
        made = _build_provider(filled, place, ports)
        written = entry.settings.get("delay")
        delay = written if isinstance(written, int | float) and written > 0 else self.pause
        pace = self.rates.pace(target, None, delay / 1000)
        return GuardedProvider(made, place.redact, ports.clock, pace)


def _with_further_names(environment: Mapping[str, str]) -> Mapping[str, str]:
    """The variables, with those that promptfoo knows under several names under the first one, too."""
    known = dict(environment.items())
    found = {
        name: next((known[other] for other in others if known.get(other)), "")
        for name, others in _FURTHER_NAMES.items() if not known.get(name)
    }  # fmt: skip
    return Variables({name: value for name, value in found.items() if value}, environment)


def _secrets(
    written: Mapping[str, Any], filled: Mapping[str, Any], environment: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """The values that a provider sends and that results may not show: of headers, and of the variables that its settings name."""
    config = filled.get("config")
    yield from header_secrets(config.get("headers") if isinstance(config, dict) else None)
    yield from named_variables(_texts(written), environment)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(item)


def _build_provider(entry: LoadedTargetEntry, place: TargetLocation, ports: Ports) -> Provider:
    """The provider of an entry whose kind only promptfoo has."""
    name, settings = entry.name, entry.settings
    config = settings.get("config")
    own = config if isinstance(config, dict) else {}
    if entry.kind == ECHO:
        return _Echo(name)
    if entry.kind == ADDRESS:
        return PromptfooHttp(name, str(settings.get("url") or ""), own, place, ports)
    if entry.kind == WEBHOOK:
        return PromptfooWebhook(name, str(settings.get("url") or ""), own, place, ports)
    if entry.kind == SOCKET:
        return PromptfooSocket(name, str(settings.get("url") or ""), own, place, ports)
    if entry.kind == SCRIPT:
        return PromptfooScript(name, str(settings.get("code") or ""), settings, place, ports)
    return _Exec(name, settings, place, ports)


@dataclass(frozen=True)
class _Echo:
    """Answers with the prompt."""

    name: str
    kind: str = ECHO

    @property
    def identity(self) -> str:
        return ECHO

    async def ask(self, request: Request) -> Answer:
        request.sent(SentPayload(self.name, messages=request.messages))
        tokens = {"total": 0, "prompt": 0, "completion": 0, "numRequests": 1}
        told = {"raw": request.prompt, "cost": 0, "cached": False, "tokenUsage": tokens, "isRefusal": False}
        return Answer(request.prompt, cost_usd=0.0, reported={**told, "metadata": {}})


@dataclass(frozen=True)
class _Exec:
    """Runs a program without a shell: the prompt, its options and the context of the case are its last arguments."""

    name: str
    settings: Mapping[str, Any]
    place: TargetLocation
    ports: Ports
    kind: str = EXEC

    @property
    def identity(self) -> str:
        return f"{EXEC}:{self.name}"

    async def ask(self, request: Request) -> Answer:
        argv = command_parts(str(self.settings.get("command") or ""))
        if not argv:
            raise ProviderError(f"it names no program ({self.place.where('command')})")
        # The program runs in the directory of the configuration.
        options = {"id": self.settings.get("id"), "config": {**(self.settings.get("config") or {}), "basePath": "."}}
        told = (request.prompt, _as_json(options), _as_json(call_context(request)))
        runs = ProgramRunner(self.place, self.ports, _TIMEOUT, None)
        finished = await runs.finished((*argv, *told), request, data=1)
        output = without_escapes(finished.stdout)
        error = finished.stderr.decode("utf-8", "replace").strip()
        if finished.exit_code or (error and not output):
            raise runs.failed(finished)
        return Answer(output, duration_ms=finished.seconds * 1000)


def _as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
