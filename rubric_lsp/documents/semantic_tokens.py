"""Semantic tokens as clients request them: all, the changes, or those of a range."""

from typing import TYPE_CHECKING, Any

from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.features.tokens import Coloring
from rubric_lsp.protocol.json_array import JsonArray

if TYPE_CHECKING:
    from rubric_lsp.protocol.wire_types.features import (
        SemanticTokens,
        SemanticTokensDelta,
        SemanticTokensEdit,
        SemanticTokensPartialResult,
    )

__all__ = ["all_tokens", "coloring", "token_changes", "tokens_within"]


def coloring(d: Snapshot) -> Coloring:
    """The tokens of a file, of all of its YAML documents."""
    placed = ((start + part.first_line, run) for part in d.parts for start, run in part.kept.colors.of(part.analysis))
    return Coloring.of(placed)


def all_tokens(d: Snapshot) -> "SemanticTokens":
    """The tokens of the document, with its version as result id."""
    found = coloring(d)
    d.kept.sent_tokens = (str(d.version), found)
    return {"resultId": str(d.version), "data": JsonArray(found.pieces)}


def token_changes(d: Snapshot, p: Any) -> "SemanticTokens | SemanticTokensDelta":
    """The changes since the client's result; all tokens if that was not the last one sent."""
    known, before = d.kept.sent_tokens
    made = all_tokens(d)
    if known != p["previousResultId"]:
        return made
    changed = before.changes(d.kept.sent_tokens[1])
    edits: list[SemanticTokensEdit] = []
    if changed is not None:
        start, amount, numbers = changed
        edits.append({"start": start, "deleteCount": amount, "data": numbers})
    return {"resultId": made["resultId"], "edits": edits}


def tokens_within(d: Snapshot, p: Any) -> "SemanticTokensPartialResult":
    """The tokens on the lines of a range."""
    first, last = p["range"]["start"]["line"], p["range"]["end"]["line"]
    return {"data": JsonArray(coloring(d).within(first, last).pieces)}
