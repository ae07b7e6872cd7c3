"""A target that is a command: the prompt goes in by placeholders, the answer comes out on standard output or in a file."""

import json
import re
import shlex
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import AliasChoices, Field

from rubric_core.evaluation.evaluators.code import not_started
from rubric_core.evaluation.providers.kind import Common, Place, ProviderKind
from rubric_core.ports import Answer, Finished, Ports, Program, ProviderError, Request, Tokens, ToolUse

__all__ = ["CLI"]

# ${HOME} is the shell's, not ours.
_PLACEHOLDER = re.compile(r"(?<!\$)\{([A-Z][A-Z_]*)\}")
_KNOWN = ("PROMPT", "PROMPT_FILE", "EVAL_ID", "ATTEMPT", "FILES", "OUTPUT_FILE", "GUIDELINES")
_OUTPUT_LIMIT = 20_000_000
#: Bytes; systems refuse longer arguments.
_LONGEST_ARGUMENT = 120_000
_SHOWN = 400


class _Settings(Common):
    command: str | list[str] = Field(validation_alias=AliasChoices("command", "command_template"), min_length=1)
    files_format: str = Field(default="{path}", validation_alias=AliasChoices("files_format", "attachments_format"))
    cwd: str | None = None
    timeout_seconds: float = Field(default=120, gt=0)
    healthcheck: Any = None
    verbose: bool = Field(default=False, validation_alias=AliasChoices("verbose", "cli_verbose"))
    keep_temp_files: bool = Field(default=False, validation_alias=AliasChoices("keep_temp_files", "keep_output_files"))


@dataclass(frozen=True)
class _Cli:
    name: str
    settings: _Settings
    place: Place
    ports: Ports
    kind: str = "cli"

    @property
    def identity(self) -> str:
        return f"cli:{self.name}"

    async def ask(self, request: Request) -> Answer:
        with tempfile.TemporaryDirectory(prefix="rubric-") as scratch:
            output = Path(scratch) / "output"
            program = Program(
                self._argv(request, Path(scratch), output),
                self._cwd(),
                time_limit=self.settings.timeout_seconds,
                output_limit=_OUTPUT_LIMIT,
            )
            try:
                finished = await self.ports.processes.run(program)
            except OSError as error:
                raise ProviderError(f"{self._why(error, program)} ({self.place.where('command')})") from None
            text = self._said(finished, output)
        return _answer(text, finished)

    def _cwd(self) -> Path:
        return (self.place.directory / (self.settings.cwd or ".")).resolve()

    def _why(self, error: OSError, program: Program) -> str:
        return (
            "the prompt is too long for a command line; use {PROMPT_FILE}"
            if error.errno == 7
            else not_started(program.argv, program.cwd, error)
        )

    def _argv(self, request: Request, scratch: Path, output: Path) -> tuple[str, ...]:
        command = self.settings.command
        values = self._values(request, scratch, output, command)
        if isinstance(command, str):
            return ("sh", "-c", _PLACEHOLDER.sub(lambda m: values[m[1]][0], command))
        argv: list[str] = []
        for part in command:
            whole = _PLACEHOLDER.fullmatch(part)
            argv += values[whole[1]][1] if whole else [_PLACEHOLDER.sub(lambda m: " ".join(values[m[1]][1]), part)]
        return tuple(argv)

    def _values(
        self, request: Request, scratch: Path, output: Path, command: str | Sequence[str]
    ) -> Mapping[str, tuple[str, list[str]]]:
        """For each placeholder, its value quoted for a shell, and as arguments."""
        used = set(_PLACEHOLDER.findall(command if isinstance(command, str) else " ".join(command)))
        if "PROMPT" in used and len(request.prompt.encode()) > _LONGEST_ARGUMENT:
            raise ProviderError(
                f"the prompt is too long for a command line; use {{PROMPT_FILE}} ({self.place.where('command')})"
            )
        if "PROMPT_FILE" in used:
            (scratch / "prompt.txt").write_text(request.prompt, encoding="utf-8")
        single = {
            "PROMPT": request.prompt, "PROMPT_FILE": str(scratch / "prompt.txt"), "EVAL_ID": request.case_id,
            "ATTEMPT": str(request.attempt), "OUTPUT_FILE": str(output), "GUIDELINES": "",
        }  # fmt: skip
        files = [f for path in request.files for f in self._file(path)]
        values = {name: (shlex.quote(value), [value]) for name, value in single.items()}
        return {**values, "FILES": (" ".join(map(shlex.quote, files)), files)}

    def _file(self, path: Path) -> list[str]:
        """One file by `files_format`; its words become arguments of their own."""
        return [
            w.replace("{path}", str(path)).replace("{basename}", path.name)
            for w in shlex.split(self.settings.files_format)
        ]

    def _said(self, finished: Finished, output: Path) -> str:
        where = self.place.where("command")
        error = self.place.redact(finished.stderr.decode("utf-8", "replace").strip()[-_SHOWN:])
        if finished.stopped == "time":
            raise ProviderError(
                f"stopped, it took longer than {self.settings.timeout_seconds:g} s ({self.place.where('timeout_seconds')})"
            )
        if finished.stopped == "output":
            raise ProviderError(f"stopped, it wrote more than {_OUTPUT_LIMIT:,} bytes ({where})")
        if finished.exit_code:
            end = (
                f"was ended by signal {-finished.exit_code}"
                if finished.exit_code < 0
                else f"ended with exit code {finished.exit_code}"
            )
            raise ProviderError(f"the command {end}{f': {error}' if error else ''} ({where})")
        if "{OUTPUT_FILE}" not in str(self.settings.command):
            return finished.stdout.decode("utf-8", "replace")
        try:
            return self.ports.files.read(output, _OUTPUT_LIMIT).decode("utf-8", "replace")
        except OSError:
            raise ProviderError(f"the command wrote no {{OUTPUT_FILE}} ({where})") from None


