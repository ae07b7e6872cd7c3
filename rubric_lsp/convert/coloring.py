"""Semantic tokens, placed in the document."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rubric_lsp.convert.places import Json
from rubric_lsp.features.blockwise import line_in_document
from rubric_lsp.features.tokens import deprecated_spans
from rubric_lsp.snapshot import Snapshot

if TYPE_CHECKING:
    from rubric_core.analysis import LocalText
    from rubric_lsp.features.tokens import Token


__all__ = ["struck", "token_edits", "token_lines", "tokens_within"]


def token_lines(snapshot: Snapshot) -> "list[tuple[int, Sequence[Token]]]":
    """The tokens of a file with the lines on which their blocks begin, in the order of the text."""
    return [
        (start + part.first_line, tokens)
        for part in snapshot.parts
        for start, tokens in _lines_of(part.kept.tokens.of(part.analysis))
    ]


def _lines_of(found: "Iterable[tuple[LocalText, Sequence[Token]]]") -> "list[tuple[int, Sequence[Token]]]":
    placed: list[tuple[int, Sequence[Token]]] = []
    for local, tokens in found:
        if local.number >= 0:
            placed.append((local.analysis.document.first_line(local.number), tokens))
            continue
        # What stands below the cases comes last.
        above = [t for t in tokens if line_in_document(local, t.line) == t.line]
        placed.append((0, above))
        below = tokens[len(above) :]
        if below:
            placed.append((line_in_document(local, below[0].line) - below[0].line, below))
    return sorted(placed, key=lambda each: each[0])


def tokens_within(found: "list[tuple[int, Sequence[Token]]]", params: Any) -> "list[tuple[int, Sequence[Token]]]":
    """Those that touch the lines that are asked for."""
    first, last = params["range"]["start"]["line"], params["range"]["end"]["line"]
    return [(start, [t for t in tokens if first <= start + t.line <= last]) for start, tokens in found if start <= last]


def struck(snapshot: Snapshot) -> set[tuple[int, int]]:
    """Line and column of what is deprecated in a file."""
    places = (part.position(span.start) for part in snapshot.parts for span in deprecated_spans(part.analysis))
    return {(place.line, place.character) for place in places}


def token_edits(old: Sequence[int], new: Sequence[int]) -> list[Json]:
    """What changes one list of tokens into another."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    if start == len(old) == len(new):
        return []
    return [{"start": start, "deleteCount": len(old) - start - end, "data": list(new[start : len(new) - end])}]
