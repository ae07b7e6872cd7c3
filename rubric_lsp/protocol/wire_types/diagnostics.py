"""Diagnostics, published or pulled."""

from typing import Literal, TypedDict

from rubric_lsp.protocol.json_array import JsonArray
from rubric_lsp.protocol.wire_types.documents import Location, Range


class CodeDescription(TypedDict):
    """The page about a code."""

    href: str


class DiagnosticRelatedInformation(TypedDict):
    """A location related to a diagnostic."""

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
    """The diagnostics of a file; without a version, it is not open."""

    version: int | None


class FullDocumentDiagnosticReport(TypedDict):
    """The diagnostics of a document."""

    kind: Literal["full"]
    resultId: str
    items: JsonArray | list[Diagnostic]


class UnchangedDocumentDiagnosticReport(TypedDict):
    """The client's diagnostics of a document are up to date."""

    kind: Literal["unchanged"]
    resultId: str


DocumentReport = FullDocumentDiagnosticReport | UnchangedDocumentDiagnosticReport


class RelatedFullDocumentDiagnosticReport(FullDocumentDiagnosticReport, total=False):
    """The same, with those of other documents."""

    relatedDocuments: dict[str, DocumentReport]


class RelatedUnchangedDocumentDiagnosticReport(UnchangedDocumentDiagnosticReport, total=False):
    """The same, with those of other documents."""

    relatedDocuments: dict[str, DocumentReport]


RelatedDocumentReport = RelatedFullDocumentDiagnosticReport | RelatedUnchangedDocumentDiagnosticReport


class WorkspaceFullDocumentDiagnosticReport(FullDocumentDiagnosticReport):
    """The diagnostics of one file of the workspace; null is the version on disk."""

    uri: str
    version: int | None


class WorkspaceDiagnosticReport(TypedDict):
    """The diagnostics of all files."""

    items: list[WorkspaceFullDocumentDiagnosticReport]
