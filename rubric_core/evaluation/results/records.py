"""What the database of results holds, as its readers see it: runs, and the cases of a run."""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, Literal, NamedTuple

from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.evaluation.results.known_case import ResultSummary
from rubric_core.lazy_compilation import dataclass, field
from rubric_core.ports import Tokens

__all__ = [
    "EvaluatorScore",
    "RepeatScore",
    "RunCase",
    "RunInfo",
    "RunNotFoundError",
    "RunRecord",
    "RunState",
    "ScoreKind",
]

#: What a score belongs to: an evaluator of the case, a member of a composite, a line of a rubric.
ScoreKind = Literal["evaluator", "member", "criterion"]
#: Characters of what a case asked that a report shows.
_LONGEST_INPUT = 20_000


class RunState(str, Enum):
    """Whether a run goes on, came to its end, or was stopped: by a person, or with its process."""

    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"


class RunNotFoundError(LookupError):
    """No run is meant; the message is a sentence that says which there are."""

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class RunInfo:
    """The facts about a run that are known when it begins."""

    command: tuple[str, ...] = ()
    #: The suites that it runs.
    suites: Sequence[Path] = ()
    #: Of the repository; "" and False outside one.
    commit: str = ""
    dirty: bool = False
    rubric_version: str = ""
    #: Whether it sets out to run some of the cases of its suites only.
    partial: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """A run in a list. Times are ISO 8601 in UTC; `duration_ms` is from its start to the end of its last case."""

    #: Sorts by time, and can be typed: "20261124-105233-3f2a".
    id: str
    started_at: str
    #: None while it runs, and of one that was killed.
    ended_at: str | None = None
    state: RunState = RunState.DONE
    #: The commit that was checked out, and whether files that git tracks differed from it; "" outside a repository.
    commit: str = ""
    dirty: bool = False
    #: The command line, without secrets; that of an editor begins with "editor".
    command: tuple[str, ...] = ()
    #: Relative to the root, with slashes.
    suites: tuple[str, ...] = ()
    dialects: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    #: How many cases ended so; each verdict is there.
    counts: Mapping[Verdict, int] = field(default_factory=dict)
    #: How many evaluators could not run or crashed.
    grader_errors: int = 0
    #: Of targets and judges together, as far as they tell; None when none does.
    tokens: Tokens | None = None
    #: US dollars, as far as they are known.
    cost_usd: float | None = None
    duration_ms: float | None = None
    rubric_version: str = ""
    #: As of `RunInfo`; False for a run that an earlier version stored.
    partial: bool = False

    @property
    def cases(self) -> int:
        """How many cases have ended."""
        return sum(self.counts.values())


class EvaluatorScore(NamedTuple):
    """The score of an evaluator, a member or a criterion, 0..1; None without a score."""

    kind: ScoreKind
    #: Its name after the names of what it is part of: "style / tone".
    path: str
    #: The type of the evaluator; "" of a criterion.
    type: str
    verdict: Verdict
    score: float | None
    weight: float


class RepeatScore(NamedTuple):
    """One run of a case that ran several times; the score is 0..1."""

    verdict: Verdict
    score: float | None
    duration_ms: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCase:
    """A case of a run. Its whole result is read on demand."""

    #: The suite that ran it, relative to the root, with slashes.
    suite: str
    id: str
    target: str
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    summary: ResultSummary
    #: US dollars and tokens, of target and judges together.
    cost_usd: float | None = None
    tokens: Tokens | None = None
    #: Those of a composite are followed by those of its members, those of a rubric by its criteria.
    scores: tuple[EvaluatorScore, ...] = ()
    #: Empty for a case that ran once.
    repeats: tuple[RepeatScore, ...] = ()
    read: Callable[[], CaseResult] = field(repr=False, compare=False)

    @property
    def result(self) -> CaseResult:
        """All of it: answer, reasons, replies of judges, what was sent. Of a damaged one, what the summary says."""
        return self.read()

    @property
    def input(self) -> str:
        """The first request to the target, as text of bounded length; "" if nothing was sent."""
        asked = next((sent for sent in self.result.exchanges if sent.role == "target"), None)
        if asked is None:
            return ""
        written = "\n\n".join(str(message.content) for message in asked.messages) or str(asked.payload or "")
        return written if len(written) <= _LONGEST_INPUT else f"{written[:_LONGEST_INPUT]}…"
