"""Reads request parameters, whose shape is already checked."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rubric_core.loading.files import absolute
from rubric_core.text import Position, Span, TextRange
from rubric_lsp.documents.open_documents import ContentChange
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.protocol.uris import path_of

__all__ = [
    "Params",
    "arguments",
    "changed_files",
    "changes",
    "findings_on_line",
    "folders",
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

#: JSON, of which `rubric_lsp.protocol.params` has seen that what is read here is there.
Params = Mapping[str, Any]


def uri(params: Params) -> str:
    """The document that a request or notification is about."""
    return str(params["textDocument"]["uri"])


def opened(params: Params) -> tuple[str, str, int | None, str]:
    """URI, language id, version and text of a document."""
    document = params["textDocument"]
    return document["uri"], document.get("languageId") or "", document.get("version"), document["text"]


def request_words(snapshot: Snapshot, params: Params) -> str:
    """What a request was about, in words for the log. Its text is left out: it may be confidential."""
    at = params.get("position") or (params.get("range") or {}).get("start")
    place = f":{at['line'] + 1}:{at['character'] + 1}" if at else ""
    return f"{snapshot.uri}{place} (version {snapshot.version})"


def offset(snapshot: Snapshot, params: Params) -> int:
    """Where a request points to."""
    return snapshot.offset(_position(params["position"]))


def line(params: Params) -> int | None:
    """The line that a request points to; None for one about a document, or about all that is in sight."""
    at = params.get("position") or next(iter(params.get("positions") or ()), None)
    if at is None and "context" in params:
        at = params["range"]["start"]
    return at["line"] if at is not None else None


def text_range(given: Params) -> TextRange:
    """A range as the client counts."""
    return TextRange(_position(given["start"]), _position(given["end"]))


def _position(given: Params) -> Position:
    return Position(given["line"], given["character"])


def within(snapshot: Snapshot, params: Params) -> Span:
    """The stretch that a request is about."""
    return snapshot.span(text_range(params["range"]))


def changes(params: Params) -> list[ContentChange]:
    """The steps of an edit."""
    steps = ((c.get("range"), c["text"]) for c in params["contentChanges"])
    return [ContentChange(text_range(where) if where is not None else None, text) for where, text in steps]


def folders(params: Params) -> tuple[dict[str, str], list[str]]:
    """The folders that were added, name by URI, and those that were removed."""
    event = params["event"]
    return {f["uri"]: f.get("name") or "" for f in event["added"]}, [f["uri"] for f in event["removed"]]


def changed_files(params: Params) -> list[str]:
    """The files that were made, changed or deleted."""
    return [change["uri"] for change in params["changes"]]


def moves(params: Params) -> dict[Path, Path]:
    """The files and folders that are about to be moved, with their new paths; those that are not on disk are left out."""
    paths = ((path_of(each["oldUri"]), path_of(each["newUri"])) for each in params["files"])
    return {absolute(old): absolute(new) for old, new in paths if old is not None and new is not None}


def arguments(params: Params) -> tuple[str, Sequence[Any]]:
    """A command and its arguments."""
    return params["command"], params.get("arguments") or ()


def known_diagnostics(params: Params) -> tuple[dict[str, str], int | str | None, int | str | None]:
    """The lists of diagnostics that the client has, by URI; and its tokens for parts of the answer and for progress."""
    known = {each["uri"]: each["value"] for each in params["previousResultIds"]}
    return known, params.get("partialResultToken"), params.get("workDoneToken")


def wanted_kinds(params: Params) -> Callable[[str], bool]:
    """Whether actions of a kind are asked for; a kind includes those below it, and the empty kind includes every other."""
    only = params["context"].get("only") or ("",)
    return lambda kind: any(each in ("", kind) or kind.startswith(f"{each}.") for each in only)


def wants_everything(params: Params) -> bool:
    """Whether actions of every kind are asked for, as for a menu."""
    return "" in (params["context"].get("only") or ("",))


def findings_on_line(snapshot: Snapshot, params: Params) -> frozenset[tuple[str, int]]:
    """The diagnostics that the client shows on the lines of a request, by code and offset.

    Neovim sends those of the whole line, wherever on it the cursor is.
    """
    first, last = params["range"]["start"]["line"], params["range"]["end"]["line"]
    on_lines = (
        (str(each.get("code")), snapshot.offset(_position(each["range"]["start"])))
        for each in params["context"]["diagnostics"]
        if each["range"]["start"]["line"] <= last and each["range"]["end"]["line"] >= first
    )
    return frozenset(on_lines)


def is_explicit_request(params: Params) -> bool:
    """Whether a person asked, rather than the editor on its own account."""
    return params["context"].get("triggerKind") in (None, 1)


def positions(params: Params) -> list[Position]:
    """Where a request points to, in several places."""
    return [_position(each) for each in params["positions"]]
