"""Converts hover, completion and hints."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rubric_core.control_characters import mask
from rubric_lsp.convert.positions import position_of, range_of
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.features.hints import Hint
from rubric_lsp.features.markdown import without_tables
from rubric_lsp.protocol.capabilities import Client

if TYPE_CHECKING:
    from rubric_lsp.features.completion import Completion
    from rubric_lsp.features.hover import HoverText
    from rubric_lsp.protocol.wire_types.features import (
        CompletionItem,
        CompletionList,
        Documented,
        Hover,
        InlayHint,
        MarkupContent,
    )


__all__ = ["completions", "hover", "inlay_hints"]

# Completion kinds: Property, Class, EnumMember, Reference, File, Snippet, Variable.
_ITEMS = {"key": 10, "type": 7, "value": 20, "reference": 18, "file": 17, "snippet": 15, "variable": 6}


def hover(snapshot: Snapshot, found: "HoverText | None", client: Client) -> "Hover | None":
    """A hover."""
    if found is None:
        return None
    contents = _markup(found.markdown, client, markdown=client.hover_markdown)
    return {"contents": contents, "range": range_of(snapshot, found.span)}


def _markup(text: str, client: Client, *, markdown: bool) -> "MarkupContent":
    text = text if client.draws_tables else without_tables(text)
    return {"kind": "markdown" if markdown else "plaintext", "value": mask(text)}


def completions(snapshot: Snapshot, found: "Iterable[Completion]", client: Client) -> "CompletionList":
    """A complete list of suggestions: editors filter it themselves while the user types."""
    items = [_completion(snapshot, each, client) for each in found]
    if client.resolves_documentation:
        for number, made in enumerate(items):
            made["data"] = number
    return {"isIncomplete": False, "items": items}


def _completion(snapshot: Snapshot, item: "Completion", client: Client) -> "CompletionItem":
    text = item.snippet if item.snippet and client.snippets else item.plain
    made: CompletionItem = {
        "label": item.label,
        "kind": _ITEMS[item.kind],
        "textEdit": {"range": range_of(snapshot, item.span), "newText": text},
        # Set even if it equals the label: without it, Neovim takes a list with edits for one that is already filtered.
        "filterText": item.filter or item.label,
    }
    if text is item.snippet:
        made["insertTextFormat"] = 2
    if "\n" in text and client.adjusts_indentation:
        made["insertTextMode"] = 2
    if item.then_suggest and text is item.snippet and client.suggests_again:
        made["command"] = {"title": "Suggest", "command": "editor.action.triggerSuggest"}
    if item.detail:
        made["detail"] = mask(item.detail)
    if not client.resolves_documentation:
        made.update(documentation(item, client))  # type: ignore[typeddict-item]  # mypy wants all members of both
    if item.deprecated and client.deprecated_tag:
        made["tags"] = [1]
    elif item.deprecated:
        made["deprecated"] = True
    if item.sort:
        made["sortText"] = item.sort
    return made


def resolved(given: "CompletionItem", item: "Completion", client: Client) -> "CompletionItem":
    """The client's suggestion, with its documentation."""
    return {**given, **documentation(item, client)}


def documentation(item: "Completion", client: Client) -> "Documented":
    """The full documentation of a suggestion."""
    words = item.documentation()
    return {"documentation": _markup(words, client, markdown=client.completion_markdown)} if words else {}


def inlay_hints(snapshot: Snapshot, found: Iterable[Hint], client: Client) -> list["InlayHint"]:
    """Inlay hints; results are marked as such for clients that draw results themselves."""
    return [_inlay_hint(snapshot, hint, client) for hint in found]


def _inlay_hint(snapshot: Snapshot, hint: Hint, client: Client) -> "InlayHint":
    made: InlayHint = {
        "position": position_of(snapshot.position(hint.offset)),
        "label": mask(hint.label),
        "paddingLeft": not hint.close,
    }
    if hint.tooltip:
        made["tooltip"] = mask(hint.tooltip)
    if hint.state and client.tests:
        made["data"] = {"state": hint.state}
    return made
