"""`rubric/*`: the tree of tests, and runs. docs/test-protocol.md describes them."""

from typing import TYPE_CHECKING, Literal, TypedDict

from rubric_lsp.protocol.wire_types.documents import Location, Range

if TYPE_CHECKING:
    from rubric_core.evaluation.report_page.data import ReportData


class TextDocument(TypedDict):
    """A document by its URI."""

    uri: str


class _Test(TypedDict):
    id: str
    label: str
    kind: Literal["suite", "case", "evaluator"]
    canResolveChildren: bool
    textDocument: TextDocument
    sortText: str


class Test(_Test, total=False):
    """A suite, case or evaluator in the tree of tests."""

    description: str
    parent: str
    range: Range
    debuggable: bool


class Discovered(TypedDict):
    """The tests of the suites in `scope`, or the suites themselves."""

    tests: list[Test]
    scope: list[str]


class Moved(TypedDict):
    """The tests from a line on moved by so many lines."""

    line: int
    by: int


class _Changed(TypedDict):
    textDocument: TextDocument
    tests: list[Test]
    removed: list[str]


class Changed(_Changed, total=False):
    """The effect of an edit on the tests of a suite."""

    moved: Moved


class _Message(TypedDict):
    message: str
    severity: Literal["error", "warning", "information"]


class Message(_Message, total=False):
    """Why a test has its state."""

    location: Location
    subject: str
    expected: str
    actual: str


State = Literal[
    "enqueued", "started", "passed", "borderline", "failed", "unscored", "skipped", "cancelled", "outdated", "fresh"
]


class _TestState(TypedDict):
    runId: str
    testId: str
    state: State


class TestState(_TestState, total=False):
    """The state of a test; `score` is 0..1."""

    score: float
    durationMs: float
    graderErrors: int
    #: The mark of an evaluator that differs from its state, which is never worse than that of its case: `✘ 0.60`.
    description: str
    messages: list[Message]


class StartedRun(TypedDict):
    """The response to `rubric/runTests`; `runId` is empty if nothing was started."""

    runId: str
    tests: list[str]


class GraderProgram(TypedDict):
    """A grading program, as a debugger starts it."""

    kind: Literal["python", "node"]
    runtime: str
    #: Options of the interpreter.
    options: list[str]
    #: A file, `-m` and a module, or code behind `-c` or `-e`; then its own arguments.
    arguments: list[str]
    cwd: str
    #: All variables that a run gives it.
    environment: dict[str, str]
    stdin: str


class DebuggedGrader(TypedDict, total=False):
    """The response to `rubric/debugGrader`: a program, or why there is none; neither if the user refused."""

    launch: GraderProgram
    trouble: str


class RunBegan(StartedRun):
    """A run begins."""

    label: str


class _TestOutput(TypedDict):
    runId: str
    text: str


class TestOutput(_TestOutput, total=False):
    """Output of a run, with line breaks for terminals."""

    testId: str


class _RunEnded(TypedDict):
    runId: str
    passed: int
    borderline: int
    failed: int
    unscored: int
    cancelled: bool
    durationMs: float


class RunEnded(_RunEnded, total=False):
    """A run is over: the number of cases by verdict."""

    graderErrors: int
    costUsd: float


class About(TypedDict):
    """An open suite, for a status bar."""

    dialect: str
    because: str
    target: str
    judge: str
    cases: int
    trusted: bool


class BegunRun(TypedDict):
    """The result of a command that runs cases: their ids."""

    runId: str
    running: list[str]


class Difference(TypedDict):
    """The answer to `rubric.diffAnswer` for a client that shows differences itself."""

    title: str
    expected: str
    answer: str


class DifferenceDocument(TypedDict):
    """The same for others: the document with the difference."""

    difference: str


class RunReport(TypedDict, total=False):
    """The answer to `rubric/runReport`: the data of the page, or why there is no page."""

    data: "ReportData"
    trouble: str


class RunComparison(TypedDict, total=False):
    """The answer to `rubric/compareRuns`: the comparison as text, or why there is none."""

    text: str
    trouble: str
