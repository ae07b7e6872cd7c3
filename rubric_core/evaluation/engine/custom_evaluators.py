"""Custom evaluators: programs in `.agentv/assertions`, Python classes beside the suite, and those of installed packages.

Nothing here is imported or run before a case is graded, which needs a trusted folder.
"""

import inspect
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from rubric_core.deadlines import run_apart, run_within
from rubric_core.disk import read_file
from rubric_core.evaluation.code.commands import program_argv
from rubric_core.evaluation.evaluators.code import CodeEvaluator
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.evaluator import Evaluator
from rubric_core.evaluation.model.unscored import GraderError
from rubric_core.language.shape import Shape
from rubric_core.loading.known_names import EVALUATOR_GROUP, file_named

__all__ = ["UserEvaluator", "custom_evaluator", "no_evaluator_of"]

#: Largest module in bytes.
_LARGEST = 10_000_000


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
        return UserEvaluator(_module_evaluator(_imported(path, kind, config), path.name, kind, config), limited=True)
    path = file_named(files, "assertions", kind, context.directory)
    if path is not None:
        return CodeEvaluator(script=program_argv(path, context.directory, context.ports, config))
    return _installed(kind, config)


def _imported(path: Path, kind: str, at: Shape | None) -> ModuleType:
    """The module in a file, loaded anew for every case and never added to `sys.modules`.

    It may print anything: the command line and the server keep standard output for themselves.
    """
    loader = SourceFileLoader(f"rubric_evaluator_{kind.replace('-', '_')}", str(path))
    spec = spec_from_loader(loader.name, loader)
    assert spec is not None  # a loader was given
    module = module_from_spec(spec)
    try:
        exec(compile(read_file(path, _LARGEST), str(path), "exec"), vars(module))  # noqa: S102  # a trusted suite; no stale byte code
    except (Exception, SystemExit) as error:
        raise GraderError(f"{path.name} cannot be imported: {type(error).__name__}: {error}", at=at) from error
    return module


def _module_evaluator(module: ModuleType, name: str, kind: str, at: Shape | None) -> Evaluator:
    """The evaluator in a module: the object with that `kind`, else the only evaluator class that the module defines."""
    own = [value for value in vars(module).values() if _evaluates(value) and _made_in(value, module)]
    named = [value for value in own if getattr(value, "kind", None) == kind]
    found = named[0] if named else own[0] if len(own) == 1 else None
    if found is None:
        raise GraderError(f"{name} has no class with an `evaluate` method and the kind {kind}", at=at)
    return _instance(found, name, at)


def _evaluates(value: object) -> bool:
    return callable(getattr(value, "evaluate", None))


def _made_in(value: object, module: ModuleType) -> bool:
    return (value if inspect.isclass(value) else type(value)).__module__ == module.__name__


def _instance(found: Any, name: str, at: Shape | None) -> Evaluator:
    """The evaluator: the instance itself, or a class called without arguments."""
    if not inspect.isclass(found):
        return cast("Evaluator", found)
    try:
        return cast("Evaluator", found())
    except (Exception, SystemExit) as error:
        raise GraderError(
            f"{name}: {found.__name__} cannot be created: {type(error).__name__}: {error}", at=at
        ) from error


def _installed(kind: str, at: Shape | None) -> Evaluator | None:
    from importlib.metadata import entry_points  # noqa: PLC0415  # slow, and seldom needed

    for point in entry_points(group=EVALUATOR_GROUP, name=kind):
        where = f"the entry point {kind} ({point.value})"
        try:
            found = point.load()
        except (Exception, SystemExit) as error:
            raise GraderError(f"{where} cannot be loaded: {type(error).__name__}: {error}", at=at) from error
        if not _evaluates(found):
            raise GraderError(f"{where} has no `evaluate` method", at=at)
        return UserEvaluator(_instance(found, where, at), limited=True)
    return None


class UserEvaluator:
    """An evaluator from outside rubric. It runs in a thread unless it is a coroutine, so that it does not block other cases.

    Its exceptions propagate, except that it cannot end the program: SystemExit, and KeyboardInterrupt in a thread, become a
    RuntimeError.

    Args:
        inner: The evaluator.
        limited: Whether it is stopped after the seconds that the context allows. Raises Unscored then.
    """

    def __init__(self, inner: Evaluator, *, limited: bool) -> None:
        self._inner = inner
        self._limited = limited

    @property
    def kind(self) -> str:
        """See `Evaluator.kind`."""
        return str(getattr(self._inner, "kind", "custom"))

    async def evaluate(self, context: EvaluationContext) -> EvaluationScore:
        """See `Evaluator.evaluate`."""
        limit = context.time_limit if self._limited else None
        found = await run_within(self._evaluated(context), limit)
        if found is None:
            raise GraderError(f"{self.kind}: stopped: it took longer than {limit:g} s", at=context.evaluator)
        return cast("EvaluationScore", found[0])  # checked by the caller

    async def _evaluated(self, context: EvaluationContext) -> tuple[Any]:
        """Whatever the evaluator returns, unchecked."""
        evaluate = self._inner.evaluate
        try:
            if inspect.iscoroutinefunction(evaluate):
                return (await evaluate(context),)
            score: Any = await run_apart(lambda: evaluate(context))
            return (await score if inspect.isawaitable(score) else score,)
        except SystemExit as error:  # custom evaluators must not end the program
            raise RuntimeError(f"SystemExit: {error}") from None


def no_evaluator_of(kind: str) -> str:
    """The message that no evaluator of a type exists, with the places that were searched."""
    return (
        f"there is no evaluator of type {kind}: there is no program .agentv/assertions/{kind}.*, no class in "
        f".agentv/evaluators/{kind}.py, and no installed package brings it"
    )
