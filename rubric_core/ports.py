"""The outside world of a run as protocols: files, time, programs, the network, models. `adapters` implements them."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from os import DirEntry
from pathlib import Path
from typing import Any, BinaryIO, Literal, Protocol

from rubric_core.disk_directories import DiskDirectories
from rubric_core.file_access import Files
from rubric_core.lazy_compilation import dataclass, field
from rubric_core.sandbox.process import Sandbox

__all__ = [
    "Answer", "AnswerFile", "ChatMessage", "Clock", "Directories", "Files", "Finished", "Http", "HttpReply", "NetworkError", "Ports", "Processes", "Program",
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
    """The content of a provider's request: messages to a model, or the command line of a program."""

    #: The target that receives it.
    target: str
    messages: tuple[ChatMessage, ...] = ()
    argv: tuple[str, ...] = ()
    #: The program's standard input, and the files that were written for it, each with its name and text.
    stdin: str = ""
    files: tuple[tuple[str, str], ...] = ()
    #: The reason of a retry with the same messages: "429: slow down".
    again: str = ""


def _ignore_payload(_: SentPayload) -> None:
    """Ignore sent payloads: the default of `Request.sent`."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a provider."""

    messages: tuple[ChatMessage, ...]
    #: The whole input as one text, for providers without a list of messages.
    prompt: str
    case_id: str = ""
    #: The number of the try, from 1.
    attempt: int = 1
    files: tuple[Path, ...] = ()
    #: The model to use instead of the provider's own; a provider that cannot change it raises ProviderError.
    model: str | None = None
    #: 0..2, or None to leave it to the provider.
    temperature: float | None = None
    max_output_tokens: int | None = None
    #: A JSON Schema for the answer, with a name; providers without support ignore it.
    schema: tuple[str, Mapping[str, Any]] | None = None
    #: The workspace of the case, for targets that are programs: they run in it.
    workspace: Path | None = None
    #: Variables for targets that are programs: the workspace, and the suite's environment.
    environment: Mapping[str, str] = field(default_factory=dict)
    #: The variables of the case, for code that transforms the answer.
    variables: Mapping[str, Any] = field(default_factory=dict)
    #: Settings of the prompt, for targets that are programs.
    config: Mapping[str, Any] = field(default_factory=dict)
    #: The row of a matrix, for targets that are programs: its prompt as written, its test, and the names of the run.
    row: Mapping[str, Any] = field(default_factory=dict)
    #: Called with every payload before it is sent. A provider that sends nothing never calls it.
    sent: Callable[[SentPayload], None] = field(default=_ignore_payload, repr=False, compare=False)
    #: `prompt` with the paths of files instead of their contents, for programs that open files; empty if it is the
    #: same.
    path_prompt: str = ""
    #: The contents of the files that early releases treat as instructions.
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
    """One tool call of the target."""

    tool: str
    input: Any = None
    output: Any = None
    #: Milliseconds, if the target reports them.
    duration_ms: float | None = None


@dataclass(frozen=True, slots=True)
class AnswerFile:
    """A file in an answer."""

    #: As the provider reports it.
    path: str
    #: The MIME type, if the provider reports it.
    media_type: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a provider. Durations are milliseconds, costs US dollars; None means not measured, never estimated."""

    text: str
    duration_ms: float | None = None
    tokens: Tokens | None = None
    #: US dollars.
    cost_usd: float | None = None
    #: The tool calls, in order; None if the provider keeps no record of them.
    tool_uses: tuple[ToolUse, ...] | None = None
    llm_calls: int | None = None
    #: The name of the model, as the provider reports it.
    model: str = ""
    #: Files besides the text, in order.
    files: tuple[AnswerFile, ...] = ()
    #: A unified diff of the target's changes in its workspace.
    file_changes: str = ""
    #: Name and identity of the target that answered, if it was not the one that was called first.
    stand_in: tuple[str, str] | None = None
    #: A note for the author about how the answer was read; empty without one.
    note: str = ""
    #: The messages of the reply, with `role`, `content`, `tool_calls` and measurements; None if the target gives only a
    #: text.
    messages: tuple[Mapping[str, Any], ...] | None = None
    #: When the target began and ended, in ISO 8601; empty if unknown.
    start_time: str = ""
    end_time: str = ""
    #: The data whose JSON is `text`, if the target returned data; None for a text.
    data: Any = None
    #: When a cached answer of an earlier run was given, in ISO 8601; empty for a new one.
    cached_at: str = ""
    #: Why the answer ended, in the provider's words; empty if not reported.
    finish_reason: str = ""
    #: Further data of the provider's report: log probabilities, metadata and so on; None without any.
    reported: Mapping[str, Any] | None = None


class ProviderError(Exception):
    """A provider gave no answer. The message is one sentence for the author of the suite."""


class Provider(Protocol):
    """Answers requests: a target or a judge."""

    @property
    def name(self) -> str:
        """The name of the target."""

    @property
    def kind(self) -> str:
        """The kind of provider: openai, cli, mock and so on."""

    @property
    def identity(self) -> str:
        """Kind and model, without address or secrets: judges with the same identity count as the same."""

    async def ask(self, request: Request) -> Answer:
        """Send a request and return the answer. Raises ProviderError. Cancellation ends the request or the program at once."""


class Clock(Protocol):
    """Tells the time, and waits."""

    def now(self) -> datetime:
        """The current date and time, with a time zone."""

    def seconds(self) -> float:
        """A monotonic clock, in seconds."""

    async def sleep(self, seconds: float) -> None:
        """Wait for that many seconds."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program to run, without a shell unless `argv` names one."""

    argv: tuple[str, ...]
    cwd: Path
    stdin: bytes = b""
    #: Variables on top of the filtered environment.
    environment: Mapping[str, str] = field(default_factory=dict)
    #: Seconds.
    time_limit: float = 60.0
    #: Bytes, for standard output and standard error each.
    output_limit: int = 10_000_000
    #: The file that the system starts instead of looking `argv[0]` up; `argv[0]` stays the program's own name for itself.
    executable: str = ""
    #: What `argv` hides: inline code, or `file:function`, or `module:function from FOLDER`. Empty if `argv` tells all.
    says: str = ""
    #: The number of arguments at the end that only hand over data of the case, as JSON.
    data: int = 0


