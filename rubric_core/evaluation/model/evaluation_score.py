"""The output of an evaluator."""

from collections.abc import Mapping, Sequence
from typing import Any

from rubric_core.evaluation.model.arguments import fraction, text, texts, whole
from rubric_core.evaluation.model.result import CriterionResult, EvaluatorResult, Verdict
from rubric_core.lazy_compilation import dataclass

__all__ = ["EvaluationScore"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationScore:
    """The score of an evaluator.

    `score` is 0..1; `hits` and `misses` are short sentences about what was met and what was not,
    `expected_aspect_count` is the number of checked aspects; `evaluator_raw_request` is the request, without secrets.

    Raises ValueError for a score that is not a number of 0..1, TypeError for hits or misses that are not lists of
    texts, or a reasoning that is not a text.
    """

    score: float
    hits: Sequence[str] = ()
    misses: Sequence[str] = ()
    expected_aspect_count: int = 0
    reasoning: str | None = None
    raw_aspects: Sequence[str] | None = None
    evaluator_raw_request: Mapping[str, Any] | None = None

    #: What a judge said in each try, verbatim.
    raw_replies: tuple[str, ...] = ()
    criteria: tuple[CriterionResult, ...] = ()
    members: tuple[EvaluatorResult, ...] = ()
    #: A verdict that does not follow from the score alone.
    verdict: Verdict | None = None
    #: The id of the criterion whose gate failed.
    gate: str = ""
    #: Whether the evaluator crashed and its kind calls that a 0: never turned into a 1 by `negate`.
    crashed: bool = False
    judge: str = ""
    details: Mapping[str, Any] | None = None
    #: Those misses that state what is wanted, such as "is polite".
    unmet: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        checked = {
            "score": fraction("a score", self.score),
            "hits": texts("hits", self.hits),
            "misses": texts("misses", self.misses),
        }
        if self.raw_aspects is not None:
            checked["raw_aspects"] = texts("raw_aspects", self.raw_aspects)
        for name, value in checked.items():
            if value is not getattr(self, name):  # most are what they should be
                object.__setattr__(self, name, value)
        whole("expected_aspect_count", self.expected_aspect_count, 0)
        if self.reasoning is not None:
            text("reasoning", self.reasoning)

    @classmethod
    def check(cls, holds: bool, hit: str, miss: str, reasoning: str | None = None) -> "EvaluationScore":
        """The score of a check that holds or does not: 1 and `hit`, or 0 and `miss`."""
        return cls(
            score=1.0 if holds else 0.0,
            hits=(hit,) if holds else (),
            misses=() if holds else (miss,),
            expected_aspect_count=1,
            reasoning=reasoning,
        )

    @classmethod
    def crash(cls, error: str, request: Mapping[str, Any] | None = None) -> "EvaluationScore":
        """A score of 0 with the error among the misses, for kinds whose failure is a score."""
        return cls(score=0.0, misses=(error,), expected_aspect_count=1, evaluator_raw_request=request, crashed=True)
