"""Recorded replies of judges: the request, the reply, and the key to look them up."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

from rubric_core.evaluation.model.criteria import CriterionCheck, CriterionItem
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.lazy_compilation import dataclass

__all__ = ["HAND_WRITTEN", "JudgeInput", "JudgeRecordings", "Provenance", "RecordedJudgement", "RecordingMode"]


#: The judge of a hand-written recording.
HAND_WRITTEN = "hand-written"


@dataclass(frozen=True, slots=True)
class JudgeInput:
    """A judge's whole input except the criterion."""

    prompt: str
    question: str
    answer: str
    goal: str = ""
    reference: str = ""
    #: File changes and tool calls, when the judge saw some.
    more: str = ""


class Provenance(NamedTuple):
    """The origin of a recording."""

    judge: str
    #: ISO 8601.
    day: str
    case: str
    evaluator: str


@dataclass(frozen=True, slots=True)
class RecordedJudgement:
    """A judge's reply, with its provenance."""

    judge: str
    made: str
    check: CriterionCheck | None = None
    score: EvaluationScore | None = None

    @property
    def words(self) -> str:
        """In words: "recorded (hand-written)", "recorded (gpt-x, 2026-11-21)"."""
        return f"recorded ({self.judge}{f', {self.made}' if self.made and self.judge != HAND_WRITTEN else ''})"


#: auto: call the judge, use recordings without one. record: use recordings, call the judge for missing ones and record
#: them.
#: refresh: ask for everything, and keep that instead. replay: recordings only.
RecordingMode = Literal["auto", "record", "refresh", "replay"]


class JudgeRecordings(Protocol):
    """Recorded replies of judges; `recordings.Recordings` are those of a suite."""

    def check(
        self, asked: JudgeInput, item: CriterionItem, ranges: bool, judge: str | None
    ) -> RecordedJudgement | None:
        """The recorded reply about one criterion, by `judge` or by any judge."""

    def free_form(self, asked: JudgeInput, judge: str | None) -> RecordedJudgement | None:
        """The recorded reply about the answer as a whole, by `judge` or by any judge."""

    def record_checks(
        self,
        asked: JudgeInput,
        checks: Sequence[tuple[CriterionItem, CriterionCheck]],
        ranges: bool,
        made: Provenance,
        *,
        afresh: bool = False,
    ) -> None:
        """Record replies about criteria; `afresh` replaces this judge's earlier ones for the case."""

    def record_free_form(
        self, asked: JudgeInput, score: EvaluationScore, made: Provenance, *, afresh: bool = False
    ) -> None:
        """Record a reply about the answer as a whole; see `record_checks`."""
