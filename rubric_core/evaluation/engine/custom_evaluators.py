"""Custom evaluators: programs in `.agentv/assertions`, Python classes beside the suite, and those of installed packages.

Nothing of them is imported or run before a case is graded, which needs a trusted folder, and nothing in rubric's process.
"""

import inspect
import json
import pickle
import re
import sys
from collections.abc import Mapping
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, cast

from rubric_core.deadlines import run_apart
from rubric_core.evaluation.code.commands import ProgramError, ended_words, program_argv, run_program
from rubric_core.evaluation.code.imports import module_files
from rubric_core.evaluation.engine.evaluator_process import LENGTH
from rubric_core.evaluation.evaluators.code import CodeEvaluator
from rubric_core.evaluation.model.context import EvaluationContext, plain_context
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.evaluator import Evaluator
from rubric_core.evaluation.model.result import CriterionResult, EvaluatorResult, Verdict
from rubric_core.evaluation.model.unscored import GraderError, Unscored
from rubric_core.evaluation.results.result_reader import record_of
from rubric_core.lazy_compilation import dataclass
from rubric_core.loading.directory_search import current_directory
from rubric_core.loading.known_names import EVALUATOR_GROUP, file_named
from rubric_core.ports import Finished, Ports, Program

__all__ = ["UserEvaluator", "custom_evaluator", "no_evaluator_of"]

#: Largest module in bytes.
_LARGEST = 10_000_000
_OUTPUT_LIMIT = 10_000_000
#: The start of the process. Isolated, it finds no module in its working directory; rubric is where this rubric is.
_START = "import sys; sys.path.append({!r}); from rubric_core.evaluation.engine.evaluator_process import serve; serve()"
#: A name in quotes, as a variable of the environment is named.
_QUOTED = re.compile(r"""["']([A-Za-z_]\w*)["']""")


def custom_evaluator(kind: str, context: EvaluationContext) -> Evaluator | None:
    """The custom evaluator for a type that is not built in; None if there is none of that name.

    Searches `.agentv/evaluators/KIND.py` and `.agentv/assertions/KIND.*` in the directory of the suite and its parents,
    then the entry point KIND of installed packages. Raises GraderError for one that cannot be used.
    """
    if context.ports is None or not kind:
        return None
    config, files = context.evaluator, context.ports.files
    path = file_named(files, "evaluators", kind, context.directory)
    if path is not None:
        try:
            source = files.read(path, _LARGEST)
        except OSError as error:
            raise GraderError(f"{path.name} cannot be read: {error.strerror or error}", at=config) from None
        file = str(path.absolute())
        return _ProcessEvaluator(kind, {"file": file, "source": source}, f"{file}:{kind}", _names_in(source))
    path = file_named(files, "assertions", kind, context.directory)
    if path is not None:
        return CodeEvaluator(script=program_argv(path, context.directory, context.ports, config))
    return _installed(kind, context.ports)


def _installed(kind: str, ports: Ports) -> Evaluator | None:
    from importlib.metadata import entry_points  # noqa: PLC0415  # slow, and seldom needed

    for point in entry_points(group=EVALUATOR_GROUP, name=kind):
        told = {"entry_point": (point.name, point.value, point.group)}
        package = f" of {point.dist.name}" if point.dist is not None else ""
        return _ProcessEvaluator(kind, told, f"{point.value}{package}", _names_in(_source(point, ports)))
    return None


def _source(point: EntryPoint, ports: Ports) -> bytes:
    """The module that an entry point names; empty if it is no file."""
    places = [Path(str(point.dist.locate_file(file))) for file in module_files(point.value)] if point.dist else []
    found = next((place for place in places if ports.files.is_file(place)), None)
    return ports.files.read(found, _LARGEST) if found is not None else b""


def _names_in(source: bytes) -> frozenset[str]:
    return frozenset(_QUOTED.findall(source.decode("utf-8", "replace")))


