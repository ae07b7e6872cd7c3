"""Code in a suite, run in its own process: JavaScript by node, Python by python3; expressions, bodies, or files.

The code gets `output`, the answer, and `context`, the payload of grading programs, with `vars` and `config`.
"""

import json
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from rubric_core.evaluation.code.commands import ProgramError, json_input, run_program
from rubric_core.evaluation.code.payload import script_context
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.exchanges import Exchange
from rubric_core.evaluation.model.unscored import GraderError, Unscored
from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import replace
from rubric_core.loading.directory_search import URL, current_directory, find_file
from rubric_core.ports import Ports, Program

__all__ = ["CodeFailedError", "Language", "language_of", "run_code", "run_function", "transform_answer"]

Language = Literal["javascript", "python"]

_SHOWN = 500
_OUTPUT_LIMIT = 10_000_000
_FILE = re.compile(r"(?P<path>.+?\.(?P<suffix>js|cjs|mjs|py))(?::(?P<function>[A-Za-z_$][\w$.]*))?\Z")
_LANGUAGES: Mapping[str, Language] = {"js": "javascript", "cjs": "javascript", "mjs": "javascript", "py": "python"}

# Both read {code, file, function, arguments, spare} and print {"result": …} on a line of its own, behind whatever the code prints.
_MARK = "\x1e"
_PYTHON = r"""
import contextlib, importlib.util, inspect, json, os, sys, textwrap
told = json.load(sys.stdin)
sys.path.insert(0, os.getcwd())
names, values = list(told["arguments"]), list(told["arguments"].values())
with contextlib.redirect_stdout(sys.stderr):
    if told["file"]:
        sys.path.insert(0, os.path.dirname(told["file"]))
        spec = importlib.util.spec_from_file_location("rubric_script", told["file"])
        module = importlib.util.module_from_spec(spec)
        sys.modules["rubric_script"] = module
        spec.loader.exec_module(module)
        call = module
        for part in told["function"].split("."):
            call = getattr(call, part)
    else:
        code = textwrap.dedent(told["code"]).strip()
        scope = {"json": json}
        try:
            compile(code, "value", "eval")
            code = "return (\n" + code + "\n)"
        except SyntaxError:
            pass
        exec("def value(" + ", ".join(names) + "):\n" + textwrap.indent(code, "    "), scope)
        call = scope["value"]
    if told.get("spare"):
        with contextlib.suppress(TypeError, ValueError):
            taken = inspect.signature(call).parameters.values()
            if all(each.kind is not each.VAR_POSITIONAL for each in taken):
                values = values[:sum(each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD) for each in taken)]
    result = call(*values)
    if inspect.isawaitable(result):
        import asyncio  # it takes long to load
        result = asyncio.run(result)
sys.stdout.write("\x1e" + json.dumps({"result": result}, default=str))
"""
_NODE = r"""
const {pathToFileURL} = require('node:url');
const chunks = [];
console.log = console.info = console.debug = console.error;
process.stdin.on('data', chunk => chunks.push(chunk)).on('end', async () => {
  const told = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  for (const [path, value] of Object.entries(told.getters ?? {})) {
    const parts = path.split('.'), last = parts.pop(), holder = parts.reduce((found, part) => found?.[part], told.arguments);
    if (holder) holder[last] = () => value;
  }
  const names = Object.keys(told.arguments), values = Object.values(told.arguments);
  let call;
  if (told.file) {
    const module = await import(pathToFileURL(told.file).href);
    call = told.function.split('.').reduce((found, part) => found?.[part] ?? found?.default?.[part], module);
    if (told.promptfoo) {
      const whole = module.default?.default || module.default || module;
      call = told.function === 'default' ? whole : whole[told.function];
      if (typeof call !== 'function' && typeof call?.default === 'function') call = call.default;
    }
    if (typeof call !== 'function' && typeof module.default === 'function' && told.function === 'default') call = module.default;
    if (Array.isArray(call) && told.function === 'default') { const listed = call; call = () => listed; }
    if (typeof call !== 'function') throw new Error(`${told.file} exports no function ${told.function}`);
    if (told.method) {
      const [method, options] = told.method, made = new call(options);
      call = made[method].bind(made);
    }
  } else {
    const AsyncFunction = (async () => {}).constructor;
    const code = told.code.trim();
    let body = `return (${code}\n);`;
    try { new AsyncFunction(...names, body); } catch { body = code; }
    call = new AsyncFunction(...names, body);
  }
  let result = await call(...values);
  const infinite = typeof result === 'number' && !Number.isFinite(result);
  if (infinite) result = String(result);
  process.stdout.write('\x1e' + JSON.stringify({infinite, result: typeof result === 'function' || result === undefined ? null : result}));
});
"""


class CodeFailedError(GraderError):
    """Code that was run and raised an error, or returned nothing that can be read."""


