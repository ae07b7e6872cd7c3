"""The programs of a suite: starting them, their input, and their errors."""

import errno
import json
import os
import shlex
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rubric_core.disk import open_file
from rubric_core.evaluation.model.unscored import GraderError
from rubric_core.language.shape import Shape
from rubric_core.loading.reference_collector import is_script
from rubric_core.ports import Finished, Ports, Processes, Program
from rubric_core.program_lookup import find_program

__all__ = [
    "ProgramError",
    "argv_of",
    "command_words",
    "ended_words",
    "failure_words",
    "json_input",
    "last_words",
    "not_found",
    "program_argv",
    "program_output",
    "run_program",
    "shown_argv",
]  # fmt: skip

#: A shell adds this to the signal in the exit code of a program that a signal ended.
_BY_SIGNAL = 128
#: The exit codes of a shell for a command that is not executable, or not found.
_BY_SHELL = (126, 127)
_FIRST_LINE = 200
#: The keys for the reason of a failure in JSON reports: lists of checks, and single texts.
_CHECKS = ("assertions", "checks", "misses", "errors", "issues")
_REASONS = ("error", "message", "reason", "text")
#: The maximum length of the quoted output of a failed program, in characters.
_QUOTED = 400


class ProgramError(Exception):
    """A program that was ended; the message says why."""

    def __init__(
        self,
        message: str,
        *,
        started: bool = True,
        missing: bool = False,
        too_long: bool = False,
        took_too_long: bool = False,
    ) -> None:
        super().__init__(message)
        #: Whether it was started.
        self.started = started
        #: Whether the command was not found.
        self.missing = missing
        #: Whether its arguments exceeded the system's limit.
        self.too_long = too_long
        #: Whether it timed out.
        self.took_too_long = took_too_long


def argv_of(command: str | Sequence[str], environment: Mapping[str, str]) -> tuple[str, ...]:
    """The arguments of a command: a list unchanged, a string through a login shell, as AgentV runs it.

    The shell reads the user's profile, which may reset PATH; the directories of the PATH in `environment`, the variables
    that the program gets, stay first.
    """
    if not isinstance(command, str) or sys.platform == "win32":
        return shown_argv(command)
    path = shlex.quote(environment.get("PATH", ""))
    return ("sh", "-lc", f"PATH={path}:$PATH; export PATH\n{command}")


def shown_argv(command: str | Sequence[str]) -> tuple[str, ...]:
    """The arguments of a command for display: without the part that only preserves PATH."""
    if not isinstance(command, str):
        return tuple(command)
    return tuple(shlex.split(command)) if sys.platform == "win32" else ("sh", "-lc", command)


def command_words(command: str | Sequence[str]) -> str:
    """A command for display."""
    return command if isinstance(command, str) else shlex.join(command)


def json_input(value: Any) -> bytes:
    """The JSON for the standard input of a program."""
    return json.dumps(value, ensure_ascii=False, default=str).encode("utf-8", "replace")


async def run_program(program: Program, processes: Processes, *, serve: bool = False) -> Finished:
    """Run the program to its end, or to its reply with `serve`. Raises ProgramError when it cannot be started or exceeds its limits."""
    try:
        finished = await (processes.serve(program) if serve else processes.run(program))
    except OSError as error:
        missing = isinstance(error, FileNotFoundError) and program.cwd.is_dir()
        too_long = error.errno == errno.E2BIG
        raise ProgramError(_not_started(program, error), started=False, missing=missing, too_long=too_long) from None
    except ValueError:  # Python's own message names no argument
        words = f"{program.argv[0]!r} cannot be started: no argument may have a NUL character"
        raise ProgramError(words, started=False) from None
    if finished.stopped == "time":
        raise ProgramError(f"stopped: it took longer than {program.time_limit:g} s", took_too_long=True)
    if finished.stopped == "output":
        raise ProgramError(f"stopped: it wrote more than {program.output_limit:,} bytes")
    return finished


async def program_output(program: Program, processes: Processes) -> str:
    """The standard output of the program. Raises ProgramError when it fails or writes nothing."""
    finished = await run_program(program, processes)
    text = finished.stdout.decode("utf-8", "replace")
    if not finished.exit_code and text.strip():
        return text
    said = failure_words(finished)
    what = ended_words(finished.exit_code) if finished.exit_code else "printed nothing"
    raise ProgramError(f"{what}{f': {said}' if said else ''}")


def ended_words(code: int) -> str:
    """How a program ended: "ended with exit code 3"."""
    if code < 0:
        return f"was ended by {_signal(-code) or f'signal {-code}'}"
    by_signal = _signal(code - _BY_SIGNAL)
    return f"ended with exit code {code}{f' ({by_signal})' if by_signal else ''}"


def not_found(command: str | Sequence[str], cwd: Path, finished: Finished) -> str:
    """Why a failed command was not run: its shell found no program, or its script does not exist. Empty for neither."""
    if not finished.exit_code:
        return ""
    if isinstance(command, str) and finished.exit_code in _BY_SHELL:
        said = last_words(finished.stderr)
        return f"the shell cannot run it{f': {said}' if said else ''}"
    missing = next((word for word in _words(command) if is_script(word) and not (cwd / word).exists()), None)
    return f"{missing} does not exist in {cwd}" if missing is not None else ""


