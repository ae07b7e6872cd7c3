"""The providers of a configuration of promptfoo, as targets that the engine calls."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rubric_core.dataclass_copies import replace_fields
from rubric_core.evaluation.cases.options import Options
from rubric_core.evaluation.targets.resolve import load_targets
from rubric_core.evaluation.templating.interpolate import node_of
from rubric_core.families.promptfoo.cases.configuration import ConfigurationError, PromptfooConfiguration
from rubric_core.families.promptfoo.cases.models import (
    DEFAULT_GRADERS,
    IDLE,
    DefaultGrader,
    VendorTarget,
    vendor_target,
)
from rubric_core.families.promptfoo.language.listed_entries import provider_key
from rubric_core.families.promptfoo.language.provider_ids import GRADER_ROLES
from rubric_core.families.promptfoo.language.run_options import DISABLE_TEMPLATING, is_on
from rubric_core.families.promptfoo.loading.environment_settings import fill_environment, with_defaults
from rubric_core.families.promptfoo.targets.http import HTTP_REFUSED, http_address
from rubric_core.families.promptfoo.targets.providers import (
    ADDRESS,
    ECHO,
    EXEC,
    SCRIPT,
    SOCKET,
    WEBHOOK,
    PromptfooTargets,
)
from rubric_core.families.promptfoo.targets.scripts import script_of
from rubric_core.families.promptfoo.targets.websocket import SOCKET_SETTINGS, socket_address
from rubric_core.lazy_compilation import dataclass, replace
from rubric_core.loading.directory_search import URL
from rubric_core.loading.targets import LoadedTargetEntry, LoadedTargetFile, TargetSource
from rubric_core.sandbox.values import is_truthy
from rubric_core.syntax.tree import Node

__all__ = ["Graders", "PromptfooProvider", "own_provider", "providers_of", "targets_of"]

_YAML = (".yaml", ".yml", ".json")
#: How many files may name one another.
_MOST_NAMED = 20
#: Ids whose variables are filled in early, since they decide what the provider is; addresses may have keys in them, which are not kept.
_OF_ENVIRONMENT = ("{{", URL, "python:", "ruby:")
_EXEC, _WEBHOOK = "exec:", "webhook:"
_RUN = "echo, exec:, addresses, WebSockets, webhooks, Python, Ruby and JavaScript files, and models of OpenAI, Azure, Anthropic, Google, OpenRouter, Ollama and others that speak OpenAI's API"
#: What to write in place of a provider in Go, which is not run.
_GO = "start it as a program: `exec: go run provider.go`, which gets the prompt as an argument and prints the output"
_TEXT_ROLE, *_OTHER_ROLES = GRADER_ROLES


@dataclass(frozen=True, slots=True)
class PromptfooProvider:
    """One provider that answers."""

    #: Its name in results: its label, else its id; unique in the configuration.
    name: str
    label: str
    id: str
    config: Mapping[str, Any]
    #: The prompts that it gets, by label or id; None for all.
    prompts: Sequence[Any] | None
    transform: Any
    delay: float
    node: Node
    #: Why it cannot be called.
    trouble: str = ""
    #: The target that represents it, if it is a model.
    target: VendorTarget | None = None
    #: The names under which promptfoo keeps its prompts.
    listed_as: tuple[str, ...] = ()


def providers_of(configuration: PromptfooConfiguration) -> list[PromptfooProvider]:
    """The providers in the order of the text, without entries that are there twice. Raises ConfigurationError if there are none."""
    key = "targets" if configuration.data.get("targets") is not None else "providers"
    written, node = configuration.value(key), configuration.node(key)
    if isinstance(written, dict):
        raise ConfigurationError(f"`{key}` is a mapping; promptfoo takes a list, or one id")
    listed = written if isinstance(written, list) else [] if written is None else [written]
    if not listed:
        raise ConfigurationError("`providers` names no provider")
    found: list[PromptfooProvider] = []
    seen = set[str]()
    for item, at in zip(listed, configuration.items(node, listed), strict=True):
        key = provider_key(item)
        if key in seen:
            continue
        seen.add(key)
        try:
            made = list(_providers_of_item(item, at, configuration))
        except ConfigurationError as error:
            raise ConfigurationError(str(error), at) from None
        for each in made:
            count = sum(other.name.partition("~")[0] == each.name for other in found)
            found.append(each if not count else replace_fields(each, name=f"{each.name}~{count + 1}"))
    return _with_prompts(found)


def _with_prompts(providers: Sequence[PromptfooProvider]) -> list[PromptfooProvider]:
    """The providers with the prompts that promptfoo gives them: found by label or id, the last of equal ids."""
    known: dict[str, Sequence[Any] | None] = {}
    for each in providers:
        known |= dict.fromkeys(each.listed_as, each.prompts)
    return [replace_fields(each, prompts=known.get(each.label or _identifier(each))) for each in providers]


def _identifier(provider: PromptfooProvider) -> str:
    """What a loaded provider without a label calls itself: of `id: http` it is the address, under which no prompts are listed."""
    return http_address(provider.id, provider.config) or provider.id


def own_provider(written: Any, at: Node, configuration: PromptfooConfiguration) -> PromptfooProvider | None:
    """The provider named by a case, which answers instead of the configured ones; None without one."""
    return next(_providers_of_item(written, at, configuration), None) if written is not None else None


def _providers_of_item(item: Any, at: Node, configuration: PromptfooConfiguration) -> Iterator[PromptfooProvider]:
    if isinstance(item, str):
        if _names_list(item):
            yield from _providers_in_file(item, at, configuration)
            return
        yield _provider(item, {}, at, configuration)
    elif isinstance(item, dict) and isinstance(item.get("id"), str):
        made = _provider(item["id"], item, at, configuration)
        yield replace_fields(made, listed_as=tuple(name for name in (made.id, made.label) if name))
    elif isinstance(item, dict) and len(item) == 1:
        ((name, settings),) = item.items()
        settings = settings if isinstance(settings, dict) else {}
        identity = settings["id"] if isinstance(settings.get("id"), str) else name
        made = _provider(identity, settings, at, configuration)
        yield replace_fields(made, listed_as=(made.id,))
    else:
        raise ConfigurationError("an entry of `providers` has no `id`")


def _providers_in_file(name: str, at: Node, configuration: PromptfooConfiguration) -> Iterator[PromptfooProvider]:
    """The providers of a file; names of files in it, which are relative to the configuration, stand for their content."""
    written = _behind(name, configuration)
    for item in written if isinstance(written, list) else [written]:
        each = _behind(item, configuration) if _names_list(item) else item
        if isinstance(each, list):
            shown = item.removeprefix(URL) if isinstance(item, str) else "an entry"
            raise ConfigurationError(f"{name.removeprefix(URL)}: {shown} is a list in the place of one provider")
        if not isinstance(each, dict | str) or (isinstance(each, str) and each.startswith(URL)):
            raise ConfigurationError(f"{name.removeprefix(URL)} has a provider without `id`")
        yield from _providers_of_item(each, at, configuration)


def _names_list(item: Any) -> bool:
    """Whether an entry names a file with providers."""
    return isinstance(item, str) and item.startswith(URL) and item.endswith(_YAML)


def _behind(name: str, configuration: PromptfooConfiguration) -> Any:
    """The content of a file, or of the one that it consists of the name of. Raises ConfigurationError."""
    found: Any = name
    for _ in range(_MOST_NAMED):
        found = configuration.resolved(configuration.external(found))
        if not _names_list(found):
            return found
    raise ConfigurationError(f"{name.removeprefix(URL)} leads from file to file without end")


def _provider(
    identity: str, settings: Mapping[str, Any], at: Node, configuration: PromptfooConfiguration
) -> PromptfooProvider:
    variables = configuration.environment.running
    if not is_on(variables, DISABLE_TEMPLATING):
        identity = with_defaults(identity, variables)
        if identity.startswith(_OF_ENVIRONMENT):
            identity = fill_environment(identity, variables)
        settings = with_defaults(dict(settings), variables)
    label = settings.get("label")
    label = label if isinstance(label, str) else ""
    config, prompts, delay = settings.get("config"), settings.get("prompts"), settings.get("delay")
    own = config if isinstance(config, dict) else {}
    target, trouble = None, ""
    if not _own_kind(identity, own):
        target = vendor_target(identity, own, configuration.external)
        trouble = (
            target.trouble
            if target is not None
            else f"rubric does not call the provider {identity} of promptfoo; {_advice(identity)}"
        )
    elif http_address(identity, own):
        unsent = next((key for key in own if key in HTTP_REFUSED), "")
        trouble = f"rubric does not support `config.{unsent}` of {identity}" if unsent else ""
        if not any(is_truthy(own.get(key)) for key in ("body", "request")) and own.get("method") != "GET":
            trouble = trouble or f"promptfoo stops: {identity} needs `body`, `request` or `method: GET` in `config`"
    elif socket_address(identity, own):
        unsent = next((key for key in own if key not in SOCKET_SETTINGS), "")
        trouble = f"rubric does not support `config.{unsent}` of {identity}" if unsent else ""
        if not own.get("messageTemplate"):
            trouble = f"promptfoo stops: {identity} needs `messageTemplate` in `config`"
    return PromptfooProvider(
        label or identity, label, identity, own,
        prompts if isinstance(prompts, list) else None,  # of a text, promptfoo warns and takes all
        settings.get("transform"), float(delay) if isinstance(delay, int | float) else 0.0, at, trouble, target,
    )  # fmt: skip


def _advice(identity: str) -> str:
    """What to write instead of a provider that rubric does not run."""
    path = identity.partition(":")[2].partition(":")[0]
    if identity.startswith("golang:") or path.endswith(".go"):
        return _GO
    return f"it runs {_RUN}"


def _own_kind(identity: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """The kind of a provider that only promptfoo has, with the settings needed to call it; empty for others."""
    if identity == ECHO:
        return {"kind": ECHO}
    if identity.startswith(_EXEC):
        return {"kind": EXEC, "command": identity.removeprefix(_EXEC).strip()}
    if script_of(identity):
        return {"kind": SCRIPT, "code": script_of(identity)}
    if http_address(identity, config):
        return {"kind": ADDRESS, "url": http_address(identity, config)}
    if socket_address(identity, config):
        return {"kind": SOCKET, "url": socket_address(identity, config)}
    if identity.startswith(_WEBHOOK):
        return {"kind": WEBHOOK, "url": identity.removeprefix(_WEBHOOK)}
    return {}


class Graders:
    """The providers that grade, without duplicates: those that answer tests, and those that only grade."""

    def __init__(self, configuration: PromptfooConfiguration, answering: Sequence[PromptfooProvider]) -> None:
        self._configuration = configuration
        self._answering = answering
        self._known: dict[str, str] = {}
        #: Those that only grade.
        self.further: list[PromptfooProvider] = []

    def name(self, written: Any, at: Node, *, is_own: bool = False) -> str:
        """The name of the target for a `provider` of a test or assertion; empty for none. Raises ConfigurationError.

        A provider that answers a test is loaded by its id; the label of another one counts only for graders (`is_own`).
        """
        if written is None:
            return ""
        if not is_own and isinstance(written, dict) and "id" not in written:
            by_role = not written.keys().isdisjoint((_TEXT_ROLE, *_OTHER_ROLES))
            written = written.get(_TEXT_ROLE) if by_role else written
            if written is None:
                return ""
        if isinstance(written, str) and not is_own:
            known = next((each for each in self._answering if written in (each.label, each.id)), None)
            if known is not None:
                return known.name
        key = json.dumps(written, sort_keys=True, default=str)
        if key not in self._known:
            made = own_provider(written, at, self._configuration)
            if made is None:
                return ""
            taken = [each.name for each in (*self._answering, *self.further)]
            count = sum(name.partition("~")[0] == made.name for name in taken)
            self.further.append(made if not count else replace_fields(made, name=f"{made.name}~{count + 1}"))
            self._known[key] = self.further[-1].name
        return self._known[key]


def targets_of(
    configuration: PromptfooConfiguration, providers: Sequence[PromptfooProvider], pause: float, options: Options
) -> PromptfooTargets:
    """The providers as targets, before those of target files; `pause` is the delay between two calls in milliseconds."""
    home = TargetSource(
        configuration.path, configuration.text, None, {}, lambda span: configuration.line_of(span.start), "agentv-5"
    )
    entries = tuple(_entry(each, home) for each in providers)
    unnamed = [_default_provider(each, configuration) for each in DEFAULT_GRADERS]
    troubles = {each.name: each.trouble for each in providers if each.trouble}
    models = {
        each.name: each.target.model for each in (*providers, *unnamed)
        if each.target is not None and each.target.model is not None
    }  # fmt: skip
    given = options.targets_file
    found = load_targets(configuration.directory, configuration.files, None if given is None else Path(given))
    # The defaults of AgentV suites do not apply here.
    further = replace(found.file, defaults={}) if found.file is not None else None
    file = LoadedTargetFile(home, entries).joined(further)
    return PromptfooTargets(
        configuration.directory,
        file,
        pause=pause,
        rates=options.rate_limits,
        troubles=troubles,
        models=models,
        unnamed={each.name: _entry(each, home) for each in unnamed},
    )


def _default_provider(grader: DefaultGrader, configuration: PromptfooConfiguration) -> PromptfooProvider:
    """A model that grades without being named, as if it were."""
    settings = {"label": grader.name, "config": grader.config}
    made = _provider(grader.id, settings, configuration.root, configuration)
    target = made.target
    if target is None or target.model is None or target.model.vendor != "anthropic" or not grader.config:
        return made
    return replace_fields(made, target=target._replace(model=target.model._replace(form="rubric")))


def _entry(provider: PromptfooProvider, home: TargetSource) -> LoadedTargetEntry:
    target, settings = provider.target, dict[str, Any]()
    if provider.delay:
        settings["delay"] = provider.delay
    if target is not None:
        settings |= target.settings
        node = node_of({"name": provider.name, "provider": target.kind, **settings}, provider.node)
        further = {k: v for k, v in target.model.config.items() if k not in IDLE} if target.model is not None else {}
        settings |= {"config": further} if further else {}  # for assertions, and for comparisons of cases
        return LoadedTargetEntry(provider.name, target.kind, settings, provider.node.span, home, node)
    settings |= {"id": provider.id, "config": dict(provider.config), **_own_kind(provider.id, provider.config)}
    kind = settings.pop("kind", provider.id)
    return LoadedTargetEntry(provider.name, kind, settings, provider.node.span, home, node_of(settings, provider.node))
