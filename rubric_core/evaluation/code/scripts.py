"""Code in a suite, run in its own process: JavaScript by node, Python by python3, Ruby by ruby; expressions, bodies, or files.

The code gets `output`, the answer, and `context`, the payload of grading programs, with `vars` and `config`.
"""

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rubric_core.evaluation.code.commands import ProgramError, json_input, run_program
from rubric_core.evaluation.code.interpreters import Language, interpreter_of
from rubric_core.evaluation.code.payload import script_context
from rubric_core.evaluation.code.script_programs import MARK, NODE, PYTHON, RUBY
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.exchanges import Exchange
from rubric_core.evaluation.model.unscored import GraderError, Unscored
from rubric_core.isolated_python import OWN_IMPORTS_FIRST
from rubric_core.language.javascript_values import read_json
from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import replace
from rubric_core.loading.directory_search import URL, current_directory, find_file
from rubric_core.ports import Finished, Ports, Program
from rubric_core.program_lookup import find_program

__all__ = ["CodeFailedError", "Conventions", "language_of", "run_code", "run_function", "transform_answer"]

_SHOWN = 500
_OUTPUT_LIMIT = 10_000_000
_FILE = re.compile(r"(?P<path>.+?\.(?P<suffix>[cm]?[jt]s|py|rb))(?::(?P<function>[A-Za-z_$][\w$.]*))?\Z")
#: The language of a file by its suffix; all others are JavaScript, in some of them with types.
_LANGUAGES: Mapping[str, Language] = {"py": "python", "rb": "ruby"}
_TYPED = re.compile(r"\.[cm]?ts\Z")


class Conventions(NamedTuple):
    """How a function in a file is found, and which results count. The defaults are those of AgentV."""

    #: Whether the functions of a JavaScript file are looked for on its default export, if it has one.
    default_export: bool = False
    #: Whether Python that returns what has no JSON fails; else the result is a text.
    exact: bool = False
    #: Whether an infinite number is a result.
    infinite: bool = False


_USUAL = Conventions()


class CodeFailedError(GraderError):
    """Code that was run and raised an error, or returned nothing that can be read."""


def language_of(code: str, *, ruby: bool = False) -> Language:
    """The language of code that does not declare one: by its file extension, else JavaScript.

    Ruby only with `ruby`: it is called for assertions and providers and nothing else.
    """
    found = _FILE.match(code.removeprefix(URL)) if code.startswith(URL) else None
    language = _LANGUAGES.get(found["suffix"], "javascript") if found else "javascript"
    return language if ruby or language != "ruby" else "javascript"


async def run_code(
    code: str,
    language: Language,
    arguments: Mapping[str, Any],
    context: EvaluationContext,
    at: Shape,
    *,
    function: str = "get_assert",
    conventions: Conventions = _USUAL,
    getters: Mapping[str, str | None] | None = None,
    says: str = "",
) -> Any:
    """The result of code: an expression, the body of a function with `return`, or `file://PATH[:FUNCTION]`.

    `function` is the one that a Python or Ruby file has where none is named. For `says` see `Program`.

    Raises GraderError when it cannot be run, fails, or takes too long: a crash is not a score.
    """
    if context.ports is None:
        raise Unscored("code runs only as part of a run", at=at)
    limit, directory = context.time_limit, context.directory
    context.exchanges.add(Exchange(role="program", to=language, files=(("code", code),), payload=dict(arguments)))
    return await run_function(
        code, language, arguments, context.ports, directory, limit, at, function=function, conventions=conventions, getters=getters,
        says=says,
    )  # fmt: skip


