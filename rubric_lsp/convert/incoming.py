"""What comes in: parameters as lsprotocol's types, checked when they were structured, taken apart."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rubric_core.text import Position, Span, TextRange
from rubric_lsp.workspace import Change, Snapshot

if TYPE_CHECKING:
    from lsprotocol import types


__all__ = [
    "arguments",
    "asked",
    "changed_files",
    "changes",
    "folders",
    "known_diagnostics",
    "offset",
    "only_kinds",
    "opened",
    "position",
    "positions",
    "progress_token",
    "text_range",
    "uri",
    "wanted_kinds",
    "was_asked",
    "within",
]


def uri(params: Any) -> str:
    """The document that a request or notification is about."""
    return str(params.text_document.uri)


def opened(params: "types.DidOpenTextDocumentParams") -> tuple[str, str, int, str]:
    """URI, language id, version and text of a document."""
    document = params.text_document
    return (
        document.uri,
        str(getattr(document.language_id, "value", document.language_id)),
        document.version,
        document.text,
    )


def asked(snapshot: Snapshot, params: Any) -> str:
    """What a request was about, in words for the log. The text itself may be confidential."""
    at = getattr(params, "position", None) or getattr(getattr(params, "range", None), "start", None)
    place = f":{at.line + 1}:{at.character + 1}" if at is not None else ""
    return f"{snapshot.uri}{place} (version {snapshot.version})"


def offset(snapshot: Snapshot, params: Any) -> int:
    """Where a request points to."""
    return snapshot.offset(Position(params.position.line, params.position.character))


def text_range(given: "types.Range") -> TextRange:
    return TextRange(Position(given.start.line, given.start.character), Position(given.end.line, given.end.character))


def within(snapshot: Snapshot, params: Any) -> Span:
    """The stretch that a request is about."""
    return snapshot.span(text_range(params.range))


def changes(params: "types.DidChangeTextDocumentParams") -> list[Change]:
    """The steps of an edit."""
    ranges = (getattr(c, "range", None) for c in params.content_changes)
    return [
        Change(text_range(r) if r is not None else None, c.text)
        for r, c in zip(ranges, params.content_changes, strict=True)
    ]


def folders(params: "types.DidChangeWorkspaceFoldersParams") -> tuple[dict[str, str], list[str]]:
    """The folders that were added, and those that were removed."""
    return {f.uri: f.name for f in params.event.added}, [f.uri for f in params.event.removed]


def changed_files(params: "types.DidChangeWatchedFilesParams") -> list[str]:
    """The files that were made, changed or deleted."""
    return [change.uri for change in params.changes]


def arguments(params: "types.ExecuteCommandParams") -> tuple[str, Sequence[Any]]:
    """A command and its arguments."""
    return params.command, params.arguments or ()


def known_diagnostics(params: "types.WorkspaceDiagnosticParams") -> tuple[dict[str, str], object, object]:
    """The lists of diagnostics that the client has, by URI; and its tokens for parts of the answer and for progress."""
    known = {each.uri: each.value for each in params.previous_result_ids}
    return known, getattr(params, "partial_result_token", None), getattr(params, "work_done_token", None)


def progress_token(params: Any) -> int | str | None:
    """The token under which the client wants to see the progress of this very request."""
    token = getattr(params, "work_done_token", None)
    return token if isinstance(token, int | str) else None


def only_kinds(params: "types.CodeActionParams") -> list[str]:
    """The kinds of actions that are asked for; empty for all."""
    return [str(getattr(kind, "value", kind)) for kind in params.context.only or ()]


def wanted_kinds(params: "types.CodeActionParams") -> Callable[[str], bool]:
    """Whether actions of a kind are asked for; the name of a kind stands for those below it, too."""
    only = only_kinds(params)
    return lambda kind: not only or any(kind == each or kind.startswith(f"{each}.") for each in only)


def was_asked(params: "types.CodeActionParams") -> bool:
    """Whether a person asked, rather than the editor on its own account."""
    kind = params.context.trigger_kind
    return kind is None or kind.value == 1


def position(params: Any) -> Position:
    """Where a request points to, as the client counts."""
    return Position(params.position.line, params.position.character)


def positions(params: Any) -> list[Position]:
    """Where a request points to, in several places."""
    return [Position(p.line, p.character) for p in params.positions]
