"""The settings of every kind of provider: models behind an API, agents on the command line, and stand-ins for tests."""

from typing import ClassVar

from rubric_core.language.file_extensions import RECORDS
from rubric_core.language.shape import Shape, key
from rubric_core.language.shape_kinds import Shaped
from rubric_core.language.value_kinds import Anything, Boolean, Choice, Integer, ListOf, NodeUnion, Number, Text

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
    "Pi",
    "Prices",
    "Replay",
    "Settings",
    "Transcript",
    "VsCode",
]  # fmt: skip

_SECRET = Text(refers_to="secret")
_COMMAND = NodeUnion(text=Text(), sequence=ListOf(Text(), empty=False))
_ARGUMENTS = NodeUnion(text=Text(blank=True), sequence=ListOf(Text(blank=True)))
_SECONDS = Number(above=0, unit="s")
_LOG = Choice((("summary", "one line for each step"), ("json", "every event as JSON")))


class Prices(Shape):
    """A price list: what the tokens of a target cost."""

    input = key(
        Number(at_least=0),
        "US dollars per million input tokens.",
        required=True,
        example="2.5",
        extension=True,
    )
    cached_input = key(
        Number(at_least=0),
        "US dollars per million cached input tokens.",
        shown="as input",
        example="1.25",
        extension=True,
    )
    output = key(
        Number(at_least=0), "US dollars per million output tokens, including reasoning.", required=True, example="10", extension=True,
    )  # fmt: skip


#: Of models and agents, which tell how many tokens they took and seldom what these cost.
PRICES = key(
    Shaped(Prices),
    "The price of its tokens, in US dollars per million, if it does not report the cost itself.",
    example="{input: 2.5, output: 10}",
    extension=True,
)


class Settings(Shape):
    """A settings block: what a kind of provider takes."""


class Api(Settings):
    """A model behind an API."""

    model = key(Text(), "The name of the model.", example="gpt-5-mini")
    deployment = key(Text(), "The same as model.")
    api_key = key(_SECRET, "The key of the API, from the environment.", example="${{ OPENAI_API_KEY }}")
    temperature = key(Number(0, 2), "The sampling temperature.", example="0")
    max_output_tokens = key(Integer(at_least=1), "The most tokens of an answer.", example="2000")
    timeout_seconds = key(_SECONDS, "The longest that a request may take, in seconds.", example="120")
    max_retries = key(Integer(at_least=0), "The number of retries after an error.", shown="3", example="3")
    retry_initial_delay_ms = key(
        Number(at_least=0, unit="ms"), "The pause before the first retry, in milliseconds.", example="500"
    )
    retry_max_delay_ms = key(
        Number(at_least=0, unit="ms"), "The longest pause before a retry, in milliseconds.", example="30000"
    )
    retry_backoff_factor = key(Number(at_least=1), "The factor between one pause and the next.", example="2")
    retry_status_codes = key(ListOf(Integer(100, 599)), "The HTTP status codes that are retried.", example="[429, 503]")
    prices = PRICES.taking(PRICES.kind)


class Model(Api):
    """A model: Gemini, or any model that OpenRouter knows."""

    model = Api.model.taking(Text(), example="gemini-2.5-flash")
    api_key = Api.api_key.taking(_SECRET, example="${{ GEMINI_API_KEY }}")
    variant = key(Text(), "A variant of the model, such as its reasoning effort.")


class Anthropic(Model):
    """An Anthropic model: Claude behind Anthropic's API."""

    model = Api.model.taking(Text(), example="claude-sonnet-4-5")
    api_key = Api.api_key.taking(_SECRET, example="${{ ANTHROPIC_API_KEY }}")
    thinking_budget = key(Integer(at_least=0), "The maximum number of reasoning tokens.", example="4000")


