"""What all kinds of providers share: how one is made of its settings, and what their settings have in common."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from rubric_core.ports import Ports, Provider

__all__ = ["Common", "Place", "ProviderKind", "Redactor", "Retries"]

_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH|BEARER|PAT$", re.IGNORECASE)
_SHORTEST = 6


class Redactor:
    """Takes secrets out of texts that people or files will see."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._values = sorted((v for v in values if len(v) >= _SHORTEST), key=len, reverse=True)

    @classmethod
    def of(cls, variables: Mapping[str, tuple[str, str]]) -> "Redactor":
        """For the variables of a target: (setting, value) by name; those that look like secrets count."""
        return cls(value for name, (key, value) in variables.items() if _SECRET.search(name) or _SECRET.search(key))

    def __call__(self, text: str) -> str:
        """`text` without secrets."""
        for value in self._values:
            text = text.replace(value, "***")
        return text


@dataclass(frozen=True, slots=True)
class Place:
    """Where a target comes from: its name, its directories, and where its settings stand in their file."""

    name: str
    #: Gives "targets.yaml:7, base_url" for a key, "targets.yaml:5" for the entry.
    where: Callable[[str], str]
    #: The directory of the suite.
    directory: Path
    redact: Redactor


class Common(BaseModel):
    """Settings that every kind takes and that are not its own business."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    use_target: str | None = None
    grader_target: str | None = None
    judge_target: str | None = None
    workers: int | None = Field(default=None, ge=1)
    subagent_mode_allowed: bool | None = None
    fallback_targets: list[str] = []
    provider_batching: bool | None = None


class Retries(Common):
    """Settings of kinds that ask over the network."""

    max_retries: int = Field(default=3, ge=0, le=20)
    retry_initial_delay_ms: float = Field(default=500, ge=0)
    retry_max_delay_ms: float = Field(default=30_000, ge=0)
    retry_backoff_factor: float = Field(default=2, ge=1)
    retry_status_codes: list[int] = [408, 429, 500, 502, 503, 504]
    timeout_seconds: float = Field(default=120, gt=0)


S = TypeVar("S", bound=Common)


@dataclass(frozen=True)
class ProviderKind(Generic[S]):
    """One kind: its names, its settings, and how a provider is made of them."""

    name: str
    settings: type[S]
    #: Raises ValueError for settings that do not go together; the message is for the author.
    make: Callable[[S, Place, Ports], Provider]
    #: Whether it is a model, so that a target of this kind judges its own answers when no judge is named.
    judges: bool = False
    aliases: tuple[str, ...] = ()

    def provider(self, settings: Mapping[str, Any], place: Place, ports: Ports) -> Provider:
        """The provider. Raises pydantic.ValidationError or ValueError."""
        return self.make(self.settings.model_validate(settings), place, ports)
