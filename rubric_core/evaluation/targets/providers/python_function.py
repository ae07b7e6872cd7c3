"""Rubric's own kind `python`: a function of the suite's author, called in a new Python process for each answer."""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rubric_core.evaluation.code.commands import json_input
from rubric_core.evaluation.code.imports import module_files
from rubric_core.evaluation.model.variables import Variables
from rubric_core.evaluation.targets.providers.answer_reader import read_answer
from rubric_core.evaluation.targets.providers.base import ProviderKind, TargetLocation
from rubric_core.evaluation.targets.providers.program import ProgramRunner
from rubric_core.isolated_python import OWN_IMPORTS_FIRST
from rubric_core.language.own_providers import PythonFunction
from rubric_core.lazy_compilation import dataclass
from rubric_core.ports import Answer, Finished, Ports, ProviderError, Request
from rubric_core.program_lookup import find_program

__all__ = ["PYTHON"]

_TIMEOUT = 120.0
_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*:[^\W\d]\w*(?:\.[^\W\d]\w*)*\Z")
#: Precedes the reply on standard output; the output of the function itself goes to standard error.
_MARK = "\x1e"
# Reads {path, module, name, prompt, optional}; writes {"result": …} or {"problem": …, "file": …, "line": …}.
_DRIVER = r"""
import importlib, inspect, json, os, sys, traceback
told = json.loads(sys.stdin.buffer.read())
reply = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)
sys.stdout = sys.stderr
sys.path[:0] = [told["path"]]
def end(**said):
    reply.write(b"\x1e" + json.dumps(said, default=str).encode("utf-8", "replace"))
    reply.flush()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
def place(error):
    if isinstance(error, SyntaxError) and error.filename:
        return {"file": error.filename, "line": error.lineno or 1}
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith("<")]
    own = [f for f in frames if os.path.realpath(f.filename).startswith(os.path.realpath(told["path"]) + os.sep)]
    own = [f for f in own if "site-packages" not in f.filename] or frames
    return {"file": own[-1].filename, "line": own[-1].lineno} if own else {}
def words(error):
    name = type(error).__name__
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{name}: {text}" if text else name
try:
    call = importlib.import_module(told["module"])
except BaseException as error:
    missing = getattr(error, "name", None) if isinstance(error, ModuleNotFoundError) else None
    if missing and (told["module"] + ".").startswith(missing + "."):
        end(problem="module", name=missing)
    end(problem="import", words=words(error), missing=missing, **place(error))
for part in told["name"].split("."):
    if not hasattr(call, part):
        end(problem="function", name=part, names=[n for n in dir(call) if not n.startswith("_")])
    call = getattr(call, part)
if not callable(call):
    end(problem="callable")
try:
    taken = inspect.signature(call).parameters.values()
except (TypeError, ValueError):
    taken = ()
every = any(each.kind is each.VAR_KEYWORD for each in taken)
names = [each.name for each in taken if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
first = next((each for each in taken if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD, each.VAR_POSITIONAL)), None)
begins = first is not None and first.name not in told["optional"]
given = {n: v for n, v in told["optional"].items() if every or n in names}
if not begins and (every or "prompt" in names):
    given["prompt"] = told["prompt"]
try:
    result = call(*([told["prompt"]] if begins or not taken and not given else []), **given)
    if inspect.isawaitable(result):
        import asyncio
        async def finish(waiting):
            return await waiting
        result = asyncio.run(finish(result))
except BaseException as error:
    end(problem="raised", words=words(error), **place(error))
end(result=result)
"""