class Azure(Api):
    """An Azure model: a deployment of Azure OpenAI."""

    api_key = Api.api_key.taking(_SECRET, example="${{ AZURE_OPENAI_API_KEY }}")
    endpoint = key(Text(), "The address of the resource.", example="${{ AZURE_OPENAI_ENDPOINT }}")
    resource = key(Text(), "The name of the resource, in place of its address.")
    version = key(Text(), "The version of the API.", example="2024-10-21")
    api_version = key(Text(), "The version of the API.")
    api_format = key(Text(), "The API: chat or responses.")


class OpenAi(Model):
    """An OpenAI model: or any server that speaks its API, such as Ollama, LM Studio or vLLM."""

    model = Api.model.taking(Text())
    api_key = Api.api_key.taking(_SECRET)
    endpoint = key(Text(), "The address of the server.")
    base_url = key(
        Text(), "The address of the server.", shown="https://api.openai.com/v1", example="http://localhost:11434/v1"
    )
    api_format = key(Text(), "The API: chat or responses.", example="chat")


class Log(Settings):
    """An agent: a program that works on a task by itself and leaves a log."""

    model = key(Text(), "The model that the agent uses.")
    cwd = key(Text(refers_to="directory"), "The working directory, if the suite has no workspace.", example="..")
    timeout_seconds = key(_SECONDS, "The longest that it may take for a case, in seconds.", example="180")
    log_dir = key(Text(), "The directory of its logs.")
    log_directory = key(Text(), "The directory of its logs.")
    log_format = key(_LOG, "The format of its logs.", default="summary", shown="summary", example="json")
    log_output_format = key(_LOG, "The format of its logs.")
    stream_log = key(NodeUnion(boolean=Boolean(), text=Text()), "Whether its log is shown while it runs.")
    system_prompt = key(Text(blank=True), "Instructions that go before every case.")


class CommandAgent(Log):
    """A command-line agent: a program that works on a task by itself."""

    executable = key(Text(), "The path of the program, if it is not on the PATH.", example="${{ AGENT_PATH }}")
    command = key(_COMMAND, "The program and its arguments.")
    binary = key(Text(), "The path of the program, if it is not on the PATH.")
    args = key(_ARGUMENTS, "Further arguments for the program.")
    arguments = key(_ARGUMENTS, "Further arguments for the program.")
    prices = PRICES.taking(PRICES.kind)


class Codex(CommandAgent):
    """A Codex agent: OpenAI's coding agent."""

    endpoint = key(Text(), "The address of the server.")
    base_url = key(Text(), "The address of the server.")
    api_key = key(_SECRET, "The key of the API, from the environment.", example="${{ OPENAI_API_KEY }}")
    api_format = key(Text(), "The API: chat or responses.")
    reasoning_effort = key(Text(), "The reasoning effort of the model.", example="medium")
    model_reasoning_effort = key(Text(), "The reasoning effort of the model.")
    model_verbosity = key(Text(), "The verbosity of the model.")
    sandbox_mode = key(Text(), "The permissions of the agent.")
    approval_policy = key(Text(), "When the agent asks before it acts.")


class Byok(Shape):
    """A model of your own: which one the agent uses in place of its own."""

    subprovider = key(Text(), "Whose model it is.", example="openai")
    base_url = key(Text(), "The address of the server.")
    api_key = key(_SECRET, "The key of the API, from the environment.")
    bearer_token = key(_SECRET, "The token of the API, from the environment.")
    api_version = key(Text(), "The version of the API.")
    api_format = key(Text(), "Which API is spoken.")
    model_id = key(Text(), "The name of the model.")
    wire_model = key(Text(), "The name under which the server knows the model.")


class CopilotSdk(Log):
    """A Copilot agent: GitHub Copilot through its SDK."""

    cli_url = key(Text(), "The address of a running Copilot.")
    cli_path = key(Text(), "The path of the program, if it is not on the PATH.")
    github_token = key(_SECRET, "The token of GitHub, from the environment.", example="${{ GITHUB_TOKEN }}")
    byok = key(Shaped(Byok), "Your own model for the agent.", example="{subprovider: openai}")


class CopilotCli(CommandAgent):
    """A Copilot agent: GitHub Copilot on the command line."""


