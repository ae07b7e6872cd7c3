"""The settings of coding agents: programs that work on a task by themselves."""

from typing import ClassVar

from rubric_core.language.providers.base import ARGUMENTS, COMMAND, PRICES, SECONDS, SECRET, Settings
from rubric_core.language.shape import Shape, key
from rubric_core.language.shape_kinds import Shaped
from rubric_core.language.value_kinds import Boolean, Choice, Integer, NodeUnion, Number, Text

__all__ = [
    "AgentServer",
    "Byok",
    "Claude",
    "Codex",
    "CommandAgent",
    "CopilotCli",
    "CopilotSdk",
    "Log",
    "OwnModel",
    "Pi",
    "VsCode",
]

_LOG = Choice((("summary", "one line for each step"), ("json", "every event as JSON")))
_STREAM = Choice((("summary", "one line for each step"), ("raw", "every event as JSON")))


class Log(Settings):
    """An agent: a program that works on a task by itself and leaves a log."""

    model = key(Text(), "The model that the agent uses.")
    cwd = key(Text(refers_to="directory"), "The working directory, if the suite has no workspace.", example="..")
    timeout_seconds = key(SECONDS, "The longest that it may take for a case, in seconds.", example="180")
    log_dir = key(Text(), "The directory of its logs.")
    log_directory = key(Text(), "The directory of its logs.")
    log_format = key(_LOG, "The format of its logs.", default="summary", shown="summary", example="json")
    log_output_format = key(_LOG, "The format of its logs.")
    stream_log = key(
        NodeUnion(boolean=Boolean(), text=_STREAM),
        "Whether its log is shown while it runs, and how.",
        example="summary",
    )
    system_prompt = key(Text(blank=True), "Instructions that go before every case.")


class CommandAgent(Log):
    """A command-line agent: a program that works on a task by itself."""

    executable = key(Text(), "The path of the program, if it is not on the PATH.", example="${{ AGENT_PATH }}")
    command = key(COMMAND, "The program and its arguments.")
    binary = key(Text(), "The path of the program, if it is not on the PATH.")
    args = key(ARGUMENTS, "Further arguments for the program.")
    arguments = key(ARGUMENTS, "Further arguments for the program.")
    prices = PRICES.taking(PRICES.kind)


class Codex(CommandAgent):
    """A Codex agent: OpenAI's coding agent."""

    endpoint = key(Text(), "The address of the server.")
    base_url = key(Text(), "The address of the server.")
    api_key = key(SECRET, "The key of the API, from the environment.", example="${{ OPENAI_API_KEY }}")
    api_format = key(Text(), "The API: chat or responses.")
    reasoning_effort = key(Text(), "The reasoning effort of the model.", example="medium")
    model_reasoning_effort = key(Text(), "The reasoning effort of the model.")
    model_verbosity = key(Text(), "The verbosity of the model.")
    sandbox_mode = key(Text(), "The permissions of the agent.")
    approval_policy = key(Text(), "When the agent asks before it acts.")


class OwnModel(Shape):
    """A model of your own: where it is, and how it is asked."""

    subprovider = key(Text(), "Whose model it is.", example="openai")
    base_url = key(Text(), "The address of the server.")
    api_key = key(SECRET, "The key of the API, from the environment.")
    bearer_token = key(SECRET, "The token of the API, from the environment.")
    api_version = key(Text(), "The version of the API.")
    api_format = key(Text(), "Which API is spoken.")


class Byok(OwnModel):
    """A model of your own: the agent uses it instead of its default one."""

    model_id = key(Text(), "The name of the model.")
    wire_model = key(Text(), "The name under which the server knows the model.")


class CopilotSdk(Log, OwnModel):
    """A Copilot agent: GitHub Copilot through its SDK."""

    cli_url = key(Text(), "The address of a running Copilot.")
    cli_path = key(Text(), "The path of the program, if it is not on the PATH.")
    args = key(ARGUMENTS, "Further arguments for the program.")
    arguments = key(ARGUMENTS, "Further arguments for the program.")
    github_token = key(SECRET, "The token of GitHub, from the environment.", example="${{ GITHUB_TOKEN }}")
    byok = key(Shaped(Byok), "Your own model for the agent.", example="{subprovider: openai}")


class CopilotCli(CommandAgent, OwnModel):
    """A Copilot agent: GitHub Copilot on the command line."""


class Claude(CommandAgent):
    """A Claude agent: Anthropic's coding agent."""

    variant = key(Text(), "The variant of cc-mirror that is run, if it is not called like the target.")
    bypass_permissions = key(Boolean(), "Whether it acts without asking.")
    max_turns = key(Integer(at_least=1), "The most turns that it may take.", example="10")
    max_budget_usd = key(Number(above=0), "The most that it may spend on a case, in US dollars.", example="1")


class Pi(CommandAgent):
    """A Pi agent: the pi coding agent."""

    subprovider = key(Text(), "Whose model it uses.", example="openrouter")
    api_key = key(SECRET, "The key of the API, from the environment.", example="${{ OPENROUTER_API_KEY }}")
    base_url = key(Text(), "The address of the server.")
    tools = key(ARGUMENTS, "The tools that it may use.", example="read,bash,edit,write")
    thinking = key(Text(), "The reasoning effort of the model.")


class AgentServer(Log):
    """An agent: one that judges or answers by itself, with tools to read files."""

    open: ClassVar[bool] = True


class VsCode(Settings):
    """A VS Code agent: the chat of an editor that is started for every case."""

    executable = key(Text(), "The path of the editor, if it is not on the PATH.", example="${{ VSCODE_CMD }}")
    wait = key(Boolean(), "Whether to wait for it.")
    dry_run = key(Boolean(), "Whether the editor is left closed.")
    subagent_root = key(Text(refers_to="directory"), "The directory of its subagents.")
    timeout_seconds = key(SECONDS, "The longest that it may take for a case, in seconds.")
    workspace_env_var = key(Text(), "The environment variable that names its workspace.")