def _answer(text: str, finished: Finished) -> Answer:
    """The answer in what a command wrote: plain text, or JSON that says more about it."""
    took = finished.seconds * 1000
    try:
        told = json.loads(text) if text.lstrip().startswith("{") else None
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict) or not any(name in told for name in ("text", "output", "output_messages")):
        return Answer(text.strip("\r\n"), duration_ms=took)
    output = next(told[n] for n in ("text", "output", "output_messages") if n in told)
    messages = [m for m in output if isinstance(m, dict)] if isinstance(output, list) else told.get("output_messages")
    said = output if isinstance(output, str) else _last_text(messages)
    return Answer(
        said, duration_ms=_number(told.get("duration_ms"), took), tokens=_tokens(told.get("token_usage")),
        cost_usd=_number(told.get("cost_usd"), None), tool_uses=_tool_uses(messages),
    )  # fmt: skip


def _last_text(messages: object) -> str:
    texts = (
        [m["content"] for m in messages if m.get("role", "assistant") == "assistant" and "content" in m]
        if isinstance(messages, list)
        else []
    )
    last = texts[-1] if texts else ""
    return last if isinstance(last, str) else json.dumps(last, ensure_ascii=False)


def _number(value: object, default: float | None) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else default


def _tokens(value: object) -> Tokens | None:
    if not isinstance(value, dict):
        return None
    return Tokens(*(int(_number(value.get(name), 0) or 0) for name in ("input", "output", "cached")))


def _tool_uses(messages: object) -> tuple[ToolUse, ...] | None:
    """The tool calls in a list of messages; None when there is no such list."""
    if not isinstance(messages, list):
        return None
    calls = [c for m in messages if isinstance(m, dict) for c in m.get("tool_calls") or () if isinstance(c, dict)]
    return tuple(
        ToolUse(
            str(c.get("tool", "")),
            c.get("input"),
            c.get("output"),
            _number(c.get("duration_ms", c.get("durationMs")), None),
        )
        for c in calls
    )


def _make(settings: _Settings, place: Place, ports: Ports) -> _Cli:
    command = settings.command if isinstance(settings.command, str) else " ".join(settings.command)
    unknown = [name for name in _PLACEHOLDER.findall(command) if name not in _KNOWN]
    if unknown:
        raise ValueError(
            f"{{{unknown[0]}}} is no placeholder; there are {', '.join(f'{{{k}}}' for k in _KNOWN[:-1])} ({place.where('command')})"
        )
    return _Cli(place.name, settings, place, ports)


CLI = ProviderKind("cli", _Settings, _make)
