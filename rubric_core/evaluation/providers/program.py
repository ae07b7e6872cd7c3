"""Running the program of a target: where it works, what it may have, and what went wrong in a sentence."""

import signal
from dataclasses import dataclass
from pathlib import Path

from rubric_core.evaluation.evaluators.code import not_started
from rubric_core.evaluation.providers.kind import Place
from rubric_core.ports import Finished, Ports, Program, ProviderError, Request

__all__ = ["LONGEST_ARGUMENT", "Runs", "ended_words"]

#: Bytes; systems refuse longer arguments.
LONGEST_ARGUMENT = 120_000
_OUTPUT_LIMIT = 20_000_000
_SHOWN = 400
_TOO_LONG = 7
_BY_SIGNAL = 128


@dataclass(frozen=True)
class Runs:
    """How the program of one target is run."""

    place: Place
    ports: Ports
    #: Seconds.
    limit: float
    cwd: str | None
    #: The setting that has the program, for messages.
    setting: str = "command"
    #: What to do when the program is not there.
    remedy: str = ""

    def directory(self, request: Request) -> Path:
        """Where it works: as its settings say, else in the workspace of the case, else beside the suite."""
        if self.cwd is None and request.workspace is not None:
            return request.workspace
        return (self.place.directory / (self.cwd or ".")).resolve()

    async def finished(self, argv: tuple[str, ...], request: Request, stdin: bytes = b"", **variables: str) -> Finished:
        """The program, run to its end. Raises ProviderError when it did not get there by itself."""
        environment = {**self.place.environment, **request.environment, **variables}
        program = Program(argv, self.directory(request), stdin, environment, self.limit, _OUTPUT_LIMIT)
        where = self.place.where(self.setting)
        try:
            finished = await self.ports.processes.run(program)
        except (OSError, ValueError) as error:
            raise ProviderError(f"{self._why(error, program)} ({where})") from None
        if finished.stopped == "time":
            raise ProviderError(
                f"stopped, it took longer than {self.limit:g} s ({self.place.where('timeout_seconds')})"
            )
        if finished.stopped == "output":
            raise ProviderError(f"stopped, it wrote more than {_OUTPUT_LIMIT:,} bytes ({where})")
        return finished

    def failed(self, finished: Finished, said: str = "") -> ProviderError:
        """The error of a program that ended badly; `said` is its own word for it."""
        error = self.place.redact((said or finished.stderr.decode("utf-8", "replace")).strip()[-_SHOWN:])
        words = " ".join(error.split())
        place = self.place.where(self.setting)
        return ProviderError(f"the command {ended_words(finished.exit_code)}{f': {words}' if words else ''} ({place})")

    def _why(self, error: Exception, program: Program) -> str:
        if isinstance(error, OSError):
            if error.errno == _TOO_LONG:
                return "the prompt is too long for a command line; use {PROMPT_FILE}"
            missing = isinstance(error, FileNotFoundError) and program.cwd.is_dir()
            return f"{not_started(program.argv, program.cwd, error)}{self.remedy if missing else ''}"
        return f"{program.argv[0]} cannot be started: {error}"


def ended_words(code: int) -> str:
    """How a program ended, as in "ended with exit code 3"."""
    if code < 0:
        return f"was ended by {_signal(-code) or f'signal {-code}'}"
    # A shell gives its own exit code where a signal ended the program.
    by_signal = _signal(code - _BY_SIGNAL)
    return f"ended with exit code {code}{f' ({by_signal})' if by_signal else ''}"


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return ""
