"""The settings of every kind of provider: models behind an API, agents on the command line, and stand-ins for tests."""

from rubric_core.language.providers.agents import (
    AgentServer,
    Byok,
    Claude,
    Codex,
    CommandAgent,
    CopilotCli,
    CopilotSdk,
    Log,
    OwnModel,
    Pi,
    VsCode,
)
from rubric_core.language.providers.api import Anthropic, Api, Azure, Model, OpenAi
from rubric_core.language.providers.base import PRICES, Prices, Settings
from rubric_core.language.providers.commands import Cli, Healthcheck
from rubric_core.language.providers.stand_ins import Mock, Replay, Transcript

__all__ = [
    "PRICES",
    "SETTINGS",
    "AgentServer",
    "Anthropic",
    "Api",
    "Azure",
    "Byok",
    "Claude",
    "Cli",
    "Codex",
    "CommandAgent",
    "CopilotCli",
    "CopilotSdk",
    "Healthcheck",
    "Log",
    "Mock",
    "Model",
    "OpenAi",
    "OwnModel",
    "Pi",
    "Prices",
    "Replay",
    "Settings",
    "Transcript",
    "VsCode",
]  # fmt: skip

#: Every shape of settings.
SETTINGS: tuple[type[Settings], ...] = (
    AgentServer, Anthropic, Azure, Claude, Cli, Codex, CommandAgent, CopilotCli, CopilotSdk, Mock, Model, OpenAi, Pi, Replay, Transcript,
    VsCode,
)  # fmt: skip
