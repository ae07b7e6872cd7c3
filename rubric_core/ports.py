"""The outside world of a run as protocols: files, time, programs, the network, models. `adapters` implements them."""

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, Protocol

from rubric_core.lazy_compilation import dataclass, field
from rubric_core.sandbox import Sandbox

__all__ = [
    "Answer", "AnswerFile", "ChatMessage", "Clock", "Files", "Finished", "Http", "HttpReply", "NetworkError", "Ports", "Processes", "Program",
    "Provider", "ProviderError", "Request", "Role", "SentPayload", "Tokens", "ToolUse",
]  # fmt: skip

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message as a model reads it."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class SentPayload:
    """Something that a provider sends for a request, as it leaves: messages to a model, or the call of a program."""

    #: The target to which it goes.
    target: str
    messages: tuple[ChatMessage, ...] = ()
    argv: tuple[str, ...] = ()
    #: What the program reads on standard input, and the files that were written for it, each with its name and text.
    stdin: str = ""
    files: tuple[tuple[str, str], ...] = ()
    #: Why what was sent before is sent again, with no other messages: "429: slow down".
    again: str = ""


def _unheard(_: SentPayload) -> None:
    """Nobody listens."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a provider is asked."""

    messages: tuple[ChatMessage, ...]
    #: The whole input as one text, for providers that take no list of messages.
    prompt: str
    case_id: str = ""
    #: Which try this is, from 1.
    attempt: int = 1
    files: tuple[Path, ...] = ()
    #: The model to use instead of the provider's own; a provider that cannot change it raises ProviderError.
    model: str | None = None
    #: 0..2, or None to leave it to the provider.
    temperature: float | None = None
    max_output_tokens: int | None = None
    #: A JSON Schema that the answer has to follow, with a name; providers that cannot promise that ignore it.
    schema: tuple[str, Mapping[str, Any]] | None = None
    #: The directory that was made for the case, for targets that are programs: they work in it.
    workspace: Path | None = None
    #: Variables for targets that are programs: where the workspace is, and what the suite's environment sets.
    environment: Mapping[str, str] = field(default_factory=dict)
    #: The variables of the case, for code that makes something of the answer.
    variables: Mapping[str, Any] = field(default_factory=dict)
    #: Settings of the prompt, for programs that answer.
    config: Mapping[str, Any] = field(default_factory=dict)
    #: Called with everything that is sent, before it is. A provider that sends nothing calls it never.
    sent: Callable[[SentPayload], None] = field(default=_unheard, repr=False, compare=False)
    #: `prompt` with the paths of files in place of their contents, for programs that open files; empty where there is only one prompt.
    path_prompt: str = ""
    #: The contents of the files that early releases take for instructions.
    guidelines: str = ""


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of a call or of several; `cached` are not part of `input`, `reasoning` are part of `output`."""

    input: int = 0
    output: int = 0
    cached: int = 0
    reasoning: int = 0

    @property
    def total(self) -> int:
        """All tokens: input, output and cached."""
        return self.input + self.output + self.cached

    def __add__(self, other: "Tokens") -> "Tokens":
        return Tokens(
            self.input + other.input,
            self.output + other.output,
            self.cached + other.cached,
            self.reasoning + other.reasoning,
        )


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One call of a tool that the target made."""

    tool: str
    input: Any = None
    output: Any = None
    #: Milliseconds, when the target tells.
    duration_ms: float | None = None


