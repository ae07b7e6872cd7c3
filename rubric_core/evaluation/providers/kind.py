"""What all kinds of providers share: how one is made of its settings, and how secrets are kept out of what people read."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit

from rubric_core.language.providers import Settings
from rubric_core.ports import Answer, Ports, Provider

__all__ = ["Place", "ProviderKind", "Redactor", "looks_secret"]

_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH|BEARER|(^|_)PAT$", re.IGNORECASE)
#: What is shorter would also be part of ordinary words.
_SHORTEST = 6


def looks_secret(name: str) -> bool:
    """Whether a setting or variable of that name holds a secret."""
    # "max_output_tokens" counts tokens, "token_usage" too.
    return _SECRET.search(name) is not None and not re.search(r"TOKENS|TOKEN_USAGE", name, re.IGNORECASE)


class Redactor:
    """Takes secrets out of texts that people or files will see."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._values = sorted({v for v in values if len(v) >= _SHORTEST}, key=len, reverse=True)

    @classmethod
    def of(cls, values: Iterable[tuple[str, str]]) -> "Redactor":
        """For settings and variables with their values: the secret ones among them, and passwords in addresses."""
        pairs = list(values)
        inside = (part for _, value in pairs if "://" in value for part in _passwords(value))
        return cls([*(value.strip() for name, value in pairs if looks_secret(name)), *inside])

    def __call__(self, text: str) -> str:
        """`text` without secrets."""
        for value in self._values:
            text = text.replace(value, "***")
        return text

    def answer(self, answer: Answer) -> Answer:
        """`answer` without secrets, wherever in it they are."""
        if not self._values:
            return answer
        uses = answer.tool_uses
        if uses is not None:
            uses = tuple(replace(u, input=self._any(u.input), output=self._any(u.output)) for u in uses)
        changes = self(answer.file_changes)
        return replace(answer, text=self(answer.text), tool_uses=uses, file_changes=changes, model=self(answer.model))

    def _any(self, value: Any) -> Any:
        if isinstance(value, str):
            return self(value)
        if isinstance(value, Mapping):
            return {name: self._any(item) for name, item in value.items()}
        return [self._any(item) for item in value] if isinstance(value, list | tuple) else value


def _passwords(address: str) -> Iterable[str]:
    try:
        parts = urlsplit(address.strip())
    except ValueError:
        return ()
    return (p for p in (parts.password,) if p)


@dataclass(frozen=True, slots=True)
class Place:
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
    make: Callable[[S, Place, Ports], Provider]
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
