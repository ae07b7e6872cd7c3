"""Positions, ranges and edits in the client's encoding."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rubric_core.text import Edit, Span
from rubric_core.text import Position as TextPosition
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.protocol.capabilities import Client

if TYPE_CHECKING:
    from rubric_lsp.protocol.wire_types.documents import (
        Location,
        Position,
        Range,
        TextDocumentEdit,
        TextEdit,
        WorkspaceEdit,
    )

__all__ = [
    "file_location", "lines", "location", "position_of", "range_of", "text_edits", "workspace_edit",
    "workspace_edits",
]  # fmt: skip


def position_of(at: TextPosition) -> "Position":
    """A position of the client as JSON."""
    return {"line": at.line, "character": at.character}


def range_of(snapshot: Snapshot, span: Span) -> "Range":
    """A span of a document as JSON, in the encoding of the client."""
    start, end = snapshot.range(span)
    return {"start": position_of(start), "end": position_of(end)}


def lines(snapshot: Snapshot, span: Span) -> "Range":
    """The lines of a span, to the start of the next line, so that typing at their end changes nothing."""
    start, end = snapshot.range(span)
    last = end.line + 1 if end.character or end == start else end.line
    return {"start": position_of(start), "end": {"line": last, "character": 0}}


def location(snapshot: Snapshot, span: Span) -> "Location":
    """A range of a document."""
    return {"uri": snapshot.uri, "range": range_of(snapshot, span)}


def file_location(uri: str) -> "Location":
    """The start of a file."""
    start: Position = {"line": 0, "character": 0}
    return {"uri": uri, "range": {"start": start, "end": start}}


def text_edits(snapshot: Snapshot, edits: Iterable[Edit]) -> list["TextEdit"]:
    """Edits of one document."""
    return [{"range": range_of(snapshot, e.span), "newText": e.new_text} for e in edits]


def workspace_edit(snapshot: Snapshot, edits: Iterable[Edit], client: Client) -> "WorkspaceEdit":
    """Edits of one document; with its version if the client checks versions."""
    made = text_edits(snapshot, edits)
    if client.versioned_edits:
        return {"documentChanges": [_document_edit(snapshot.uri, snapshot.version, made)]}
    return {"changes": {snapshot.uri: made}}


def workspace_edits(edits: "Iterable[tuple[Snapshot, Sequence[Edit]]]", client: Client) -> "WorkspaceEdit":
    """Edits of several documents."""
    made: dict[str, list[TextEdit]] = {}
    versions: dict[str, int | None] = {}
    for document, wanted in edits:  # a file may occur several times
        made.setdefault(document.uri, []).extend(text_edits(document, wanted))
        versions[document.uri] = document.version
    if client.versioned_edits:
        return {"documentChanges": [_document_edit(uri, versions[uri], changes) for uri, changes in made.items()]}
    return {"changes": made}


def _document_edit(uri: str, version: int | None, edits: list["TextEdit"]) -> "TextDocumentEdit":
    return {"textDocument": {"uri": uri, "version": version}, "edits": edits}