def language_of(code: str) -> Language:
    """The language of code that does not declare one: that of its file extension, else JavaScript."""
    found = _FILE.match(code.removeprefix(URL)) if code.startswith(URL) else None
    return _LANGUAGES[found["suffix"]] if found else "javascript"


async def run_code(
    code: str,
    language: Language,
    arguments: Mapping[str, Any],
    context: EvaluationContext,
    at: Shape,
    *,
    function: str = "get_assert",
    promptfoo: bool = False,
    getters: Mapping[str, str] | None = None,
) -> Any:
    """What code gives back: an expression, the body of a function with `return`, or `file://PATH[:FUNCTION]`.

    `function` is the one that a Python file has where none is named.

    Raises GraderError when it cannot be run, fails, or takes too long: a crash is not a score.
    """
    if context.ports is None:
        raise Unscored("code runs only as part of a run", at=at)
    limit, directory = context.time_limit, context.directory
    context.exchanges.add(Exchange(role="program", to=language, files=(("code", code),), payload=dict(arguments)))
    return await run_function(
        code, language, arguments, context.ports, directory, limit, at, function=function, promptfoo=promptfoo, getters=getters,
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
    promptfoo: bool = False,
    getters: Mapping[str, str] | None = None,
) -> Any:
    """See `run_code`; a function gets no more arguments than it takes where some are `spare`.

    `method` is called on an object of the class that a JavaScript file exports, which is made with the options beside it.
    With `promptfoo` the functions of a JavaScript file are looked for where promptfoo does, on its default export if it has one, and
    infinite numbers are numbers. `getters` are functions without arguments in the arguments, by their paths, with what they return.
    """
    told: dict[str, Any] = {"code": code, "file": None, "function": None, "arguments": dict(arguments), "spare": spare}
    told |= {"method": method} if method is not None else {}
    told |= {"promptfoo": promptfoo, "getters": dict(getters or {})}
    if code.startswith(URL):
        told |= _in_file(code, ports, directory, at, function)
    program = _program(_argv(language, ports, at), told, directory, limit)
    try:
        finished = await run_program(program, ports.processes)
    except ProgramError as error:
        raise GraderError(f"the {language} code: {error}", at=at) from None
    _, mark, reply = finished.stdout.decode("utf-8", "replace").rpartition(_MARK)
    if finished.exit_code or not mark:
        said = _last_words(finished.stderr.decode("utf-8", "replace"), language)
        raise CodeFailedError(f"the {language} code failed: {said or f'exit code {finished.exit_code}'}", at=at)
    answer = json.loads(reply)
    return float(answer["result"]) if promptfoo and answer.get("infinite") else answer["result"]


def _program(argv: tuple[str, ...], told: Mapping[str, Any], directory: Path, limit: float) -> Program:
    return Program(argv, directory.resolve(), json_input(told), time_limit=limit, output_limit=_OUTPUT_LIMIT)


def _in_file(code: str, ports: Ports, directory: Path, at: Shape, usual: str) -> dict[str, Any]:
    found = _FILE.match(code.removeprefix(URL))
    if found is None:
        raise Unscored(f"{code} names no JavaScript or Python file", at=at)
    path = find_file(found["path"], directory, ports.files, current_directory())
    if path is None:
        raise GraderError(f"the file {found['path']} is not there", at=at)
    default = usual if found["suffix"] == "py" else "default"
    return {"file": str(path.resolve()), "function": found["function"] or default}


def _argv(language: Language, ports: Ports, at: Shape) -> tuple[str, ...]:
    path = ports.environment.get("PATH")
    if language == "python":
        return (shutil.which("python3", path=path) or sys.executable, "-c", _PYTHON)
    node = shutil.which("node", path=path)
    if node is None:
        raise GraderError("JavaScript needs node, and there is no node on the PATH", at=at)
    return (node, "-e", _NODE)


def _last_words(error: str, language: Language) -> str:
    """The line of a traceback that says what happened."""
    lines = [line.strip() for line in error.splitlines() if line.strip()]
    if language == "javascript":
        lines = [line for line in lines if re.match(r"(?:Uncaught )?\w*(?:Error|Exception)\b", line)] or lines
        return lines[0][:_SHOWN] if lines else ""
    return lines[-1][:_SHOWN] if lines else ""


async def transform_answer(code: object, context: EvaluationContext, at: Shape) -> EvaluationContext:
    """The context with the answer that code makes of its answer. Raises Unscored, as `run_code` does."""
    if not isinstance(code, str):
        raise Unscored("`transform` must be code, or a file with code", at=at)
    language = language_of(code)
    told = {"output": context.candidate, "context": script_context(context, camel=language == "javascript")}
    made = await run_code(code, language, told, context, at, function="get_transform")
    return replace(context, candidate=made if isinstance(made, str) else json.dumps(made, ensure_ascii=False))
