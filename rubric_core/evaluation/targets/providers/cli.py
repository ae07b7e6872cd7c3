"""A target that is a command: the prompt goes in by placeholders, the answer comes out on standard output or in a file."""

import asyncio
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from rubric_core.evaluation.code.commands import ended_words, failure_words
from rubric_core.evaluation.code.scratch import Scratch, scratch_directory
from rubric_core.evaluation.targets.providers.base import ProviderKind, TargetLocation
from rubric_core.evaluation.targets.providers.cli_reply import answer_in, answer_in_batch
from rubric_core.evaluation.targets.providers.program import LONGEST_ARGUMENT, ProgramRunner
from rubric_core.language.providers import Cli, Healthcheck
from rubric_core.lazy_compilation import dataclass, field
from rubric_core.ports import Answer, Finished, NetworkError, Ports, ProviderError, Request

__all__ = ["CLI"]

# ${HOME} is the shell's, not ours.
_PLACEHOLDER = re.compile(r"(?<!\$)\{([A-Z][A-Z_]*)\}")
_KNOWN = ("PROMPT", "PROMPT_FILE", "EVAL_ID", "ATTEMPT", "FILES", "OUTPUT_FILE", "GUIDELINES")
_OUTPUT_LIMIT = 20_000_000
_TIMEOUT = 120.0
_HEALTH_TIMEOUT = 10.0
_HEALTH_SIZE = 1_000_000


