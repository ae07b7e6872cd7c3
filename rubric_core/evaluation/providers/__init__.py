"""The kinds of targets that rubric runs, one file each. Importing them imports pydantic: do it when something is run."""

from typing import Any

from rubric_core.evaluation.providers.cli import CLI
from rubric_core.evaluation.providers.kind import ProviderKind
from rubric_core.evaluation.providers.mock import MOCK
from rubric_core.evaluation.providers.openai import OPENAI

__all__ = ["PROVIDERS", "kind_named"]

PROVIDERS: tuple[ProviderKind[Any], ...] = (OPENAI, CLI, MOCK)


def kind_named(name: str) -> ProviderKind[Any] | None:
    """The kind that is written `name`."""
    return next((k for k in PROVIDERS if name == k.name or name in k.aliases), None)
