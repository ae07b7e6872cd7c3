"""Reads request parameters, whose structure is already checked."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rubric_core.loading.files import absolute
from rubric_core.text import Position, Span, TextRange
from rubric_lsp.documents.content_changes import ContentChange
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.protocol.uris import path_of

__all__ = [
    "Params",
    "after_space",
    "arguments",
    "changed_files",
    "changes",
    "findings_on_line",
    "folders",
    "inside_text",
    "is_explicit_request",
    "known_diagnostics",
    "line",
    "moves",
    "offset",
    "opened",
    "positions",
    "request_words",
    "text_range",
    "uri",
    "wanted_kinds",
    "wants_everything",
    "within",
]  # fmt: skip

#: JSON that `rubric_lsp.protocol.params` has checked for the members that are read here.
Params = Mapping[str, Any]


def uri(params: Params) -> str:
    """The document that a request or notification is about."""
    return str(params["textDocument"]["uri"])


def opened(params: Params) -> tuple[str, str, int | None, str]:
    """URI, language id, version and text of a document."""
    document = params["textDocument"]
    return document["uri"], document.get("languageId") or "", document.get("version"), document["text"]


def request_words(snapshot: Snapshot, params: Params) -> str:
    """A description of a request for the log, without its texts, which may be confidential."""
    at = params.get("position") or (params.get("range") or {}).get("start")
    place = f":{at['line'] + 1}:{at['character'] + 1}" if at else ""
    return f"{snapshot.uri}{place} (version {snapshot.version})"


def offset(snapshot: Snapshot, params: Params) -> int:
    """The offset of a request's position."""
    return snapshot.offset(_position(params["position"]))


def line(params: Params) -> int | None:
    """The line of a request's position; None for a request about a document or the visible range."""
    at = params.get("position") or next(iter(params.get("positions") or ()), None)
    if at is None and "context" in params:
        at = params["range"]["start"]
    return at["line"] if at is not None else None


def text_range(given: Params) -> TextRange:
    """A range in the client's encoding."""
    return TextRange(_position(given["start"]), _position(given["end"]))


def _position(given: Params) -> Position:
    return Position(given["line"], given["character"])


def within(snapshot: Snapshot, params: Params) -> Span:
    """The range of a request."""
    return snapshot.span(text_range(params["range"]))


def changes(params: Params) -> list[ContentChange]:
    """The content changes of an edit."""
    steps = ((c.get("range"), c["text"]) for c in params["contentChanges"])
    return [ContentChange(text_range(where) if where is not None else None, text) for where, text in steps]


def folders(params: Params) -> tuple[dict[str, str], list[str]]:
    """The added folders, name by URI, and the removed ones."""
    event = params["event"]
    return {f["uri"]: f.get("name") or "" for f in event["added"]}, [f["uri"] for f in event["removed"]]


def changed_files(params: Params) -> list[str]:
    """The files that were created, changed or deleted."""
    return [change["uri"] for change in params["changes"]]


def moves(params: Params) -> dict[Path, Path]:
    """The files and folders that will be moved, with their new paths; URIs of other schemes are left out."""
    paths = ((path_of(each["oldUri"]), path_of(each["newUri"])) for each in params["files"])
    return {absolute(old): absolute(new) for old, new in paths if old is not None and new is not None}


def arguments(params: Params) -> tuple[str, Sequence[Any]]:
    """A command and its arguments."""
    return params["command"], params.get("arguments") or ()


def known_diagnostics(params: Params) -> tuple[dict[str, str], int | str | None, int | str | None]:
    """The client's diagnostic result ids by URI, and its tokens for partial results and progress."""
    known = {each["uri"]: each["value"] for each in params["previousResultIds"]}
    return known, params.get("partialResultToken"), params.get("workDoneToken")


def wanted_kinds(params: Params) -> Callable[[str], bool]:
    """Whether actions of a kind are requested; a kind includes those below it, and the empty kind every other."""
    only = params["context"].get("only") or ("",)
    return lambda kind: any(each in ("", kind) or kind.startswith(f"{each}.") for each in only)


def wants_everything(params: Params) -> bool:
    """Whether actions of every kind are requested, as for a menu."""
    return "" in (params["context"].get("only") or ("",))


def findings_on_line(snapshot: Snapshot, params: Params) -> frozenset[tuple[str, int]]:
    """The diagnostics that the client shows on the lines of a request, by code and offset.

    Neovim sends those of the whole line, regardless of the cursor's column.
    """
    first, last = params["range"]["start"]["line"], params["range"]["end"]["line"]
    on_lines = (
        (str(each.get("code")), snapshot.offset(_position(each["range"]["start"])))
        for each in params["context"]["diagnostics"]
        if each["range"]["start"]["line"] <= last and each["range"]["end"]["line"] >= first
    )
    return frozenset(on_lines)


def is_explicit_request(params: Params) -> bool:
    """Whether the user asked for actions, rather than the editor on its own."""
    return params["context"].get("triggerKind") in (None, 1)


def after_space(params: Params) -> bool:
    """Whether the editor asks for suggestions on its own, because a space was typed."""
    return (params.get("context") or {}).get("triggerCharacter") == " "


def inside_text(params: Params) -> bool:
    """Whether the editor asks on its own, because a character was typed that matters inside of code and templates only."""
    return (params.get("context") or {}).get("triggerCharacter") in (".", "|")


def positions(params: Params) -> list[Position]:
    """The offsets of a request's positions."""
    return [_position(each) for each in params["positions"]]