class Claude(CommandAgent):
    """A Claude agent: Anthropic's coding agent."""

    max_turns = key(Integer(at_least=1), "The most turns that it may take.", example="10")
    max_budget_usd = key(Number(above=0), "The most that it may spend on a case, in US dollars.", example="1")


class Pi(CommandAgent):
    """A Pi agent: the pi coding agent."""

    subprovider = key(Text(), "Whose model it uses.", example="openrouter")
    api_key = key(_SECRET, "The key of the API, from the environment.", example="${{ OPENROUTER_API_KEY }}")
    base_url = key(Text(), "The address of the server.")
    tools = key(_ARGUMENTS, "The tools that it may use.", example="read,bash,edit,write")
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
    timeout_seconds = key(_SECONDS, "The longest that it may take for a case, in seconds.")
    workspace_env_var = key(Text(), "The environment variable that names its workspace.")


class Mock(Settings):
    """A mock: it always says the same, so that a suite runs offline."""

    response = key(Text(blank=True), "What it answers.", example="within 30 days")
    trace = key(Anything(), "Read by no release.")


class Replay(Settings):
    """A replay: answers that were recorded before."""

    fixtures = key(
        Text(refers_to="file", endings=RECORDS),
        "Recorded answers.",
        required=True,
        group="source",
        example="fixtures.jsonl",
    )
    execution_traces = key(Text(refers_to="file", endings=RECORDS), "Recorded traces.", required=True, group="source")
    transcripts = key(Text(refers_to="file", endings=RECORDS), "Recorded conversations.", required=True, group="source")
    source_target = key(Text(), "The target whose answers were recorded.", required=True, example="bot")
    suite = key(Text(), "The suite that was recorded.")
    eval_path = key(Text(), "The path of the suite that was recorded.")
    variant = key(Text(), "Which of several recordings.")


class Transcript(Settings):
    """A transcript: a conversation that was held before, graded again."""

    open: ClassVar[bool] = True


class Healthcheck(Shape):
    """A health check: how to find out whether a command can answer."""

    type = key(Choice((("http", "by a request"), ("command", "by a program"))), "How it is measured.")
    command = key(
        _COMMAND,
        "A program that exits with 0 if the target is healthy.",
        required=True,
        group="probe",
        example="python agent.py --version",
    )
    url = key(
        Text(),
        "An address that replies if the target is healthy.",
        required=True,
        group="probe",
        example="http://localhost:8080/health",
    )
    cwd = key(Text(refers_to="directory"), "The working directory of the program.")
    timeout_seconds = key(_SECONDS, "The longest that it may take, in seconds.", example="5")


class Cli(Settings):
    """A command: any program that takes a prompt and prints an answer."""

    command = key(
        _COMMAND,
        "The command line; placeholders such as {PROMPT} stand for the case.",
        required=True,
        example="python agent.py {PROMPT}",
    )
    files_format = key(
        Text(),
        "How each file is written in place of {FILES}; {path} and {basename} stand for it.",
        default="{path}",
        shown="{path}",
        example="--file {path}",
    )
    cwd = key(
        Text(refers_to="directory"),
        "The working directory, if the suite has no workspace.",
        shown="the directory of the suite",
        example="..",
    )
    timeout_seconds = key(_SECONDS, "The longest that it may take for a case, in seconds.", example="30")
    healthcheck = key(
        Shaped(Healthcheck), "How to check whether it can answer.", example="{command: python agent.py --version}"
    )
    verbose = key(Boolean(), "Whether its output is shown.")
    keep_temp_files = key(Boolean(), "Whether the files that were made for it are kept.")


#: Every shape of settings.
SETTINGS: tuple[type[Settings], ...] = (
    AgentServer, Anthropic, Azure, Claude, Cli, Codex, CommandAgent, CopilotCli, CopilotSdk, Mock, Model, OpenAi, Pi, Replay, Transcript,
    VsCode,
)  # fmt: skip