@dataclass(frozen=True, slots=True)
class Finished:
    """The outcome of a program that ended or was stopped."""

    #: Negative when a signal ended it.
    exit_code: int
    stdout: bytes
    stderr: bytes
    seconds: float
    #: The limit that ended it, if any.
    stopped: Literal["", "time", "output"] = ""


class Processes(Protocol):
    """Runs programs, each in its own process group, which never outlives the call."""

    async def run(self, program: Program) -> Finished:
        """Run a program until it ends. Raises OSError if it cannot be started. Cancellation kills the whole group at once."""

    async def serve(self, program: Program) -> Finished:
        """The reply of a program that serves many: a line, on standard output, to the message that is its `stdin`.

        The program stays, and gets the next message for the same program; it writes a first line when it is ready, and
        its standard error is that of this process. `time_limit` is that of one message. A program that ends, or has no
        reply in time, is not used again. Otherwise like `run`.
        """


class NetworkError(Exception):
    """No reply came. The message says why: "connection to 127.0.0.1:11434 refused"."""

    def __init__(self, message: str, *, transient: bool = False, timed_out: bool = False) -> None:
        super().__init__(message)
        #: Whether the time limit passed before a message came back over a WebSocket.
        self.timed_out = timed_out
        #: Whether the same request may succeed if it is repeated at once.
        self.transient = transient


@dataclass(frozen=True, slots=True)
class HttpReply:
    """The reply of an HTTP server."""

    status: int
    #: Names in lower case.
    headers: Mapping[str, str]
    body: bytes


class Http(Protocol):
    """Sends HTTP requests, and messages over WebSockets. Follows no redirect."""

    async def post(
        self, url: str, headers: Mapping[str, str], body: bytes, *, time_limit: float, size_limit: int
    ) -> HttpReply:
        """Send a POST request. Raises NetworkError if there is no complete reply within the limits (seconds, bytes)."""

    async def get(self, url: str, *, time_limit: float, size_limit: int) -> HttpReply:
        """Send a GET request; otherwise like `post`."""

    async def request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, *, time_limit: float, size_limit: int
    ) -> HttpReply:
        """Send a request with any method; otherwise like `post`."""

    async def exchange(
        self,
        url: str,
        headers: Mapping[str, str],
        message: str,
        protocols: Sequence[str],
        *,
        time_limit: float,
        size_limit: int,
    ) -> str | bytes:
        """Open a WebSocket that speaks one of the protocols, send a message, and return the first that comes back.

        That is bytes if it is binary. Raises NetworkError without one within the limits (seconds, bytes).
        """


class Directories(Protocol):
    """The directories in which programs of a run work: scratch directories, and workspaces. Each raises OSError."""

    def create(self, prefix: str) -> Path:
        """A new empty directory for temporary files, whose name begins with the prefix."""

    def make(self, path: Path) -> None:
        """Make a directory in such a directory."""

    def write(self, path: Path, content: bytes) -> None:
        """Write a file in such a directory."""

    def entries(self, path: Path) -> "list[DirEntry[str]]":
        """What is in a directory, by name."""

    def open(self, path: Path) -> BinaryIO:
        """A file, to be read piece by piece."""

    def copy(self, source: Path, target: Path) -> None:
        """Copy a directory into another, which may exist, without results of rubric.

        Links stay links; relative ones that lead out of the directory become absolute.
        """

    def links(self, path: Path, roots: Sequence[Path]) -> Mapping[Path, Path]:
        """What of a directory leads out of it: links with the files and directories to which they lead.

        In directories behind links that are below `roots`, that is every link out of those, and every file of variables.
        """

    def copy_file(self, source: Path, target: Path) -> None:
        """Copy a file or a link in place of another."""

    def remove(self, path: Path) -> None:
        """Remove a file, or a directory with everything in it, whatever a program did to its permissions."""


@dataclass(frozen=True, slots=True)
class Ports:
    """The outside world of a run: all ports together."""

    files: Files
    clock: Clock
    processes: Processes
    http: Http
    #: Environment variables; only those that a suite or target names are read.
    environment: Mapping[str, str]
    directories: Directories = field(default_factory=DiskDirectories)
    #: Evaluates the patterns and templates of suites.
    sandbox: Sandbox = field(default_factory=Sandbox)
    #: The address of the proxy through which `http` requests a URL; empty without one.
    proxy_of: Callable[[str], str] = lambda _: ""
