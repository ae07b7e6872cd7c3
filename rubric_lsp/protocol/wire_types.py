"""The shapes of what the server sends, under the names of LSP; those of `rubric/*` are described in docs/test-protocol.md.

They are plain dictionaries: mypy checks each member, and nothing is instantiated. The tests compare every class with lsprotocol, or with
what the extension of VS Code declares. A member that is always sent is required here even where LSP makes it optional. Python 3.10 has no
`NotRequired`: required members are in a base class of their own.
"""

from typing import Any, Literal, TypedDict

from rubric_lsp.protocol.json_array import JsonArray

# -- LSP ---------------------------------------------------------------------------------------------------------------


class Position(TypedDict):
    """Both count from 0; `character` in the units of the encoding that client and server agreed on."""

    line: int
    character: int


class Range(TypedDict):
    """The end is excluded."""

    start: Position
    end: Position


class Location(TypedDict):
    """A range of a document."""

    uri: str
    range: Range


class TextEdit(TypedDict):
    """A range and the text that replaces it."""

    range: Range
    newText: str


class OptionalVersionedTextDocumentIdentifier(TypedDict):
    """A document at a version; null is the one on disk."""

    uri: str
    version: int | None


class TextDocumentEdit(TypedDict):
    """Edits of one version of a document."""

    textDocument: OptionalVersionedTextDocumentIdentifier
    edits: list[TextEdit]


class WorkspaceEdit(TypedDict, total=False):
    """Edits of several documents, in one of the two members."""

    changes: dict[str, list[TextEdit]]
    documentChanges: list[TextDocumentEdit]


class CodeDescription(TypedDict):
    """The page about a code."""

    href: str


class DiagnosticRelatedInformation(TypedDict):
    """A place that a diagnostic refers to."""

    location: Location
    message: str


#: Error, warning, information, hint.
DiagnosticSeverity = Literal[1, 2, 3, 4]
#: Unnecessary, deprecated.
DiagnosticTag = Literal[1, 2]


class _Diagnostic(TypedDict):
    range: Range
    severity: DiagnosticSeverity
    code: str
    source: str
    message: str


class Diagnostic(_Diagnostic, total=False):
    """A finding, or the outcome of a case."""

    codeDescription: CodeDescription
    relatedInformation: list[DiagnosticRelatedInformation]
    tags: list[DiagnosticTag]
    data: dict[str, list[str]]


class _PublishDiagnosticsParams(TypedDict):
    uri: str
    diagnostics: JsonArray | list[Diagnostic]


class PublishDiagnosticsParams(_PublishDiagnosticsParams, total=False):
    """The diagnostics of a file; without a version it is not open."""

    version: int | None


class Command(TypedDict):
    """A command of the server, or of the client."""

    title: str
    command: str


class CommandWithArguments(Command):
    """A command that is about something."""

    arguments: list[Any]


class CodeActionDisabled(TypedDict):
    """Why an action cannot be chosen."""

    reason: str


class _CodeAction(TypedDict):
    title: str
    kind: str


class CodeAction(_CodeAction, total=False):
    """A fix, a refactoring or a run; `data` is its number in the newest list."""

    diagnostics: list[Diagnostic]
    isPreferred: bool
    disabled: CodeActionDisabled
    edit: WorkspaceEdit
    command: CommandWithArguments
    data: int


class CodeLens(TypedDict):
    """A line of commands above a range."""

    range: Range
    command: Command | CommandWithArguments


class MarkupContent(TypedDict):
    """Text for people."""

    kind: Literal["markdown", "plaintext"]
    value: str


class Hover(TypedDict):
    """What is shown for a range."""

    contents: MarkupContent
    range: Range


class Documented(TypedDict, total=False):
    """The member of a completion item that is sent when the item is chosen."""

    documentation: MarkupContent


class _CompletionItem(TypedDict):
    label: str
    kind: int
    textEdit: TextEdit
    filterText: str


class CompletionItem(_CompletionItem, Documented, total=False):
    """A suggestion; `data` is its number in the newest list."""

    insertTextFormat: Literal[1, 2]
    insertTextMode: Literal[1, 2]
    detail: str
    tags: list[Literal[1]]
    deprecated: bool
    sortText: str
    data: int


class CompletionList(TypedDict):
    """All suggestions at a position."""

    isIncomplete: bool
    items: list[CompletionItem]


