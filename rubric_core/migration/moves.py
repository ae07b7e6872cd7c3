"""Edits that move, nest and take out entries of mappings and items of lists; comments stay with what they are about."""

import re

from rubric_core.migration.draft import Draft
from rubric_core.migration.layout import dedented, extent, indented, line_start
from rubric_core.syntax.edit import column_of, remove_entry
from rubric_core.syntax.tree import Entry, Mapping, Node, Sequence
from rubric_core.text import Edit, Span

__all__ = [
    "added", "dash_of", "extent_of", "item_piece", "lifted", "nested", "piece_of", "put", "removed_item", "replaced", "taken_out", "with_key",
]  # fmt: skip

_KEY = re.compile(
    r"""(?P<lead>(?:[ \t]*(?:#[^\r\n]*)?(?:\r\n?|\n))*[ \t]*)(?P<key>"[^"]*"|'[^']*'|[^\s:#][^:\r\n]*?)(?=[ \t]*:)"""
)
_NOT_BLANK = re.compile(r"\S")


def extent_of(draft: Draft, mapping: Mapping, entry: Entry) -> Span:
    """Where an entry stands with its comments: whole lines in a block, `key: value` in braces."""
    return entry.span if mapping.flow else extent(draft.text, entry.key.whole.start, entry.span.end)


def piece_of(draft: Draft, mapping: Mapping, entry: Entry, key: str | None = None) -> str:
    """An entry as lines of its own, under another key if one is given."""
    span = extent_of(draft, mapping, entry)
    text = draft.written(span)
    if mapping.flow:
        first, *rest = text.splitlines(keepends=True)
        piece = first + "".join("    " + line.lstrip(" ") for line in rest)
    else:
        start = entry.key.whole.start
        piece = dedented(text, column_of(draft.text, start), behind_dash=span.start == start)
    piece = piece if piece.endswith(("\n", "\r")) else piece + draft.newline
    return with_key(piece, key) if key is not None else piece


def with_key(piece: str, key: str) -> str:
    """The piece under another key."""
    found = _KEY.match(piece)
    return piece if found is None else piece[: found.start("key")] + key + piece[found.end("key") :]


def item_piece(draft: Draft, sequence: Sequence, item: Node) -> str:
    """An item of a list as lines of its own, with its dash and comments."""
    if sequence.flow:
        return f"- {draft.written(item.span)}{draft.newline}"
    dash = dash_of(draft, item)
    return dedented(draft.written(extent(draft.text, dash, item.span.end)), column_of(draft.text, dash))


def taken_out(draft: Draft, mapping: Mapping, entry: Entry, *, but: Span | None = None) -> Edit | None:
    """Take an entry out; None where nothing would be left.

    The comments inside stay in its place, all but those in `but`, which goes somewhere else.
    """
    if mapping.flow:
        return remove_entry(draft.text, mapping, entry)
    start = entry.key.whole.start
    whole = extent(draft.text, start, entry.span.end)
    gone = but or Span(0, 0)
    kept = [
        draft.written(comment)
        for comment in draft.comments
        if whole.start <= comment.start < whole.end and not gone.start <= comment.start < gone.end
    ]
    blanks = " " * column_of(draft.text, start)
    if not draft.text[line_start(draft.text, start) : start].strip():
        return Edit(whole, "".join(f"{blanks}{comment}{draft.newline}" for comment in kept))
    if len(mapping.entries) == 1:
        return None
    # The first key of an item shares its line with the dash: what follows moves up to it.
    if kept:
        return Edit(Span(start, whole.end), f"{draft.newline}{blanks}".join(kept) + draft.newline)
    behind = _NOT_BLANK.search(draft.text, whole.end)
    return Edit(Span(start, behind.start()), "") if behind is not None else None


def lifted(draft: Draft, mapping: Mapping, entry: Entry, key: str | None = None) -> tuple[Edit, str] | None:
    """An entry as a piece, and the edit that takes it out of its place with all its comments."""
    out = taken_out(draft, mapping, entry, but=extent_of(draft, mapping, entry))
    return (out, piece_of(draft, mapping, entry, key)) if out is not None else None


def put(draft: Draft, mapping: Mapping, piece: str, behind: Entry | None = None) -> Edit | None:
    """Put a piece into a mapping: behind one of its entries, the last one if none is given."""
    after = behind or (mapping.entries[-1] if mapping.entries else None)
    if after is None:
        return None
    if mapping.flow:
        line = piece.strip()
        at = after.span.end
        return Edit(Span(at, at), f", {line}") if "\n" not in line and "#" not in line else None
    column = column_of(draft.text, mapping.entries[0].key.whole.start)
    at = extent_of(draft, mapping, after).end
    return Edit(Span(at, at), indented(piece, column))


def replaced(draft: Draft, mapping: Mapping, entry: Entry, piece: str) -> Edit | None:
    """Put a piece in the place of an entry, whose comments are taken to be in it."""
    span = extent_of(draft, mapping, entry)
    if mapping.flow:
        line = piece.strip()
        return Edit(span, line) if "\n" not in line and "#" not in line else None
    column = column_of(draft.text, entry.key.whole.start)
    text = indented(piece, column)
    return Edit(span, text[column:] if span.start == entry.key.whole.start else text)


def nested(draft: Draft, pieces: list[str], key: str, *, flow: bool) -> str:
    """Pieces under one key."""
    if flow:
        return f"{key}: {{{', '.join(piece.strip() for piece in pieces)}}}{draft.newline}"
    return f"{key}:{draft.newline}" + "".join(indented(piece, 2) for piece in pieces)


def added(draft: Draft, mapping: Mapping, name: str, value: str, behind: Entry | None = None) -> Edit | None:
    """A further `name: value`, behind an entry: the first one if none is given."""
    first = behind or (mapping.entries[0] if mapping.entries else None)
    return put(draft, mapping, f"{name}: {value}{draft.newline}", first) if first is not None else None


def dash_of(draft: Draft, item: Node) -> int:
    """Where the dash of an item of a block list stands."""
    return draft.text.rindex("-", 0, item.whole.start)


def removed_item(draft: Draft, sequence: Sequence, item: Node) -> Edit | None:
    """Take an item out of a list; None for the only one."""
    number = next(i for i, each in enumerate(sequence.items) if each is item)
    if len(sequence.items) == 1:
        return None
    if not sequence.flow:
        return Edit(extent(draft.text, dash_of(draft, item), item.span.end), "")
    if number + 1 < len(sequence.items):
        return Edit(Span(item.whole.start, sequence.items[number + 1].whole.start), "")
    return Edit(Span(sequence.items[number - 1].whole.end, item.whole.end), "")