@dataclass(frozen=True)
class _ProcessEvaluator:
    """An evaluator in a process of its own, which serves all cases of a run."""

    kind: str
    #: Where it is, for the process.
    place: Mapping[str, Any]
    #: See `Program.says`.
    says: str
    #: The names in quotes in its source; the variables of the run that have one are passed to it.
    names: frozenset[str]

    async def evaluate(self, context: EvaluationContext) -> EvaluationScore:
        """See `Evaluator.evaluate`. Raises GraderError, also when it takes longer than the context allows."""
        ports = context.ports
        assert ports is not None  # see `custom_evaluator`
        told = {
            **self.place,
            "kind": self.kind,
            "path": [each for each in sys.path if each],
            "context": plain_context(context),
        }
        message = pickle.dumps(told, pickle.HIGHEST_PROTOCOL)
        program = Program(
            (sys.executable, "-I", "-c", _START.format(str(Path(__file__).parents[3]))),
            current_directory() or context.directory.resolve(), LENGTH.pack(len(message)) + message,
            {name: ports.environment[name] for name in sorted(self.names) if name in ports.environment},
            context.time_limit, _OUTPUT_LIMIT, says=self.says,
        )  # fmt: skip
        try:
            finished = await run_program(program, ports.processes, serve=True)
        except ProgramError as error:
            raise GraderError(f"{self.kind}: {error}", at=context.evaluator) from None
        return self._score(finished, context)

    def _score(self, finished: Finished, context: EvaluationContext) -> EvaluationScore:
        if not finished.stdout.endswith(b"\n"):
            raise GraderError(f"{self.kind}: its process {ended_words(finished.exit_code)}", at=context.evaluator)
        reply = json.loads(finished.stdout)
        if "other" in reply:
            config = context.evaluator
            name = self.kind if config is None else config.type_name
            raise TypeError(f"evaluate() of {name} gave {reply['other']}, not an EvaluationScore")
        if "problem" in reply:
            crashed = reply["problem"].startswith("the evaluator crashed")
            raise GraderError(reply["problem"], at=None if crashed else context.evaluator)
        if "unscored" in reply:
            kind = GraderError if reply["failed"] else Unscored
            criteria = tuple(record_of(CriterionResult, each) for each in reply.get("criteria", ()))
            raise kind(reply["unscored"], criteria, reply.get("request"), replies=tuple(reply.get("replies", ())))
        return _score_in(reply["score"])


def _score_in(written: Mapping[str, Any]) -> EvaluationScore:
    """The score in a reply. Raises TypeError or ValueError for an invalid one."""
    given = dict(written)
    if "verdict" in given:
        given["verdict"] = Verdict(given["verdict"])
    given["criteria"] = tuple(record_of(CriterionResult, each) for each in given.get("criteria", ()))
    given["members"] = tuple(record_of(EvaluatorResult, each) for each in given.get("members", ()))
    given["raw_replies"] = tuple(given.get("raw_replies", ()))
    return EvaluationScore(**given)


class UserEvaluator:
    """An evaluator that a caller of rubric registered. It runs in a thread unless it is a coroutine, so that it does not block other cases.

    Its exceptions propagate, except that it cannot end the program: SystemExit, and KeyboardInterrupt in a thread, become a
    RuntimeError.
    """

    def __init__(self, inner: Evaluator) -> None:
        self._inner = inner

    @property
    def kind(self) -> str:
        """See `Evaluator.kind`."""
        return str(getattr(self._inner, "kind", "custom"))

    async def evaluate(self, context: EvaluationContext) -> EvaluationScore:
        """See `Evaluator.evaluate`. Whatever the evaluator returns, unchecked."""
        evaluate = self._inner.evaluate
        try:
            if inspect.iscoroutinefunction(evaluate):
                return cast("EvaluationScore", await evaluate(context))
            score: Any = await run_apart(lambda: evaluate(context))
            return cast(
                "EvaluationScore", await score if inspect.isawaitable(score) else score
            )  # checked by the caller
        except SystemExit as error:  # custom evaluators must not end the program
            raise RuntimeError(f"SystemExit: {error}") from None


def no_evaluator_of(kind: str) -> str:
    """The message that no evaluator of a type exists, with the places that were searched."""
    return (
        f"there is no evaluator of type {kind}: there is no program .agentv/assertions/{kind}.*, no class in "
        f".agentv/evaluators/{kind}.py, and no installed package brings it"
    )
