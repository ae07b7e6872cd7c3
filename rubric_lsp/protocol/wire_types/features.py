"""Responses to requests about a document."""

from typing import Any, Literal, TypedDict

from rubric_lsp.protocol.json_array import JsonArray
from rubric_lsp.protocol.wire_types.diagnostics import Diagnostic
from rubric_lsp.protocol.wire_types.documents import Location, Position, Range, TextEdit, WorkspaceEdit


class Command(TypedDict):
    """A command of the server, or of the client."""

    title: str
    command: str


class CommandWithArguments(Command):
    """A command with arguments."""

    arguments: list[Any]


class CodeActionDisabled(TypedDict):
    """Why an action is disabled."""

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
    """A command above a range."""

    range: Range
    command: Command | CommandWithArguments


class MarkupContent(TypedDict):
    """Text for display."""

    kind: Literal["markdown", "plaintext"]
    value: str


class Hover(TypedDict):
    """The hover of a range."""

    contents: MarkupContent
    range: Range


class Documented(TypedDict, total=False):
    """The part of a completion item that is sent when it is resolved."""

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
    command: Command


class CompletionList(TypedDict):
    """All suggestions at a position."""

    isIncomplete: bool
    items: list[CompletionItem]


class _InlayHint(TypedDict):
    position: Position
    label: str
    paddingLeft: bool


class InlayHint(_InlayHint, total=False):
    """Text after a position; `data` is the state of a result, for clients that draw results themselves."""

    tooltip: str
    data: dict[str, str]


class _DocumentSymbol(TypedDict):
    name: str
    kind: int
    range: Range
    selectionRange: Range


class DocumentSymbol(_DocumentSymbol, total=False):
    """An entry of the outline, with its children."""

    detail: str
    children: "list[DocumentSymbol]"


class _SymbolInformation(TypedDict):
    name: str
    kind: int
    location: Location


class SymbolInformation(_SymbolInformation, total=False):
    """A symbol in a flat list."""

    containerName: str


class DocumentHighlight(TypedDict):
    """An occurrence of a name: read (2) or written (3)."""

    range: Range
    kind: Literal[2, 3]


class PrepareRenamePlaceholder(TypedDict):
    """A name that can be renamed, with its current text."""

    range: Range
    placeholder: str


class DocumentLink(TypedDict):
    """A range that links to a file."""

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
    """A range and its parent."""

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
    """The changes since an earlier result."""

    resultId: str
    edits: list[SemanticTokensEdit]
