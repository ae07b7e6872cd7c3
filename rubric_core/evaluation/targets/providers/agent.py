"""Agents on the command line: each is called once, without a terminal, and reports its steps as JSON lines."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from rubric_core.evaluation.code.scratch import Scratch, scratch_directory
from rubric_core.evaluation.model.trace import iso_time
from rubric_core.evaluation.targets.providers.answer_reader import objects
from rubric_core.evaluation.targets.providers.base import ProviderKind, TargetLocation
from rubric_core.evaluation.targets.providers.program import ProgramRunner
from rubric_core.language.providers import CommandAgent
from rubric_core.lazy_compilation import dataclass, replace
from rubric_core.ports import Answer, Finished, Ports, ProviderError, Request, ToolUse

__all__ = ["AgentError", "Dialogue", "Invocation", "ToolLog", "agent_kind"]

S = TypeVar("S", bound=CommandAgent)

#: Agents need minutes where models need seconds.
_TIMEOUT = 600.0
_REMEDY = "; install it, or set `executable` to its path"
_WHY = "rubric does not write agent logs; the result contains what the agent did"
#: Settings of every agent that rubric accepts but ignores.
_UNUSED_LOGS: Mapping[str, str] = dict.fromkeys(
    ("log_dir", "log_directory", "log_format", "log_output_format", "stream_log"), _WHY
)


class AgentError(ValueError):
    """A failure that an agent reported itself."""


class Invocation(NamedTuple):
    """The command line and the input of the program for one request."""

    arguments: Sequence[str]
    stdin: str = ""


class Dialogue(Protocol):
    """The parts that are specific to one program."""

    def invocation(self, request: Request, scratch: Scratch, *, by_schema: bool) -> Invocation:
        """Its arguments. Raises ProviderError for a request that it does not support."""

    def answer(self, events: Sequence[Mapping[str, Any]]) -> Answer | None:
        """The answer in its output, None without one. Raises AgentError when it reports a failure."""


@dataclass
class Agent:
    """A program that works on a task autonomously."""

    name: str
    kind: str
    model: str
    program: tuple[str, ...]
    runs: ProgramRunner
    dialogue: Dialogue
    #: Whether this version of the program turned out not to support schemas.
    _plain: bool = False

    @property
    def identity(self) -> str:
        return f"{self.kind}:{self.model}" if self.model else f"{self.kind}:{self.name}"

    async def ask(self, request: Request) -> Answer:
        by_schema = request.schema is not None and not self._plain
        clock = self.runs.ports.clock
        began = iso_time(clock.now())
        finished = await self._run(request, by_schema=by_schema)
        if by_schema and finished.exit_code and b"schema" in finished.stderr + finished.stdout:
            finished = await self._run(request, by_schema=False)
            self._plain = not finished.exit_code
        said = finished.stdout.decode("utf-8", "replace")
        try:
            answer = self.dialogue.answer(objects(said))
        except AgentError as error:
            if finished.exit_code:
                raise self.runs.failed(finished, str(error)) from None
            place = self.runs.place
            raise ProviderError(f"{self.kind} failed: {place.redact(str(error))} ({place.where('')})") from None
        if finished.exit_code:
            raise self.runs.failed(finished)
        if answer is None:
            start = " ".join(said.split())[:120]
            found = f"it printed {start!r}" if start else "it printed nothing"
            raise ProviderError(f"{self.kind} gave no answer: {found} ({self.runs.place.where(self.runs.setting)})")
        took = finished.seconds * 1000 if answer.duration_ms is None else answer.duration_ms
        ended, model = iso_time(clock.now()), answer.model or self.model
        return replace(answer, duration_ms=took, model=model, start_time=began, end_time=ended)

    async def _run(self, request: Request, *, by_schema: bool) -> Finished:
        with scratch_directory(self.runs.ports.directories) as scratch:
            made = self.dialogue.invocation(request, scratch, by_schema=by_schema)
            stdin = made.stdin.encode("utf-8", "replace")
            return await self.runs.finished((*self.program, *made.arguments), request, stdin)


def agent_kind(
    names: tuple[str, ...],
    settings: type[S],
    program: str,
    dialogue: Callable[[S, TargetLocation, tuple[str, ...]], Dialogue],
    environment: tuple[str, ...],
    keys: Callable[[S], Mapping[str, str]] = lambda _: {},
) -> ProviderKind[S]:
    """The kind of one agent.

    Args:
        names: Its names, the usual one first.
        settings: The shape of its settings.
        program: The usual name of its program.
        dialogue: Makes its dialogue from its settings, its location and the extra arguments that they name.
        environment: The variables with which the program identifies its user.
        keys: Further variables, of its settings.
    """

    def make(written: S, place: TargetLocation, ports: Ports) -> Agent:
        place = replace(place, environment={**place.environment, **keys(written)})
        setting = next((s for s in ("command", "executable", "binary") if written.has(s)), "")
        runs = ProgramRunner(place, ports, written.timeout_seconds or _TIMEOUT, written.cwd, setting, _REMEDY)
        spoken = dialogue(written, place, _arguments(written, place))
        return Agent(
            place.name, names[0], written.model or place.model, _program(written, place, program), runs, spoken
        )

    return ProviderKind(names, settings, make, unused=_UNUSED_LOGS, program=program, environment=environment)


def _program(settings: CommandAgent, place: TargetLocation, usual: str) -> tuple[str, ...]:
    single = settings.executable or settings.binary
    if single:
        return (single,)
    command = settings.command
    if command is None:
        return (usual,)
    return _words(command, place, "command") or (usual,)


def _arguments(settings: CommandAgent, place: TargetLocation) -> tuple[str, ...]:
    """The extra arguments that the target sets. Raises ValueError for unclosed quotes."""
    name = "args" if settings.args is not None else "arguments"
    return _words(settings.args if settings.args is not None else settings.arguments or (), place, name)


def _words(written: str | Sequence[str], place: TargetLocation, name: str) -> tuple[str, ...]:
    if not isinstance(written, str):
        return tuple(written)
    try:
        return tuple(shlex.split(written))
    except ValueError as error:
        raise ValueError(f"{name}: {str(error).lower()} ({place.where(name)})") from None


class ToolLog:
    """The tool calls of an agent, in order, each with its outcome."""

    def __init__(self) -> None:
        self._calls: dict[str, ToolUse] = {}

    def called(self, name: str, tool: str, given: Any) -> None:
        """The call with that id starts."""
        self._calls.setdefault(name or f"#{len(self._calls)}", ToolUse(tool, given))

    def done(self, name: str, output: Any) -> None:
        """The call with that id has ended."""
        known = self._calls.get(name)
        if known is not None:
            self._calls[name] = replace(known, output=output)

    @property
    def uses(self) -> tuple[ToolUse, ...]:
        """All of them."""
        return tuple(self._calls.values())