def _words(command: str | Sequence[str]) -> Sequence[str]:
    try:
        return shlex.split(command) if isinstance(command, str) else command
    except ValueError:
        return ()


def last_words(output: bytes, most: int = _QUOTED) -> str:
    """The end of the output of a program, on one line."""
    return " ".join(output.decode("utf-8", "replace").strip()[-most:].split())


def failure_words(finished: Finished) -> str:
    """Why a program failed, on one line: the reasons in its JSON output, else the end of its output.

    Graders built with AgentV's SDK report their failures on standard output and leave standard error empty.
    """
    said, printed_text = last_words(finished.stderr), finished.stdout.decode("utf-8", "replace").strip()
    try:
        reply = json.loads(printed_text)
    except (ValueError, RecursionError):
        return said or last_words(finished.stdout)
    reasons = "; ".join(dict.fromkeys(_reasons(reply)))[:_QUOTED]
    return "; ".join(part for part in (reasons, said) if part) or last_words(finished.stdout)


def _reasons(value: Any) -> Iterator[str]:
    """The innermost reasons of a failure in a reply; passed checks have none."""
    if isinstance(value, str):
        yield from _in_text(value)
    elif isinstance(value, list):
        for item in value:
            yield from _reasons(item)
    elif isinstance(value, dict) and not (value.get("passed") is True or value.get("pass") is True):
        found = next((value[name] for name in (*_CHECKS, *_REASONS) if value.get(name)), None)
        place = ".".join(map(str, value["path"])) if isinstance(value.get("path"), list) else ""
        yield from (f"{place}: {reason}" if place else reason for reason in _reasons(found))


def _in_text(text: str) -> Iterator[str]:
    """The reasons in a text, which may be followed by JSON with more of them, as schema validators write it."""
    start = min((at for at in map(text.find, "[{") if at >= 0), default=-1)
    try:
        inner = list(_reasons(json.loads(text[start:]))) if start >= 0 else []
    except (ValueError, RecursionError):
        inner = []
    yield " ".join((f"{text[:start].strip()} {'; '.join(inner)}" if inner else text).split())


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return ""


def _not_started(program: Program, error: OSError) -> str:
    name, cwd = program.argv[0], program.cwd
    if not cwd.is_dir():
        return f"the directory {cwd} does not exist"
    file = cwd / name
    # A name without a slash is searched on the PATH, not here.
    here = "/" in name and file.exists()
    if here and file.is_dir():
        return f"{name} is a folder, not a program"
    if isinstance(error, FileNotFoundError):
        hint = "; there is a python3" if name == "python" and find_program("python3", cwd, program.environment) else ""
        return _without_interpreter(name, file) if here else f"command not found: {name}{hint}"
    if isinstance(error, PermissionError) and here and not os.access(file, os.X_OK):
        return f"{name} is not executable; use `chmod +x`"
    if error.errno == errno.ENOEXEC:
        return f"{name} is not a program; a script begins with a line such as #!/bin/sh"
    return f"{name} cannot be started: {error.strerror or error}"


def _without_interpreter(name: str, file: Path) -> str:
    """The reason for an existing script that is "not found": the interpreter in its first line is missing."""
    try:
        with open_file(file) as script:
            first = script.readline(_FIRST_LINE)
    except OSError:
        first = b""
    if first.endswith(b"\r\n"):
        return f"{name} has Windows line breaks, so the interpreter in its first line is not found"
    wanted = (
        first.decode("utf-8", "replace").removeprefix("#!").strip()
        if first.startswith(b"#!")
        else "what it is linked with"
    )
    return f"{name} cannot be started: it needs {wanted}, which is not there"


def program_argv(path: Path, directory: Path, ports: Ports, at: Shape | None) -> list[str]:
    """The arguments that start a program in a directory: with the interpreter for its kind, or directly.

    Raises GraderError without one.
    """
    runners: dict[str, tuple[tuple[str, ...], ...]] = {
        ".py": (("python3",), (sys.executable,)),
        **dict.fromkeys((".js", ".mjs", ".cjs"), (("node",), ("bun",))),
        **dict.fromkeys((".ts", ".mts", ".cts"), (("bun",), ("deno", "run", "-A"), ("tsx",))),
        ".sh": (("sh",),),
        ".rb": (("ruby",),),
    }
    known = runners.get(path.suffix.lower())
    file = str(path.resolve())
    if known is None:
        if not os.access(file, os.X_OK):
            raise GraderError(f"{path.name} is not executable: use `chmod +x`", at=at)
        return [file]
    for name, *arguments in known:
        found = find_program(name, directory, ports.environment)
        if found is not None:
            return [found, *arguments, file]
    raise GraderError(f"{path.name} needs {' or '.join(r[0] for r in known)}, which is not on the PATH", at=at)
