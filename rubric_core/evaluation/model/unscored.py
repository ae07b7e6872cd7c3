"""Exceptions of evaluators that cannot give a score; the caller turns them into results."""

from collections.abc import Mapping
from typing import Any

from rubric_core.evaluation.model.exchanges import Exchange, Usage
from rubric_core.evaluation.model.result import CriterionResult, EvaluatorResult
from rubric_core.language.shape import Shape

__all__ = ["GraderError", "Unscored", "unscored"]


class Unscored(Exception):  # noqa: N818  # not an error of the program: one of the four verdicts
    """There is no score; the message is one sentence that says why and what to do.

    `criteria` are those that could be judged anyway; `request` and `replies` are those of a judge in each try; `at` is
    the responsible part of the suite, for its line; `members` are those of a composite.
    """

    def __init__(
        self,
        reason: str,
        criteria: tuple[CriterionResult, ...] = (),
        request: Mapping[str, Any] | None = None,
        at: Shape | None = None,
        replies: tuple[str, ...] = (),
        members: tuple[EvaluatorResult, ...] = (),
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.criteria = criteria
        self.request = request
        self.at = at
        self.replies = replies
        self.members = members
        #: The requests and their usage, up to the failure.
        self.exchanges: tuple[Exchange, ...] = ()
        self.usage: tuple[Usage, ...] = ()


class GraderError(Unscored):
    """An evaluator could not run, or crashed: its program does not exist, its code raised an error, its judge gave no usable reply."""


def unscored(result: EvaluatorResult) -> Unscored:
    """The exception for an evaluator that needs the score of another one, which has none: its `result`."""
    kind = GraderError if result.error else Unscored
    return kind(result.reason, request=result.evaluator_raw_request, replies=result.raw_replies)
