"""Messages, questions, documents, progress and log lines for the user."""

from typing import Literal, TypedDict

from rubric_lsp.protocol.notices import MessageType
from rubric_lsp.protocol.wire_types.diagnostics import WorkspaceDiagnosticReport


class ShowMessageParams(TypedDict):
    """A message."""

    type: MessageType
    message: str


class LogMessageParams(TypedDict):
    """A log line."""

    type: MessageType
    message: str


class MessageActionItem(TypedDict):
    """One of the possible answers to a question."""

    title: str


class ShowMessageRequestParams(ShowMessageParams):
    """A question."""

    actions: list[MessageActionItem]


class ShowDocumentParams(TypedDict):
    """A document to show."""

    uri: str
    takeFocus: bool


class TextDocumentContentResult(TypedDict):
    """The text of a virtual document."""

    text: str


class TextDocumentContentRefreshParams(TypedDict):
    """A virtual document whose text has changed."""

    uri: str


class WorkDoneProgressCreateParams(TypedDict):
    """The token of a piece of work."""

    token: str


class _WorkDoneProgressBegin(TypedDict):
    kind: Literal["begin"]
    title: str


class WorkDoneProgressBegin(_WorkDoneProgressBegin, total=False):
    """A piece of work begins."""

    percentage: int
    cancellable: bool


class _WorkDoneProgressReport(TypedDict):
    kind: Literal["report"]
    message: str


class WorkDoneProgressReport(_WorkDoneProgressReport, total=False):
    """The current state."""

    percentage: int
    cancellable: bool


class WorkDoneProgressEnd(TypedDict):
    """The outcome."""

    kind: Literal["end"]
    message: str


WorkDoneProgress = WorkDoneProgressBegin | WorkDoneProgressReport | WorkDoneProgressEnd


class ProgressParams(TypedDict):
    """A step of a piece of work, or a partial result."""

    token: int | str
    value: WorkDoneProgress | WorkspaceDiagnosticReport


class _LogTraceParams(TypedDict):
    message: str


class LogTraceParams(_LogTraceParams, total=False):
    """The duration of a request, and its description."""

    verbose: str
