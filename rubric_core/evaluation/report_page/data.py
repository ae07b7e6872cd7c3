"""The data of the page, as JSON. `report/src/data.ts` declares the same types.

Scores and rates are 0..1, bands 0..10, times milliseconds, costs US dollars. Keys with unknown values are left out.
"""

from typing import Literal, TypeAlias, TypedDict

__all__ = [
    "BandData", "CaseData", "CaseRow", "ChangeName", "ComparisonData", "CriterionData", "DifferenceData", "EvaluatorData",
    "EvaluatorName", "GraderErrorData", "HistoryData", "PairData", "ReportData", "RequestData", "RunData", "ScoreData", "SideData",
    "SuiteName", "TextData", "TokenData", "UsageData", "VerdictName",
]  # fmt: skip

VerdictName: TypeAlias = Literal["passed", "borderline", "failed", "unscored"]
#: What became of a case, in the words of `comparison.pairs.CaseChange`.
ChangeName: TypeAlias = Literal[
    "no_longer_passes", "now_passes", "moved", "same", "unscored", "test_changed", "only_before", "only_after"
]
#: The number of an evaluator in `ReportData.evaluators`, its verdict, its score.
ScoreData: TypeAlias = tuple[int, VerdictName, float | None]


class RunData(TypedDict, total=False):
    """One run."""

    id: str
    startedAt: str
    endedAt: str
    state: Literal["running", "done", "stopped"]
    commit: str
    dirty: bool
    command: str
    suites: list[str]
    targets: list[str]
    judges: list[str]
    counts: dict[VerdictName, int]
    graderErrors: int
    meanScore: float
    tokens: int
    costUsd: float
    durationMs: float
    rubricVersion: str
    #: Why it decides nothing, for one that this user's rubric did not store as it is.
    foreign: str


class EvaluatorName(TypedDict):
    """An evaluator of some of the cases."""

    name: str
    type: str


class CaseRow(TypedDict, total=False):
    """A case in lists; `suite`, `target` and `tags` are numbers in the lists of `ReportData`."""

    suite: int
    target: int
    tags: list[int]
    id: str
    verdict: VerdictName
    score: float
    durationMs: float
    costUsd: float
    tokens: int
    graderErrors: int
    #: The beginning of the input, and of the reason why it did not pass.
    input: str
    reason: str
    scores: list[ScoreData]
    #: Each run of a case that ran several times.
    repeats: list[tuple[VerdictName, float | None]]
    #: Opens the case in an editor.
    open: str


class SideData(TypedDict, total=False):
    """The result in one of two runs."""

    verdict: VerdictName
    score: float


class PairData(TypedDict, total=False):
    """A case in two runs."""

    change: ChangeName
    #: The number of the case in `ReportData.cases`; missing for a case that only the earlier run has.
    case: int
    id: str
    target: str
    before: SideData
    after: SideData


class DifferenceData(TypedDict, total=False):
    """A figure in two runs; `low` and `high` are the bounds of the 95 % interval of the difference."""

    name: str
    unit: Literal["rate", "score", "usd", "ms", "tokens"]
    before: float
    after: float
    low: float
    high: float
    p: float
    #: Better or worse beyond chance.
    direction: Literal["better", "worse"]
    #: Over how many cases.
    cases: int


class ComparisonData(TypedDict):
    """A run compared with an earlier one."""

    base: RunData
    words: str
    differences: list[DifferenceData]
    #: The same for evaluators, criteria, tags, targets and suites: where a difference comes from.
    groups: list[DifferenceData]
    pairs: list[PairData]


class ReportData(TypedDict, total=False):
    """A run with its cases. What is shown of one case alone is `CaseData`."""

    version: Literal[1]
    generatedAt: str
    run: RunData
    #: Earlier runs and this one, oldest first.
    trend: list[RunData]
    suites: list[str]
    targets: list[str]
    tags: list[str]
    evaluators: list[EvaluatorName]
    cases: list[CaseRow]
    comparison: ComparisonData
    #: How many cases a piece of the details has.
    detailsPerPiece: int


class SuiteName(TypedDict, total=False):
    """The suite of a case; `uri` for editors."""

    uri: str
    name: str


class BandData(TypedDict):
    """A score range; its bounds of 0..10 are included."""

    low: int
    high: int
    text: str
    hit: bool


class CriterionData(TypedDict, total=False):
    """A line of a rubric, judged."""

    id: str
    label: str
    text: str
    verdict: VerdictName
    score: float
    #: 0..10, as the judge gave it.
    raw: int
    weight: float
    minimum: float
    #: As `EvaluatorData.passes` and `shown`.
    passes: str
    shown: str
    gateFailed: bool
    reasoning: str
    bands: list[BandData]
    range: dict[str, object]


class EvaluatorData(TypedDict, total=False):
    """An evaluator of a case, or a member of one."""

    name: str
    type: str
    verdict: VerdictName
    score: float
    weight: float
    #: Its share of the score of the case, 0..1, and its contribution.
    share: float
    contribution: float
    minimum: float
    #: In how many rows or runs it passed, if not in all: `6/12`; `shown` is the one that its verdict and its texts are of.
    passes: str
    shown: str
    gate: str
    reason: str
    error: str
    reasoning: str
    hits: list[str]
    misses: list[str]
    judge: str
    #: What the judge replied in each try.
    replies: list[str]
    durationMs: float
    range: dict[str, object]
    criteria: list[CriterionData]
    members: "list[EvaluatorData]"


class TextData(TypedDict):
    """A sent text: a message with its role, or the input of a program."""

    name: str
    text: str


class RequestData(TypedDict):
    """Something that was sent, in words."""

    role: Literal["target", "judge", "program", "server"]
    evaluator: str
    title: str
    before: list[str]
    texts: list[TextData]
    after: list[str]


class TokenData(TypedDict):
    """As `ports.Tokens`."""

    input: int
    output: int
    cached: int
    reasoning: int


class UsageData(TypedDict, total=False):
    """The usage of a target or a judge."""

    role: str
    name: str
    model: str
    calls: int
    recorded: int
    tokens: TokenData
    costUsd: float
    text: str


class GraderErrorData(TypedDict):
    """A grader that could not run or crashed."""

    evaluator: str
    error: str


class HistoryData(TypedDict, total=False):
    """An earlier result of the same case."""

    verdict: VerdictName
    score: float
    at: str


class CaseData(TypedDict, total=False):
    """Everything that is shown of a case; the server sends the same, with more, as `rubric/report`."""

    caseId: str
    suite: SuiteName
    dialect: str
    target: str
    judges: list[str]
    verdict: VerdictName
    score: float
    #: Missing if no score decides.
    threshold: float
    stale: bool
    at: str
    durationMs: float
    costUsd: float
    reason: str
    graderErrors: list[GraderErrorData]
    #: The input of the case.
    prompt: str
    answer: str
    expectedOutput: str
    command: str
    flips: list[str]
    evaluators: list[EvaluatorData]
    usage: list[UsageData]
    requests: list[RequestData]
    history: list[HistoryData]
    #: The same case in the run that this one is compared with.
    before: "CaseData"
    #: How many characters of its texts were left out.
    cut: int
