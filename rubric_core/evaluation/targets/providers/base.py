"""The shared parts of all provider kinds: how a provider is created from its settings."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Generic, TypeVar

from rubric_core.evaluation.model.redaction import Redactor
from rubric_core.evaluation.targets.rate_limits import QuietPeriod
from rubric_core.language.providers import Settings
from rubric_core.lazy_compilation import dataclass, field
from rubric_core.ports import Ports, Provider

__all__ = ["ProviderKind", "TargetLocation"]


@dataclass(frozen=True, slots=True)
class TargetLocation:
    """The source of a target: its name, its directories, and the places of its settings in their file."""

    name: str
    #: Gives "targets.yaml:7, base_url" for a setting, "targets.yaml:5" for the entry.
    where: Callable[[str], str]
    #: The directory of the suite.
    directory: Path
    redact: Redactor
    #: The kind as written, for messages; the model follows after a colon.
    written_kind: str = ""
    #: Variables for its program that its entry names.
    environment: Mapping[str, str] = field(default_factory=dict)
    quiet_period: QuietPeriod = field(default_factory=QuietPeriod)

    @property
    def model(self) -> str:
        """The model in a kind such as `openai:gpt-5-mini`; empty without one."""
        return self.written_kind.partition(":")[2]


S = TypeVar("S", bound=Settings)


def _no_files(_: Settings) -> Iterable[str]:
    """Most kinds name their files by paths."""
    return ()


@dataclass(frozen=True)
class ProviderKind(Generic[S]):
    """One kind: its names, its settings, and how a provider is created from them."""

    #: The name for messages comes first; the others are older names.
    names: tuple[str, ...]
    #: Its settings in the catalogue.
    settings: type[S]
    #: Raises ValueError for conflicting settings; the message is for the author.
    make: Callable[[S, TargetLocation, Ports], Provider]
    #: Whether it is a model, so that a target of this kind judges its own answers when no judge is named.
    judges: bool = False
    #: The files that its settings name in another way than by their paths, relative to the directory of the suite.
    files: Callable[[S], Iterable[str]] = _no_files
    #: Settings that rubric accepts but ignores, each with the reason.
    unused: Mapping[str, str] = field(default_factory=dict)
    #: The program that is run, if it is always the same one.
    program: str = ""
    #: Environment variables with which its program identifies its user, according to its manual; always passed on.
    environment: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name for messages."""
        return self.names[0]