@dataclass(frozen=True, slots=True)
class AnswerFile:
    """A file that is a part of an answer."""

    #: As the provider tells it.
    path: str
    #: The MIME type, when the provider tells.
    media_type: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a provider said, in milliseconds and US dollars. None stands for what it did not measure: nothing here is guessed."""

    text: str
    duration_ms: float | None = None
    tokens: Tokens | None = None
    #: US dollars.
    cost_usd: float | None = None
    #: The tools that were called, in order; None when the provider keeps no record of them.
    tool_uses: tuple[ToolUse, ...] | None = None
    llm_calls: int | None = None
    #: The name of the model, as the provider gives it.
    model: str = ""
    #: Files beside the text, in their order.
    files: tuple[AnswerFile, ...] = ()
    #: A unified diff of what the target changed in its workspace.
    file_changes: str = ""
    #: Name and identity of the target that answered, when it was not the one that was asked first.
    stand_in: tuple[str, str] | None = None
    #: What its author should know about how it was read; empty when there is nothing to say.
    note: str = ""
    #: The messages of the reply, with `role`, `content`, `tool_calls` and what was measured; None when the target tells only a text.
    messages: tuple[Mapping[str, Any], ...] | None = None
    #: When the target began and ended, in ISO 8601; empty when it is not known.
    start_time: str = ""
    end_time: str = ""
    #: What `text` is the JSON of, where the target gave data and no text; None for a text.
    data: Any = None
    #: When it was given, in ISO 8601, where it is one of an earlier run, so that nobody was asked; empty for a new one.
    cached_at: str = ""
    #: Why it ended, in the words of the provider; empty when that does not tell.
    finish_reason: str = ""
    #: What the provider reports beside all this, in its own words: log probabilities, metadata and such; None where it cannot.
    reported: Mapping[str, Any] | None = None


class ProviderError(Exception):
    """A provider that gave no answer; the message is one sentence for the author of the suite."""


class Provider(Protocol):
    """Something that answers: a target, or a judge."""

    @property
    def name(self) -> str:
        """The name of the target."""

    @property
    def kind(self) -> str:
        """Which kind of provider it is: openai, cli, mock and so on."""

    @property
    def identity(self) -> str:
        """Kind and model, without address or secrets: what makes two judges the same judge."""

    async def ask(self, request: Request) -> Answer:
        """One answer. Raises ProviderError; cancelling ends the request or the program at once."""


class Files(Protocol):
    """The files beside a suite."""

    def read(self, path: Path, limit: int | None = None) -> bytes:
        """The content of a file. Raises OSError, also when it is longer than `limit` bytes."""

    def is_file(self, path: Path) -> bool:
        """Whether there is a file to read."""

    def is_directory(self, path: Path) -> bool:
        """Whether there is a directory."""

    def names(self, path: Path) -> tuple[str, ...]:
        """The names in a directory, sorted; none when there is no such directory."""


class Clock(Protocol):
    """Time."""

    def now(self) -> datetime:
        """The time of day, with its zone."""

    def seconds(self) -> float:
        """Seconds from some fixed moment on; never goes back."""

    async def sleep(self, seconds: float) -> None:
        """Wait."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program to run: no shell unless `argv` names one."""

    argv: tuple[str, ...]
    cwd: Path
    stdin: bytes = b""
    #: Variables on top of the filtered environment.
    environment: Mapping[str, str] = field(default_factory=dict)
    #: Seconds.
    time_limit: float = 60.0
    #: Bytes, for standard output and standard error each.
    output_limit: int = 10_000_000


@dataclass(frozen=True, slots=True)
class Finished:
    """A program that ended, or was ended."""

    #: Negative when a signal ended it.
    exit_code: int
    stdout: bytes
    stderr: bytes
    seconds: float
    #: Which limit ended it, if one did.
    stopped: Literal["", "time", "output"] = ""


class Processes(Protocol):
    """Programs, each in a process group of its own that never outlives the call."""

    async def run(self, program: Program) -> Finished:
        """Run to the end. Raises OSError when it cannot be started; cancelling kills the whole group at once."""


class NetworkError(Exception):
    """No reply came; the message says why in a few words ("connection to 127.0.0.1:11434 refused")."""

    def __init__(self, message: str, *, transient: bool = False) -> None:
        super().__init__(message)
        #: Whether the same request may well succeed at once.
        self.transient = transient


@dataclass(frozen=True, slots=True)
class HttpReply:
    """What a server said."""

    status: int
    #: Names in lower case.
    headers: Mapping[str, str]
    body: bytes


class Http(Protocol):
    """The network."""

    async def post(
        self, url: str, headers: Mapping[str, str], body: bytes, *, time_limit: float, size_limit: int
    ) -> HttpReply:
        """One request. Raises NetworkError when there is no whole reply within the limits (seconds, bytes)."""

    async def get(self, url: str, *, time_limit: float, size_limit: int) -> HttpReply:
        """As `post`, for a request without a body."""

    async def request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, *, time_limit: float, size_limit: int
    ) -> HttpReply:
        """As `post`, with any method."""


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything outside, in one hand."""

    files: Files
    clock: Clock
    processes: Processes
    http: Http
    #: Environment variables; only those that a suite or a target names are looked at.
    environment: Mapping[str, str]
    #: Where patterns and templates of suites are computed.
    sandbox: Sandbox = field(default_factory=Sandbox)
