"""The records of the database of results: runs, and the cases of a run."""

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
    "are_own",
]

#: The part that a score belongs to: an evaluator of the case, a member of a composite, a criterion of a rubric.
ScoreKind = Literal["evaluator", "member", "criterion"]
#: The most characters of the input that a report shows.
_LONGEST_INPUT = 20_000


class RunState(str, Enum):
    """Whether a run is in progress, has ended, or was stopped, by the user or with its process."""

    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"


class RunNotFoundError(LookupError):
    """No run matches; the message lists the existing runs."""

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class RunInfo:
    """The facts about a run that are known when it begins."""

    command: tuple[str, ...] = ()
    #: Its suites.
    suites: Sequence[Path] = ()
    #: Of the repository; "" and False outside of one.
    commit: str = ""
    dirty: bool = False
    rubric_version: str = ""
    #: Whether it selects only some of the cases of its suites.
    partial: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """A run in a list. Times are ISO 8601 in UTC; `duration_ms` is from its start to the end of its last case."""

    #: Sorts by time, and is easy to type: "20261124-105233-3f2a".
    id: str
    started_at: str
    #: None while it runs, and for a killed run.
    ended_at: str | None = None
    state: RunState = RunState.DONE
    #: The commit that was checked out, and whether tracked files differed from it; "" outside of a repository.
    commit: str = ""
    dirty: bool = False
    #: The command line, without secrets; for a run of an editor, it begins with "editor".
    command: tuple[str, ...] = ()
    #: Relative to the root, with slashes.
    suites: tuple[str, ...] = ()
    dialects: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    #: The number of cases by verdict, for every verdict.
    counts: Mapping[Verdict, int] = field(default_factory=dict)
    #: The number of evaluators that could not run or crashed.
    grader_errors: int = 0
    #: Of targets and judges together, if they report it; None if none does.
    tokens: Tokens | None = None
    #: US dollars, if known.
    cost_usd: float | None = None
    duration_ms: float | None = None
    rubric_version: str = ""
    #: See `RunInfo`; False for a run that an earlier version stored.
    partial: bool = False
    #: Whether this user's rubric stored it: any other run is shown and decides nothing.
    is_own: bool = True

    @property
    def cases(self) -> int:
        """The number of cases that have ended."""
        return sum(self.counts.values())


def are_own(run: RunRecord, cases: "Sequence[RunCase]") -> bool:
    """Whether this user's rubric stored a run and all of its cases, none of which was changed or removed since its end."""
    is_whole = run.ended_at is None or run.cases == len(cases)
    return run.is_own and is_whole and all(case.is_own for case in cases)


class EvaluatorScore(NamedTuple):
    """The score of an evaluator, a member or a criterion, 0..1; None without a score."""

    kind: ScoreKind
    #: Its name after those of its parents: "style / tone".
    path: str
    #: The type of the evaluator; "" for a criterion.
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
    """A case of a run. Its full result is read on demand."""

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
    #: A composite is followed by its members, a rubric by its criteria.
    scores: tuple[EvaluatorScore, ...] = ()
    #: Empty for a case that ran once.
    repeats: tuple[RepeatScore, ...] = ()
    read: Callable[[], CaseResult] = field(repr=False, compare=False)
    #: Computes `is_own`.
    proof: Callable[[], bool] = field(default=lambda: True, repr=False, compare=False)

    @property
    def is_own(self) -> bool:
        """Whether this user's rubric stored it and nobody changed it: any other case is shown and decides nothing."""
        return self.proof()

    @property
    def result(self) -> CaseResult:
        """The full result; of a damaged one, the data of the summary."""
        return self.read()

    @property
    def input(self) -> str:
        """The first request to the target, as text of bounded length; "" if nothing was sent."""
        asked = next((sent for sent in self.result.exchanges if sent.role == "target"), None)
        if asked is None:
            return ""
        written = "\n\n".join(str(message.content) for message in asked.messages) or str(asked.payload or "")
        return written if len(written) <= _LONGEST_INPUT else f"{written[:_LONGEST_INPUT]}…"
