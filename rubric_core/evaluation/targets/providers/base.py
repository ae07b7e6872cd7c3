"""What all kinds of providers share: how one is made of its settings."""

from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Generic, TypeVar

from rubric_core.evaluation.model.redaction import Redactor
from rubric_core.language.providers import Settings
from rubric_core.lazy_compilation import dataclass
from rubric_core.ports import Ports, Provider

__all__ = ["ProviderKind", "TargetLocation"]


@dataclass(frozen=True, slots=True)
class TargetLocation:
    """Where a target comes from: its name, its directories, and where its settings stand in their file."""

    name: str
    #: Gives "targets.yaml:7, base_url" for a setting, "targets.yaml:5" for the entry.
    where: Callable[[str], str]
    #: The directory of the suite.
    directory: Path
    redact: Redactor
    #: The kind as it is written, for messages; what follows a colon there is the model.
    written_kind: str = ""
    #: Variables for its program that its entry names.
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def model(self) -> str:
        """The model in a kind such as `openai:gpt-5-mini`; empty without one."""
        return self.written_kind.partition(":")[2]


S = TypeVar("S", bound=Settings)


@dataclass(frozen=True)
class ProviderKind(Generic[S]):
    """One kind: its names, its settings, and how a provider is made of them."""

    #: The one that messages use comes first; the others are older words for it.
    names: tuple[str, ...]
    #: Its settings, as the catalogue has them.
    settings: type[S]
    #: Raises ValueError for settings that do not go together; the message is for the author.
    make: Callable[[S, TargetLocation, Ports], Provider]
    #: Whether it is a model, so that a target of this kind judges its own answers when no judge is named.
    judges: bool = False
    #: Settings that rubric takes and does not act on, each with the reason.
    unused: Mapping[str, str] = field(default_factory=dict)
    #: The program that is run, where that is always the same one.
    program: str = ""
    #: Environment variables by which its program knows its user, as the manual of that program says; it gets them unnamed.
    environment: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name for messages."""
        return self.names[0]
