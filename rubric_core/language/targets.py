"""The shapes of a targets file: targets that answer or judge, and the settings of every kind of provider.

An entry stands under `targets`, where `provider` names its kind, or under `providers`, where `id` does. Its settings
stand beside these keys or, in some dialects, one level deeper; either way they are read as keys of the entry.
"""

from collections.abc import Mapping
from typing import ClassVar

from rubric_core.language.file_extensions import YAML
from rubric_core.language.own_providers import OWN_SETTINGS
from rubric_core.language.providers import SETTINGS, Settings
from rubric_core.language.shape import Shape, key
from rubric_core.language.shape_kinds import Shaped, Tagged
from rubric_core.language.value_kinds import Anything, Boolean, Choice, Integer, ListOf, MapOf, NodeUnion, Number, Text
from rubric_core.language.workspace import Environment, Hooks

__all__ = ["ENTRIES", "INLINE_PROVIDERS", "INLINE_TARGETS", "Defaults", "Entry", "Provider", "Runtime", "Target", "TargetFile"]  # fmt: skip

_NAME = Text(refers_to="target")
_MODE = Choice((("host", "on this machine"), ("profile", "with its own profile"), ("sandbox", "in a sandbox")))


class Defaults(Shape):
    """A defaults block: the provider and grader where nothing else is said."""

    provider = key(Text(refers_to="target"), "The provider that answers.", example="bot")
    grader = key(Text(refers_to="target"), "The provider that judges.", example="judge")


class Runtime(Shape):
    """A runtime: where the program of a provider runs."""

    open: ClassVar[bool] = True
    mode = key(_MODE, "Where it runs.", required=True, example="host")


class Entry(Shape):
    """A target: something that answers, or that judges."""

    tag: ClassVar[str] = "provider"
    nested: ClassVar[tuple[str, ...]] = ("settings",)

    name = key(Text(), "The name by which suites refer to it.", required=True, example="default")
    provider = key(
        Text(refers_to="provider"), "Which kind of provider it is.", required=True, example="openai", group="kind"
    )
    grader_target = key(
        _NAME, "The target that judges the answers of this one.", shown="the target itself", example="judge"
    )
    use_target = key(
        _NAME,
        "Another target to use instead of this one; with `${{ NAME }}` the environment chooses it.",
        required=True,
        group="kind",
        example="${{ MY_TARGET }}",
    )
    fallback_targets = key(ListOf(_NAME), "Targets to try in order after an error of this one.", example="[backup]")
    extends = key(_NAME, "Another target whose settings this one inherits.", required=True, group="kind")
    workers = key(
        Integer(at_least=1), "The maximum number of concurrent requests.", shown="as many as there are", example="4"
    )
    requests_per_minute = key(
        Integer(at_least=1),
        "How many requests it is given in any minute, by all cases and judges together; what is sent again after an error counts.",
        shown="as many as there are",
        example="60",
        extension=True,
    )
    tokens_per_minute = key(
        Integer(at_least=1),
        "How many tokens it is given in any minute, those of its answers included.",
        shown="as many as there are",
        example="90000",
        extension=True,
    )
    provider_batching = key(Boolean(), "Whether all cases go to it in one call.", default=False, shown="false")
    subagent_mode_allowed = key(Boolean(), "Whether it may hand work to subagents.")
    workspace_template = key(Text(), "A directory that is copied for every case, if the suite names none.")
    runtime = key(NodeUnion(text=_MODE, mapping=Shaped(Runtime)), "Where its program runs.", example="host")
    prompts = key(NodeUnion(text=Text(), sequence=ListOf(Anything())), "The prompts to use, if not all.")
    transform = key(NodeUnion(text=Text(), mapping=MapOf(Anything())), "Transforms its answer before grading.")
    delay = key(Number(at_least=0, unit="ms"), "A pause between calls, in milliseconds.", example="200")
    env = key(MapOf(Text(blank=True)), "Environment variables for it.")
    inputs = key(MapOf(Anything()), "Its values, described for programs that generate attacks.")
    environment = key(
        NodeUnion(text=Text(refers_to="file", endings=YAML), mapping=Shaped(Environment)),
        "The working directory, instead of the one of the suite.",
    )
    hooks = key(
        Shaped(Hooks),
        "Programs that run before and after its cases, inside the hooks of the suite.",
        example="{before_all: {command: [python, setup.py]}}",
    )
    settings = key(MapOf(Anything()), "The settings of its kind.")


class Target(Entry):
    """A target: something that answers, or that judges."""


class Provider(Entry):
    """A provider: something that answers, or that judges."""


def _entry(base: type[Entry], settings: type[Settings]) -> type[Entry]:
    """The entries of one kind: the keys of every entry, and the settings of the kind."""
    nested = key(Shaped(settings), Entry.keys["settings"].doc)
    body = {"__doc__": settings.__doc__, "__module__": __name__, "settings": nested}
    return type(f"{settings.__name__}{base.__name__}", (settings, base), body)


#: The shape of an entry by its base and the settings of its kind.
ENTRIES: Mapping[tuple[type[Entry], type[Settings]], type[Entry]] = {
    (base, settings): _entry(base, settings) for base in (Target, Provider) for settings in (*SETTINGS, *OWN_SETTINGS)
}

_TARGETS = ListOf(Tagged(Target))
_PROVIDERS = ListOf(NodeUnion(text=Text(), mapping=Tagged(Provider)))
#: The content of `targets` or `providers` inside a suite: names, and entries of its own.
INLINE_TARGETS = NodeUnion(
    text=_NAME, mapping=Tagged(Target), sequence=ListOf(NodeUnion(text=_NAME, mapping=Tagged(Target)))
)
INLINE_PROVIDERS = NodeUnion(
    text=_NAME, mapping=Tagged(Provider), sequence=ListOf(NodeUnion(text=_NAME, mapping=Tagged(Provider)))
)


class TargetFile(Shape):
    """A targets file: everything that answers and judges in a folder of suites."""

    lack_effect: ClassVar[str] = "agentv rejects the file"
    schema = key(Text(), "Marks the file as a targets file.", name="$schema", example="agentv-targets-v2.2")
    version = key(NodeUnion(text=Text(), number=Number()), "The version of the format.", example="'2.0'")
    targets = key(
        _TARGETS,
        "The targets, each with a name and the settings of its kind.",
        required=True,
        group="entries",
        example="[{name: default, provider: mock}]",
    )
    providers = key(
        _PROVIDERS,
        "The providers, each with a label and the settings of its kind.",
        required=True,
        group="entries",
        example="[{id: mock, label: default}]",
    )
    graders = key(NodeUnion(text=Text(refers_to="file", endings=YAML), sequence=_TARGETS), "Targets that only judge.")
    defaults = key(
        NodeUnion(text=Text(refers_to="file", endings=YAML), mapping=Shaped(Defaults)),
        "The default provider and grader.",
        example="{provider: default}",
    )
