"""The process in which evaluators of a suite's author run. It gets contexts, and replies with scores, one after the other.

It is a program of its own: nothing of a run is in it but what it is sent. A message is a pickled mapping after its length;
a reply is a line of JSON: a `score`, an `unscored` reason, or a `problem`. What an evaluator prints goes to standard error.
"""

import asyncio
import inspect
import json
import os
import pickle
import struct
import sys
import traceback
from collections.abc import Mapping
from importlib.machinery import SourceFileLoader
from importlib.metadata import EntryPoint
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO

from rubric_core.dataclass_copies import field_values
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.jsonable import jsonable
from rubric_core.evaluation.model.unscored import GraderError, Unscored

__all__ = ["LENGTH", "serve"]

#: The length of a message, which precedes it.
LENGTH = struct.Struct(">Q")
_LONGEST = 60


class _UnusableError(Exception):
    """There is no evaluator; the message says why."""


def serve() -> None:
    """Answer messages until standard input ends."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr  # what it prints stands among what programs print that it starts
    messages = sys.stdin.buffer
    _say(replies, {})  # whoever waits knows that everything is loaded
    while (told := _message(messages)) is not None:
        sys.path[:] = told["path"]
        _say(replies, _reply(told))


def _message(stream: BinaryIO) -> Mapping[str, Any] | None:
    length = stream.read(LENGTH.size)
    if len(length) < LENGTH.size:
        return None
    message: Mapping[str, Any] = pickle.loads(stream.read(*LENGTH.unpack(length)))  # noqa: S301  # of the run itself
    return message


def _say(replies: BinaryIO, reply: Mapping[str, Any]) -> None:
    sys.stdout.flush()
    replies.write(json.dumps(reply).encode() + b"\n")
    replies.flush()


def _reply(told: Mapping[str, Any]) -> Mapping[str, Any]:
    """What an evaluator says of a context, or why it does not."""
    try:
        evaluator = _installed(told) if "entry_point" in told else _in_file(told)
    except _UnusableError as error:
        return {"problem": str(error)}
    try:
        return _told(_evaluated(evaluator, told["context"]))
    except Unscored as problem:
        found = {"request": problem.request, "replies": problem.replies, "criteria": problem.criteria}
        return {"unscored": problem.reason, "failed": isinstance(problem, GraderError), **_written(found)}
    except (SystemExit, KeyboardInterrupt) as error:
        return {"problem": f"the evaluator crashed: RuntimeError: {type(error).__name__}: {error}{_place(error, told)}"}
    except Exception as error:  # noqa: BLE001  # anybody's code; a crash is not a score
        return {"problem": f"the evaluator crashed: {type(error).__name__}: {error}{_place(error, told)}"}


def _evaluated(evaluator: Any, context: EvaluationContext) -> object:
    found = evaluator.evaluate(context)
    if not inspect.isawaitable(found):
        return found

    async def finish() -> object:
        return await found

    return asyncio.run(finish())


def _told(found: object) -> Mapping[str, Any]:
    if not isinstance(found, EvaluationScore):
        return {"other": f"{found!r:.{_LONGEST}}"}
    return {"score": _written(dict(field_values(found)))}


def _written(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: jsonable(value) for name, value in values.items() if value is not None}


def _place(error: BaseException, told: Mapping[str, Any]) -> str:
    """The place of an error in the author's own file, as " (word-count.py:7)"; empty without one."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename == told.get("file")]
    return f" ({Path(own[-1].filename).name}:{own[-1].lineno})" if own else ""


def _in_file(told: Mapping[str, Any]) -> Any:
    """The evaluator in a file: the object with its `kind`, else of the only class that evaluates. Raises _UnusableError."""
    file, kind = told["file"], told["kind"]
    module, name = _imported(file, told["source"], kind), Path(file).name
    own = [value for value in vars(module).values() if _evaluates(value) and _made_in(value, module)]
    named = [value for value in own if getattr(value, "kind", None) == kind]
    found = named[0] if named else own[0] if len(own) == 1 else None
    if found is None:
        raise _UnusableError(f"{name} has no class with an `evaluate` method and the kind {kind}")
    return _instance(found, name)


def _imported(file: str, source: bytes, kind: str) -> ModuleType:
    """The module in a file, loaded anew for every case and never added to `sys.modules`."""
    loader = SourceFileLoader(f"rubric_evaluator_{kind.replace('-', '_')}", file)
    spec = spec_from_loader(loader.name, loader)
    assert spec is not None  # a loader was given
    module = module_from_spec(spec)
    try:
        exec(compile(source, file, "exec"), vars(module))  # noqa: S102  # what this process is for; no stale byte code
    except (Exception, SystemExit) as error:
        words = f"{type(error).__name__}: {error}{_place(error, {'file': file})}"
        raise _UnusableError(f"{Path(file).name} cannot be imported: {words}") from error
    return module


def _installed(told: Mapping[str, Any]) -> Any:
    """The evaluator of an installed package. Raises _UnusableError."""
    kind, value, group = told["entry_point"]
    where = f"the entry point {kind} ({value})"
    try:
        found = EntryPoint(kind, value, group).load()
    except (Exception, SystemExit) as error:
        raise _UnusableError(f"{where} cannot be loaded: {type(error).__name__}: {error}") from error
    if not _evaluates(found):
        raise _UnusableError(f"{where} has no `evaluate` method")
    return _instance(found, where)


def _evaluates(value: object) -> bool:
    return callable(getattr(value, "evaluate", None))


def _made_in(value: object, module: ModuleType) -> bool:
    return (value if inspect.isclass(value) else type(value)).__module__ == module.__name__


def _instance(found: Any, name: str) -> Any:
    """The evaluator: the instance itself, or a class called without arguments. Raises _UnusableError."""
    if not inspect.isclass(found):
        return found
    try:
        return found()
    except (Exception, SystemExit) as error:
        words = f"{type(error).__name__}: {error}"
        raise _UnusableError(f"{name}: {found.__name__} cannot be created: {words}") from error