@dataclass
class _Cli:
    name: str
    settings: Cli
    place: TargetLocation
    ports: Ports
    runs: ProgramRunner
    kind: str = "cli"
    _checking: asyncio.Lock = field(default_factory=asyncio.Lock)
    #: The result of the health check; None before it ran.
    _sick: str | None = None

    @property
    def identity(self) -> str:
        return f"cli:{self.name}"

    async def ask(self, request: Request) -> Answer:
        await self._healthy(request)
        with scratch_directory(self.ports.directories, keep=bool(self.settings.keep_temp_files)) as scratch:
            output = scratch.path / "output"
            argv, files = (
                self._argv(self.settings.command or "", request, scratch, output),
                self._written_files(request),
            )
            finished = await self.runs.finished(argv, request, files=files)
            return self._answer(self._read_answer(finished, output), finished, request)

    async def _healthy(self, request: Request) -> None:
        """Raises ProviderError when the health check fails; it runs once, before the first case."""
        check = self.settings.healthcheck
        if check is None:
            return
        async with self._checking:
            if self._sick is None:
                self._sick = await self._found_sick(check, request)
        if self._sick:
            place = self.place.where("healthcheck")
            raise ProviderError(f"the health check failed, so it is not called: {self._sick} ({place})")

    async def _found_sick(self, check: Healthcheck, request: Request) -> str:
        limit = check.timeout_seconds or _HEALTH_TIMEOUT
        if check.url:
            try:
                reply = await self.ports.http.get(check.url, time_limit=limit, size_limit=_HEALTH_SIZE)
            except NetworkError as error:
                return self.place.redact(str(error))
            return "" if reply.status < 400 else f"{self.place.redact(check.url)} replied {reply.status}"
        if not check.command:
            return "it has neither `url` nor `command`"
        runs = ProgramRunner(self.place, self.ports, limit, check.cwd or self.settings.cwd, "healthcheck")
        # It belongs to no case: it has neither a question nor a workspace.
        asked = Request((), "", case_id="healthcheck", environment=request.environment)
        try:
            with scratch_directory(self.ports.directories) as scratch:
                argv = self._argv(check.command, asked, scratch, scratch.path / "output")
                finished = await runs.finished(argv, asked)
        except ProviderError as error:
            return str(error)
        if finished.exit_code == 0:
            return ""
        error_text = failure_words(finished)
        return f"{ended_words(finished.exit_code)}{f': {error_text}' if error_text else ''}"

    def _written_files(self, request: Request) -> Mapping[str, str]:
        """The files that were written for the command."""
        prompt = request.path_prompt or request.prompt
        return {"{PROMPT_FILE}": prompt} if "{PROMPT_FILE}" in str(self.settings.command) else {}

    def _argv(self, command: str | Sequence[str], request: Request, scratch: Scratch, output: Path) -> tuple[str, ...]:
        values = self._values(request, scratch, output, command)
        if isinstance(command, str):
            return ("sh", "-c", _PLACEHOLDER.sub(lambda m: values[m[1]][0], command))
        argv: list[str] = []
        for part in command:
            whole = _PLACEHOLDER.fullmatch(part)
            argv += values[whole[1]][1] if whole else [_PLACEHOLDER.sub(lambda m: " ".join(values[m[1]][1]), part)]
        return tuple(argv)

    def _values(
        self, request: Request, scratch: Scratch, output: Path, command: str | Sequence[str]
    ) -> Mapping[str, tuple[str, list[str]]]:
        """For each placeholder, its value quoted for a shell, and as arguments."""
        used = set(_PLACEHOLDER.findall(command if isinstance(command, str) else " ".join(command)))
        prompt = request.path_prompt or request.prompt
        place = self.place.where("command")
        if "PROMPT" in used and len(prompt.encode("utf-8", "replace")) > LONGEST_ARGUMENT:
            raise ProviderError(f"the prompt is too long for a command line; use {{PROMPT_FILE}} ({place})")
        if "PROMPT" in used and "\0" in prompt:
            raise ProviderError(
                f"the prompt has a NUL character, which no argument can have; use {{PROMPT_FILE}} ({place})"
            )
        if "PROMPT_FILE" in used:
            scratch.write("prompt.txt", prompt)
        single = {
            "PROMPT": prompt, "PROMPT_FILE": str(scratch.path / "prompt.txt"), "EVAL_ID": request.case_id,
            "ATTEMPT": str(request.attempt - 1), "OUTPUT_FILE": str(output), "GUIDELINES": request.guidelines,
        }  # fmt: skip
        files = [f for path in request.files for f in self._file(path)]
        values = {name: (shlex.quote(value), [value]) for name, value in single.items()}
        return {**values, "FILES": (" ".join(map(shlex.quote, files)), files)}

    def _file(self, path: Path) -> list[str]:
        """One file by `files_format`; its words become separate arguments."""
        return [
            w.replace("{path}", str(path)).replace("{basename}", path.name)
            for w in shlex.split(self.settings.files_format)
        ]

    def _read_answer(self, finished: Finished, output: Path) -> str:
        if finished.exit_code:
            raise self.runs.failed(finished)
        if "{OUTPUT_FILE}" not in str(self.settings.command):
            return finished.stdout.decode("utf-8", "replace").strip("\r\n")
        where = self.place.where("command")
        try:
            written = self.ports.files.read(output, _OUTPUT_LIMIT).decode("utf-8", "replace")
        except FileNotFoundError:
            raise ProviderError(f"the command did not write {{OUTPUT_FILE}} ({where})") from None
        except OSError as error:
            raise ProviderError(f"its {{OUTPUT_FILE}} cannot be read: {error.strerror or error} ({where})") from None
        return written.replace("\r\n", "\n")

    def _answer(self, text: str, finished: Finished, request: Request) -> Answer:
        """The answer in the output of the command. Raises ProviderError for a batch without an answer for the case."""
        took = finished.seconds * 1000
        if getattr(self.settings, "provider_batching", False) is not True:
            return answer_in(text, took)
        try:
            return answer_in_batch(text, request.case_id, took)
        except LookupError:
            where = self.place.where("provider_batching")
            raise ProviderError(f"its reply has no line with the id {request.case_id} ({where})") from None


def _make(settings: Cli, place: TargetLocation, ports: Ports) -> _Cli:
    command = settings.command if isinstance(settings.command, str) else " ".join(settings.command or ())
    if not command.strip():
        raise ValueError(f"cli targets need `command` ({place.where('')})")
    unknown = [name for name in _PLACEHOLDER.findall(command) if name not in _KNOWN]
    if unknown:
        raise ValueError(
            f"{{{unknown[0]}}} is not a placeholder; there are {', '.join(f'{{{k}}}' for k in _KNOWN[:-1])} ({place.where('command')})"
        )
    try:
        shlex.split(settings.files_format)
    except ValueError as error:
        raise ValueError(f"files_format: {str(error).lower()} ({place.where('files_format')})") from None
    runs = ProgramRunner(place, ports, settings.timeout_seconds or _TIMEOUT, settings.cwd)
    return _Cli(place.name, settings, place, ports, runs)


CLI = ProviderKind(
    ("cli",), Cli, _make, unused={"verbose": "rubric shows the command's standard error only when it fails"}
)