async def run_function(
    code: str,
    language: Language,
    arguments: Mapping[str, Any],
    ports: Ports,
    directory: Path,
    limit: float,
    at: Shape,
    *,
    function: str = "",
    spare: bool = False,
    method: tuple[str, Mapping[str, Any]] | None = None,
    conventions: Conventions = _USUAL,
    getters: Mapping[str, str | None] | None = None,
    package: str = "",
    tests: bool = False,
    says: str = "",
) -> Any:
    """See `run_code`; a function gets no more arguments than it takes where some are `spare`.

    `method` is called on an object of the class that a JavaScript file exports, which is made with the options beside
    it. `getters` are functions without arguments in the arguments, by their paths, with what they return; None stands
    for undefined. JavaScript has a `package` of npm as `loaded`; the result is `{"missing": True}` where it is not
    installed. For `tests` that a JavaScript file makes see `script_programs`.
    """
    told: dict[str, Any] = {
        "code": code, "file": None, "function": None, "arguments": dict(arguments), "spare": spare,
        **({"method": method} if method is not None else {}), "default_export": conventions.default_export, "getters": dict(getters or {}),
        "package": package, "programs": [], "exact": conventions.exact,
    }  # fmt: skip
    if code.startswith(URL):
        told |= _in_file(code, language, ports, directory, at, function)
        told |= {"tests": _relative(told["file"], directory)} if tests else {}
    beside = find_program("promptfoo", directory, ports.environment) if package or _is_typed(told) else None
    told["programs"] = [beside] if beside is not None else []
    program = _program(_argv(language, ports, directory, at), told, directory, limit, says)
    try:
        finished = await run_program(program, ports.processes)
    except ProgramError as error:
        raise GraderError(f"the {language} code: {error}", at=at) from None
    return _result(finished, language, at, with_infinite=conventions.infinite)


def _result(finished: Finished, language: Language, at: Shape, *, with_infinite: bool) -> Any:
    """What code returned. Raises CodeFailedError."""
    _, mark, reply = finished.stdout.decode("utf-8", "replace").rpartition(MARK)
    if finished.exit_code or not mark:
        said = _last_words(finished.stderr.decode("utf-8", "replace"), language)
        raise CodeFailedError(f"the {language} code failed: {said or f'exit code {finished.exit_code}'}", at=at)
    answer = read_json(reply, allow_nan=True)
    if answer.get("infinite") and not with_infinite:
        raise CodeFailedError(f"the {language} code returned {answer['result']}, which is no JSON", at=at)
    return float(answer["result"]) if answer.get("infinite") else answer["result"]


def _relative(path: str, directory: Path) -> str:
    return Path(os.path.relpath(path, directory.resolve())).as_posix()


def _is_typed(told: Mapping[str, Any]) -> bool:
    return _TYPED.search(told["file"] or "") is not None


def _program(argv: tuple[str, ...], told: Mapping[str, Any], directory: Path, limit: float, says: str) -> Program:
    package = f"the npm package {told['package']}" if told["package"] else ""
    code = f"{told['file']}:{told['function']}" if told["file"] else str(told["code"])
    says = says or package or code
    return Program(argv, directory.resolve(), json_input(told), time_limit=limit, output_limit=_OUTPUT_LIMIT, says=says)


def _in_file(code: str, language: Language, ports: Ports, directory: Path, at: Shape, usual: str) -> dict[str, Any]:
    found = _FILE.match(code.removeprefix(URL))
    if found is None or (found["suffix"] == "rb" and language != "ruby"):
        raise Unscored(f"{code} names no JavaScript or Python file", at=at)
    path = find_file(found["path"], directory, ports.files, current_directory())
    if path is None:
        raise GraderError(f"the file {found['path']} is not there", at=at)
    default = usual if found["suffix"] in ("py", "rb") else "default"
    return {"file": str(path.resolve()), "function": found["function"] or default}


def _argv(language: Language, ports: Ports, directory: Path, at: Shape) -> tuple[str, ...]:
    program = {"python": ("-c", OWN_IMPORTS_FIRST + PYTHON), "ruby": ("-e", RUBY), "javascript": ("-e", NODE)}[language]
    return (interpreter_of(language, ports, directory, at), *program)


def _last_words(error: str, language: Language) -> str:
    """The line of a traceback with the error."""
    lines = [line.strip() for line in error.splitlines() if line.strip()]
    if language == "javascript":
        lines = [line for line in lines if re.match(r"(?:Uncaught )?\w*(?:Error|Exception)\b", line)] or lines
        return lines[0][:_SHOWN] if lines else ""
    if language == "ruby":  # `place: message (Class)`, before the source and the call stack
        lines = [line for line in lines if re.search(r" \([A-Z][\w:]*\)\Z", line)] or lines
    return lines[-1][:_SHOWN] if lines else ""


async def transform_answer(code: object, context: EvaluationContext, at: Shape) -> EvaluationContext:
    """The context with the answer transformed by code. Raises Unscored, as `run_code` does."""
    if not isinstance(code, str):
        raise Unscored("`transform` must be code, or a file with code", at=at)
    language = language_of(code)
    told = {"output": context.candidate, "context": script_context(context, camel=language == "javascript")}
    made = await run_code(code, language, told, context, at, function="get_transform")
    return replace(context, candidate=made if isinstance(made, str) else json.dumps(made, ensure_ascii=False))
