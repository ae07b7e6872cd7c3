"""Converts hover, completion and hints."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rubric_core.control_characters import mask
from rubric_lsp.convert.positions import Json, position_of, range_of
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.features.hints import Hint
from rubric_lsp.protocol.capabilities import Client

if TYPE_CHECKING:
    from rubric_lsp.features.completion import Completion
    from rubric_lsp.features.hover import HoverText


__all__ = ["completions", "hover", "inlay_hints"]

# Completion kinds: Property, Class, EnumMember, Reference, File, Snippet, Variable.
_ITEMS = {"key": 10, "type": 7, "value": 20, "reference": 18, "file": 17, "snippet": 15, "variable": 6}


def hover(snapshot: Snapshot, found: "HoverText | None", client: Client) -> Json | None:
    """A hover."""
    if found is None:
        return None
    kind = "markdown" if client.hover_markdown else "plaintext"
    return {"contents": {"kind": kind, "value": mask(found.markdown)}, "range": range_of(snapshot, found.span)}


def completions(snapshot: Snapshot, found: "Iterable[Completion]", client: Client) -> Json:
    """Suggestions. The list is whole: editors narrow it down themselves while a person types."""
    items = [_completion(snapshot, each, client) for each in found]
    if client.resolves_documentation:
        for number, made in enumerate(items):
            made["data"] = number
    return {"isIncomplete": False, "items": items}


def _completion(snapshot: Snapshot, item: "Completion", client: Client) -> Json:
    text = item.snippet if item.snippet and client.snippets else item.plain
    made: Json = {
        "label": item.label,
        "kind": _ITEMS[item.kind],
        "textEdit": {"range": range_of(snapshot, item.span), "newText": text},
    }
    if text is item.snippet:
        made["insertTextFormat"] = 2
    if "\n" in text and client.adjusts_indentation:
        made["insertTextMode"] = 2
    if item.detail:
        made["detail"] = mask(item.detail)
    if not client.resolves_documentation:
        made |= documentation(item, client)
    if item.deprecated:
        made |= {"tags": [1]} if client.deprecated_tag else {"deprecated": True}
    if item.sort:
        made["sortText"] = item.sort
    # Said even where it is the label: Neovim takes a list with edits, but without this, to be narrowed down already.
    made["filterText"] = item.filter or item.label
    return made


def resolved(given: Json, item: "Completion", client: Client) -> Json:
    """A suggestion as the client has it, with its documentation."""
    return {**given, **documentation(item, client)}


def documentation(item: "Completion", client: Client) -> Json:
    """What a suggestion means, at length."""
    words = mask(item.documentation())
    kind = "markdown" if client.completion_markdown else "plaintext"
    return {"documentation": {"kind": kind, "value": words}} if words else {}


def inlay_hints(snapshot: Snapshot, found: Iterable[Hint], client: Client) -> list[Json]:
    """Inlay hints; a client that draws results itself is told which they are."""
    return [_inlay_hint(snapshot, hint, client) for hint in found]


def _inlay_hint(snapshot: Snapshot, hint: Hint, client: Client) -> Json:
    made: Json = {
        "position": position_of(snapshot.position(hint.offset)),
        "label": mask(hint.label),
        "paddingLeft": not hint.close,
    }
    if hint.tooltip:
        made["tooltip"] = mask(hint.tooltip)
    if hint.state and client.tests:
        made["data"] = {"state": hint.state}
    return made
