"""The interface of evaluators."""

from collections.abc import Awaitable, Mapping
from functools import lru_cache
from typing import Literal, Protocol, TypeAlias, TypeGuard, runtime_checkable

from rubric_core.evaluation.model.arguments import instance
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore

__all__ = ["EVALUATOR_KINDS", "Evaluator", "EvaluatorKind", "is_evaluator_kind", "require_evaluators"]


#: The kinds in docs/requirements.md#no-grader-kinds. Every other evaluator type is its own kind.
EvaluatorKind: TypeAlias = Literal["code", "llm_judge"]


EVALUATOR_KINDS: tuple[EvaluatorKind, ...] = ("code", "llm_judge")


def is_evaluator_kind(value: object) -> TypeGuard[EvaluatorKind]:
    """Whether `value` is one of `EVALUATOR_KINDS`."""
    return value in EVALUATOR_KINDS


@runtime_checkable
class Evaluator(Protocol):
    """Scores an answer. A class of your own needs no base class: `isinstance` asks whether it has `kind` and `evaluate`.

    An evaluator that cannot grade the answer raises `Unscored`; any other exception is a crash, which leaves the case
    unscored.
    """

    @property
    def kind(self) -> str:
        """Names the evaluator in a registry."""

    def evaluate(self, context: EvaluationContext) -> EvaluationScore | Awaitable[EvaluationScore]:
        """The score of `context.candidate`."""


def require_evaluators(evaluators: Mapping[str, object]) -> None:
    """Raises TypeError for anything but evaluators by kind, such as a class instead of an instance."""
    instance("evaluators", evaluators, Mapping, "a mapping from kinds to evaluators")
    # Every case asks, for some thirty kinds of a few classes.
    unsure = {kind for kind in set(map(type, evaluators.values())) if not _makes_evaluators(kind)}
    if not unsure:
        return
    for kind, found in evaluators.items():
        if type(found) not in unsure:
            continue
        if isinstance(found, type) or not _is_evaluator(found):
            meant = f"; make one: {found.__name__}()" if isinstance(found, type) else ""
            raise TypeError(
                f"the evaluator {kind!r} must have `kind` and `evaluate(context)`, found {found!r:.60}{meant}"
            )


@lru_cache(maxsize=64)
def _makes_evaluators(kind: type) -> bool:
    """Whether a class, rather than an instance, has the attributes of an evaluator."""
    return not issubclass(kind, type) and _is_evaluator(kind)


def _is_evaluator(value: object) -> bool:
    """As `isinstance(value, Evaluator)`, which costs thirty times as much."""
    return hasattr(value, "kind") and getattr(value, "evaluate", None) is not None
