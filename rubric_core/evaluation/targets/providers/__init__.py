"""The kinds of targets that rubric runs, one file each, and one line each here."""

from typing import Any

from rubric_core.evaluation.targets.providers.anthropic import ANTHROPIC
from rubric_core.evaluation.targets.providers.azure import AZURE
from rubric_core.evaluation.targets.providers.base import ProviderKind
from rubric_core.evaluation.targets.providers.claude_cli import CLAUDE_CLI
from rubric_core.evaluation.targets.providers.cli import CLI
from rubric_core.evaluation.targets.providers.codex_cli import CODEX_CLI
from rubric_core.evaluation.targets.providers.copilot_cli import COPILOT_CLI
from rubric_core.evaluation.targets.providers.gemini import GEMINI
from rubric_core.evaluation.targets.providers.http_endpoint import HTTP
from rubric_core.evaluation.targets.providers.mock import MOCK
from rubric_core.evaluation.targets.providers.openai import OPENAI
from rubric_core.evaluation.targets.providers.openrouter import OPENROUTER
from rubric_core.evaluation.targets.providers.python_function import PYTHON
from rubric_core.evaluation.targets.providers.replay import REPLAY

__all__ = ["PROVIDERS", "kind_named"]

PROVIDERS: tuple[ProviderKind[Any], ...] = (
    OPENAI, AZURE, ANTHROPIC, GEMINI, OPENROUTER, CLI, HTTP, PYTHON, CLAUDE_CLI, CODEX_CLI, COPILOT_CLI, MOCK, REPLAY,
)  # fmt: skip


def kind_named(name: str) -> ProviderKind[Any] | None:
    """The kind with this name; the model may follow after a colon."""
    word = name.partition(":")[0]
    return next((k for k in PROVIDERS if word in k.names), None)
