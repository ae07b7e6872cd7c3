"""Events of a run, for the terminal and the editors."""

from collections.abc import Callable
from typing import TypeAlias

from rubric_core.evaluation.model.result import CaseResult, CriterionResult, EvaluatorResult
from rubric_core.lazy_compilation import dataclass
from rubric_core.ports import Answer

__all__ = [
    "Answered", "CaseDone", "CaseStarted", "CriterionJudged", "EvaluatorDone", "EvaluatorStarted", "Event", "Listener",
    "Noted", "ignore_event",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class CaseStarted:
    """A case begins; `evaluators` are the names of its evaluators."""

    case_id: str
    evaluators: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answered:
    """The target has answered."""

    case_id: str
    answer: Answer


@dataclass(frozen=True, slots=True)
class EvaluatorStarted:
    """An evaluator starts: number `position` (from 1) of `count` evaluators of a turn, or of the case as a whole."""

    case_id: str
    name: str
    position: int
    count: int
    #: The turn of a conversation that it grades, from 1; 0 for the case as a whole.
    turn: int = 0


@dataclass(frozen=True, slots=True)
class CriterionJudged:
    """A criterion has its score."""

    case_id: str
    evaluator: str
    result: CriterionResult


@dataclass(frozen=True, slots=True)
class EvaluatorDone:
    """An evaluator has a score, or a reason for having none."""

    case_id: str
    result: EvaluatorResult
    #: As in `EvaluatorStarted`.
    turn: int = 0


@dataclass(frozen=True, slots=True)
class CaseDone:
    """The case has its verdict. Sent exactly once for every case that was started, even if it failed."""

    case_id: str
    result: CaseResult


@dataclass(frozen=True, slots=True)
class Noted:
    """A note for the user that changes no result, in one sentence; `case_id` is empty."""

    message: str
    case_id: str = ""


Event: TypeAlias = CaseStarted | Answered | EvaluatorStarted | CriterionJudged | EvaluatorDone | CaseDone | Noted
Listener: TypeAlias = Callable[[Event], None]


def ignore_event(_: Event) -> None:
    """Ignore all events."""