class _InlayHint(TypedDict):
    position: Position
    label: str
    paddingLeft: bool


class InlayHint(_InlayHint, total=False):
    """Text behind a position; `data` is the state of a result, for clients that draw results themselves."""

    tooltip: str
    data: dict[str, str]


class _DocumentSymbol(TypedDict):
    name: str
    kind: int
    range: Range
    selectionRange: Range


class DocumentSymbol(_DocumentSymbol, total=False):
    """An entry of the outline, with those in it."""

    detail: str
    children: "list[DocumentSymbol]"


class _SymbolInformation(TypedDict):
    name: str
    kind: int
    location: Location


class SymbolInformation(_SymbolInformation, total=False):
    """A name in a list."""

    containerName: str


class DocumentHighlight(TypedDict):
    """A place where a name stands: read (2) or written (3)."""

    range: Range
    kind: Literal[2, 3]


class PrepareRenamePlaceholder(TypedDict):
    """A name that can be changed, as it is."""

    range: Range
    placeholder: str


class DocumentLink(TypedDict):
    """A range that opens a file."""

    range: Range
    target: str


class _FoldingRange(TypedDict):
    startLine: int
    endLine: int


class FoldingRange(_FoldingRange, total=False):
    """Lines that fold, both included."""

    kind: Literal["comment"]


class _SelectionRange(TypedDict):
    range: Range


class SelectionRange(_SelectionRange, total=False):
    """A range, and the next larger one."""

    parent: "SelectionRange"


class SemanticTokensPartialResult(TypedDict):
    """Tokens of a range, five numbers each."""

    data: JsonArray


class SemanticTokens(SemanticTokensPartialResult):
    """Tokens of a document."""

    resultId: str


class SemanticTokensEdit(TypedDict):
    """Numbers that replace others."""

    start: int
    deleteCount: int
    data: list[int]


class SemanticTokensDelta(TypedDict):
    """What has changed since an earlier result."""

    resultId: str
    edits: list[SemanticTokensEdit]


class FullDocumentDiagnosticReport(TypedDict):
    """The diagnostics of a document."""

    kind: Literal["full"]
    resultId: str
    items: JsonArray | list[Diagnostic]


class UnchangedDocumentDiagnosticReport(TypedDict):
    """The client has the diagnostics of a document."""

    kind: Literal["unchanged"]
    resultId: str


DocumentReport = FullDocumentDiagnosticReport | UnchangedDocumentDiagnosticReport


class RelatedFullDocumentDiagnosticReport(FullDocumentDiagnosticReport, total=False):
    """The same, with those of other documents."""

    relatedDocuments: dict[str, DocumentReport]


class RelatedUnchangedDocumentDiagnosticReport(UnchangedDocumentDiagnosticReport, total=False):
    """The same, with those of other documents."""

    relatedDocuments: dict[str, DocumentReport]


class WorkspaceFullDocumentDiagnosticReport(FullDocumentDiagnosticReport):
    """The diagnostics of a file among all; null is the version on disk."""

    uri: str
    version: int | None


class WorkspaceDiagnosticReport(TypedDict):
    """The diagnostics of all files."""

    items: list[WorkspaceFullDocumentDiagnosticReport]


# -- rubric/* ----------------------------------------------------------------------------------------------------------


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


class Discovered(TypedDict):
    """The tests of the suites in `scope`, or those suites."""

    tests: list[Test]
    scope: list[str]


class Moved(TypedDict):
    """The tests from a line on stand so many lines lower."""

    line: int
    by: int


class _Changed(TypedDict):
    textDocument: TextDocument
    tests: list[Test]
    removed: list[str]


class Changed(_Changed, total=False):
    """What an edit made of the tests of a suite."""

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
    """What becomes of a test; `score` is 0..1."""

    score: float
    durationMs: float
    graderErrors: int
    messages: list[Message]


class StartedRun(TypedDict):
    """The answer to `rubric/runTests`; `runId` is empty where nothing was started."""

    runId: str
    tests: list[str]


class RunBegan(StartedRun):
    """A run begins."""

    label: str


class _TestOutput(TypedDict):
    runId: str
    text: str


class TestOutput(_TestOutput, total=False):
    """Text of a run, with line breaks of a terminal."""

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
