"""Programs that Python or node runs, as a debugger starts them."""

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from rubric_core.disk import open_file
from rubric_core.evaluation.code.scripts import language_of
from rubric_core.language.evaluators import CodeEvaluator, Custom, Evaluator
from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.directory_search import URL
from rubric_core.ports import Program
from rubric_core.program_lookup import find_program

__all__ = ["InterpretedProgram", "can_be_debugged", "interpreted_program"]

Kind = Literal["python", "node"]

_INTERPRETER = pattern(r"(?P<kind>python|node)(?:js)?[\d.]*(?:\.exe)?\Z")
#: The files that a debugger can stop in, also when they are started by their first lines.
_SCRIPT = pattern(r"\.(?:py|[cm]?js)\Z")
#: What only a shell understands, and what begins a command with a variable.
_SHELL = pattern(r"[|&;<>()$`*?~\n]|\A\s*\w+=")
#: Options that are followed by a value, and those that are followed by the program itself.
_WITH_VALUE: Mapping[Kind, tuple[str, ...]] = {
    "python": ("-X", "-W", "--check-hash-based-pycs"),
    "node": ("-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions", "--input-type"),
}
_PROGRAM: Mapping[Kind, tuple[str, ...]] = {"python": ("-c", "-m"), "node": ("-e", "--eval")}
_FIRST_LINE = 200


class InterpretedProgram(NamedTuple):
    """A program that an interpreter runs."""

    kind: Kind
    #: The path of the interpreter.
    runtime: str
    #: Its own options.
    options: tuple[str, ...]
    #: A file, `-m` and a module, or `-c` (`-e` of node) and code; then the arguments of the program.
    arguments: tuple[str, ...]


def can_be_debugged(config: Shape) -> bool:
    """Whether an evaluator is a program in Python or JavaScript with a file to stop in, as far as the suite tells."""
    if isinstance(config, CodeEvaluator):
        return not config.target and _names_interpreter(config.command or ())
    return isinstance(config, Custom) or (isinstance(config, Evaluator) and _is_file(config.grading_code))


def _is_file(code: object) -> bool:
    return isinstance(code, str) and code.startswith(URL) and language_of(code, ruby=True) != "ruby"


def _names_interpreter(command: str | Sequence[str]) -> bool:
    """Whether a command begins with Python or node, or with one of their files. Nothing is looked up."""
    words = _words(command)
    first = os.path.basename(words[0]) if words else ""  # noqa: PTH119  # a name is no path
    return _INTERPRETER.match(first) is not None or _SCRIPT.search(first) is not None


def interpreted_program(program: Program, environment: Mapping[str, str]) -> InterpretedProgram | None:
    """A program as its interpreter is given it; None if neither Python nor node runs it, or only a shell can tell.

    `environment` are the variables with the PATH. Reads the first line of a file that is started by itself.
    """
    words = list(_words(_command(program)))
    if not words:
        return None
    runtime = program.executable if program.argv[0] == words[0] else ""
    runtime = runtime or find_program(words[0], program.cwd, environment) or ""
    kind = _kind_of(words[0])
    if kind is None and runtime:
        script, words = runtime, _first_line(Path(runtime))
        words = words[1:] if words and os.path.basename(words[0]) == "env" else words  # noqa: PTH119  # as above
        words = words[1:] if words[:1] == ["-S"] else words
        kind = _kind_of(words[0]) if words else None
        runtime = find_program(words[0], program.cwd, environment) or "" if words else ""
        words += [script, *list(_words(_command(program)))[1:]]
    if kind is None or not runtime:
        return None
    count = _options(kind, words[1:])
    return (
        None
        if count is None
        else InterpretedProgram(kind, runtime, tuple(words[1 : 1 + count]), tuple(words[1 + count :]))
    )


def _command(program: Program) -> str | Sequence[str]:
    """The command as it is written: without the login shell of `argv_of`."""
    is_shell = (
        program.argv[:2] == ("sh", "-lc") and len(program.argv) == 3 and program.argv[2].startswith("PATH=")
    )  # the shell, its option, the command
    return program.argv[2].partition("\n")[2] if is_shell else program.argv


def _words(command: str | Sequence[str]) -> Sequence[str]:
    if not isinstance(command, str):
        return command
    try:
        return [] if _SHELL.search(command) else shlex.split(command)
    except ValueError:
        return []


def _kind_of(name: str) -> Kind | None:
    found = _INTERPRETER.match(os.path.basename(name))  # noqa: PTH119  # as above
    return None if found is None else "python" if found["kind"] == "python" else "node"


def _first_line(file: Path) -> list[str]:
    """The words after `#!` in the first line of a file."""
    try:
        with open_file(file) as script:
            first = script.readline(_FIRST_LINE)
    except OSError:
        return []
    return first.decode("utf-8", "replace").removeprefix("#!").split() if first.startswith(b"#!") else []


def _options(kind: Kind, words: Sequence[str]) -> int | None:
    """How many words are options of the interpreter; None if no program follows them."""
    at = 0
    while at < len(words):
        word = words[at]
        if word in _PROGRAM[kind]:
            return at if at + 1 < len(words) else None
        if not word.startswith("-"):
            return at
        if word == "-":
            return None
        at += 2 if word in _WITH_VALUE[kind] else 1
    return None
