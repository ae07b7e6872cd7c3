"""Places in documents, and edits of them."""

from typing import TypedDict


class Position(TypedDict):
    """Both count from 0; `character` in the units of the negotiated encoding."""

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
    """Edits of several documents, in either of the two members."""

    changes: dict[str, list[TextEdit]]
    documentChanges: list[TextDocumentEdit]