@dataclass
class _Function:
    name: str
    settings: PythonFunction
    place: TargetLocation
    runs: ProgramRunner
    python: str
    kind: str = "python"

    @property
    def identity(self) -> str:
        return f"python:{self.name}"

    async def ask(self, request: Request) -> Answer:
        module, _, name = str(self.settings.function).partition(":")
        told = {
            "path": str(self._modules()),
            "module": module,
            "name": name,
            "prompt": request.prompt,
            "optional": {
                "messages": [{"role": m.role, "content": m.content} for m in request.messages],
                "vars": request.variables,
                "case_id": request.case_id,
                "files": [str(path) for path in request.files],
            },
        }
        finished = await self.runs.finished(
            (self.python, "-c", OWN_IMPORTS_FIRST + _DRIVER), request, json_input(told), PYTHONUTF8="1",
            says=f"{self.settings.function} from {self._modules()}",
        )  # fmt: skip
        _, mark, text = finished.stdout.decode("utf-8", "replace").rpartition(_MARK)
        if not mark:
            raise self._ended(finished)
        said = json.loads(text)
        if "problem" in said:
            raise ProviderError(f"{self._problem(said, module)} ({self.place.where('function')})")
        return _answer(said["result"], finished.seconds * 1000)

    def _modules(self) -> Path:
        return (self.place.directory / (self.settings.cwd or ".")).resolve()

    def _ended(self, finished: Finished) -> ProviderError:
        """The error of a process that ended before the function did."""
        error = self.runs.failed(finished)
        return ProviderError(str(error).replace("the command", f"the process of {self.settings.function}", 1))

    def _problem(self, said: Mapping[str, Any], module: str) -> str:
        """What went wrong, in one sentence. Secrets in the function's own message are hidden."""
        where = self._shown(said)
        if said["problem"] == "module":
            return f"there is no module {said['name']} in {self._modules()}; `cwd` says where modules are looked for"
        if said["problem"] == "function":
            from rubric_core.language.closest_name import closest  # noqa: PLC0415  # for this error alone

            meant = closest(said["name"], said["names"])
            return f"{module} has no function {said['name']}{f'; did you mean {meant}?' if meant else ''}"
        if said["problem"] == "callable":
            return f"{self.settings.function} is not a function"
        words = self.place.redact(" ".join(str(said["words"]).split()))
        if said["problem"] == "import":
            missing = said.get("missing")
            remedy = f"; install {missing} for {self.python}, or set `python`" if missing else ""
            return f"{module} cannot be imported: {where}{words}{remedy}"
        return f"{self.settings.function} failed: {where}{words}"

    def _shown(self, said: Mapping[str, Any]) -> str:
        """The place of an error as `app/bot.py:12: `, relative to the directories of modules; empty if unknown."""
        if "file" not in said:
            return ""
        path, root = Path(str(said["file"])), self._modules()
        shown = path.relative_to(root) if path.is_relative_to(root) else path
        return f"{shown}:{said['line']}: "


def _answer(result: Any, took: float) -> Answer:
    """What the function returned: a text, an object in the form of a `cli` target's reply, or other data as JSON."""
    answer = read_answer(result, took) if isinstance(result, dict) else None
    if answer is not None:
        return answer
    text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    return Answer(text, duration_ms=took)


def _make(settings: PythonFunction, place: TargetLocation, ports: Ports) -> _Function:
    function = settings.function or ""
    if not _NAME.match(function):
        raise ValueError(
            f"{function!r} is no function; write module:name, such as app.bot:answer ({place.where('function')})"
        )
    limit = settings.timeout_seconds or _TIMEOUT
    runs = ProgramRunner(place, ports, limit, settings.cwd, "python" if settings.python else "function")
    return _Function(place.name, settings, place, runs, _interpreter(settings, place, ports))


def _interpreter(settings: PythonFunction, place: TargetLocation, ports: Ports) -> str:
    """The Python that runs it: the one of the settings, else the one of the PATH. Raises ValueError without one."""
    directory, environment = place.directory / (settings.cwd or "."), Variables(place.environment, ports.environment)
    if settings.python:
        found = find_program(settings.python, directory, environment)
        if found is None:
            raise ValueError(f"there is no Python interpreter {settings.python} ({place.where('python')})")
        return found
    names = ("python", "python3") if sys.platform == "win32" else ("python3", "python")
    found = next((each for name in names if (each := find_program(name, directory, environment))), None)
    if found is None:
        raise ValueError(f"Python is not on the PATH; install it, or set `python` ({place.where('function')})")
    return found


def _files(settings: PythonFunction) -> Iterator[str]:
    """The possible files of its module, relative to the directory of the suite."""
    yield from (f"{settings.cwd or '.'}/{name}" for name in module_files(settings.function or ""))


PYTHON = ProviderKind(("python",), PythonFunction, _make, files=_files)
