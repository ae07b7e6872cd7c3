"""Runs the program of a target: its directory, its environment, and its errors in a sentence."""

import re
from collections.abc import Mapping
from pathlib import Path

from rubric_core.evaluation.code.commands import ProgramError, ended_words, failure_words, last_words, run_program
from rubric_core.evaluation.model.redaction import seal
from rubric_core.evaluation.targets.providers.base import TargetLocation
from rubric_core.lazy_compilation import dataclass
from rubric_core.ports import Finished, Ports, Program, ProviderError, Request, SentPayload

__all__ = ["LONGEST_ARGUMENT", "ProgramRunner"]

#: Bytes; systems refuse longer arguments.
LONGEST_ARGUMENT = 120_000
_OUTPUT_LIMIT = 20_000_000
#: The places in a Python traceback, and the files in it that belong to Python or to packages.
_FRAME = re.compile(r'^  File "([^"\n]+)", line (\d+)', re.MULTILINE)
_INSTALLED = re.compile(r"[/\\](?:site-packages|dist-packages|lib[/\\]python[\d.]+|Python[\d.]*[/\\]Lib)[/\\]|^<")
#: The messages of Python and Node.js for a script that does not exist.
_NO_PYTHON_SCRIPT = re.compile(r"can't open file '(.{1,300}?)': \[Errno 2\]")
_NO_NODE_SCRIPT = re.compile(r"^Error: Cannot find module '(.{1,300}?)'$", re.MULTILINE)
_MESSAGE = 400
_NO_FILES: Mapping[str, str] = {}


def traceback_words(error: str) -> str:
    """A Python traceback as its last place in the author's own code, and the error; empty without one."""
    _, begun, frames = error.rpartition("Traceback (most recent call last):")
    lines = [line for line in frames.splitlines() if line.strip()]
    message = next((line for line in lines if not line.startswith(" ")), "")
    places = _FRAME.findall(frames)
    if not begun or not message or not places:
        return ""
    own = [place for place in places if not _INSTALLED.search(place[0])] or places
    file, line = own[-1]
    return f"{file}:{line}: {message[:_MESSAGE]}"


def _missing_script(error: str) -> str:
    """The path of the script that Python or Node.js was given and did not find; empty where something else failed."""
    found = _NO_PYTHON_SCRIPT.search(error)
    if found is None and (found := _NO_NODE_SCRIPT.search(error)) and "requireStack: []" not in error[found.end() :]:
        return ""  # a module that the script asks for
    return found[1] if found is not None else ""


@dataclass(frozen=True)
class ProgramRunner:
    """Runs the program of one target."""

    place: TargetLocation
    ports: Ports
    #: Seconds.
    limit: float
    cwd: str | None
    #: The setting that has the program, for messages.
    setting: str = "command"
    #: What to do when the program does not exist.
    remedy: str = ""

    def directory(self, request: Request) -> Path:
        """Its working directory: the workspace of the case, else that of its settings, else that of the suite."""
        if request.workspace is not None:
            return request.workspace
        return (self.place.directory / (self.cwd or ".")).resolve()

    async def finished(
        self,
        argv: tuple[str, ...],
        request: Request,
        stdin: bytes = b"",
        files: Mapping[str, str] = _NO_FILES,
        says: str = "",
        data: int = 0,
        **variables: str,
    ) -> Finished:
        """Run the program to its end; `files` were written for it. Raises ProviderError when it does not end on its own.

        For `says` and `data` see `Program`.
        """
        environment = {**self.place.environment, **request.environment, **variables}
        program = Program(
            argv, self.directory(request), stdin, environment, self.limit, _OUTPUT_LIMIT, says=says, data=data
        )
        request.sent(
            SentPayload(self.place.name, argv=argv, stdin=stdin.decode("utf-8", "replace"), files=tuple(files.items()))
        )
        where = self.place.where(self.setting)
        try:
            return await run_program(program, seal(self.ports, self.place.redact).processes)
        except ProgramError as error:
            if error.took_too_long:
                where = self.place.where("timeout_seconds")
            words = "the prompt is too long for a command line; use {PROMPT_FILE}" if error.too_long else f"{error}"
            raise ProviderError(f"{words}{self.remedy if error.missing else ''} ({where})") from None

    def failed(self, finished: Finished, said: str = "") -> ProviderError:
        """The error of a program that failed; `said` is its own message."""
        error = finished.stderr.decode("utf-8", "replace")
        if missing := _missing_script(error):
            path = self.place.redact(missing)
            return ProviderError(f"the script {path} does not exist ({self.place.where(self.setting)})")
        words = last_words(self.place.redact(said).encode("utf-8", "replace")) if said else traceback_words(error)
        words = words or failure_words(finished)
        place = self.place.where(self.setting)
        return ProviderError(f"the command {ended_words(finished.exit_code)}{f': {words}' if words else ''} ({place})")
