"""Edits that move, nest and remove mapping entries and list items together with their comments."""

import re
from collections.abc import Iterable

from rubric_core.migration.draft import Draft
from rubric_core.syntax.collection_edits import comments_of, dedent, extent, indent, line_start
from rubric_core.syntax.edit import column_of, remove_entry
from rubric_core.syntax.lines import BLANK
from rubric_core.syntax.parse import parse
from rubric_core.syntax.tree import Entry, Mapping, Node, Scalar, Sequence, walk
from rubric_core.text import Edit, Span

__all__ = [
    "dash_of",
    "extent_of",
    "inline_piece",
    "insert_entry",
    "item_piece",
    "lift_entry",
    "nest_pieces",
    "piece_of",
    "put",
    "rebuild_mapping",
    "remove_item",
    "replace_entry",
    "take_out_entry",
    "with_key",
]  # fmt: skip

_KEY = re.compile(rf"""(?P<lead>(?:{BLANK})*[ \t]*)(?P<key>"[^"]*"|'[^']*'|[^\s:#][^:\r\n]*(?<![ \t]))(?=[ \t]*:)""")
#: Characters that end a plain scalar inside braces.
_SPECIAL = re.compile(r"[,\[\]{}]")
_NOT_BLANK = re.compile(r"\S")


def extent_of(draft: Draft, mapping: Mapping, entry: Entry) -> Span:
    """The span of an entry with its comments: whole lines in a block, `key: value` in braces."""
    return entry.span if mapping.flow else extent(draft.text, entry.key.whole.start, entry.span.end)


def piece_of(draft: Draft, mapping: Mapping, entry: Entry, key: str | None = None) -> str:
    """An entry as separate lines, under another key if one is given."""
    span = extent_of(draft, mapping, entry)
    text = draft.written(span)
    if mapping.flow:
        first, *rest = text.splitlines(keepends=True)
        piece = first + "".join("    " + line.lstrip(" ") for line in rest)
    else:
        start = entry.key.whole.start
        piece = dedent(text, column_of(draft.text, start), behind_dash=span.start == start)
    piece = piece if piece.endswith(("\n", "\r")) else piece + draft.newline
    return with_key(piece, key) if key is not None else piece


def with_key(piece: str, key: str) -> str:
    """The piece under another key."""
    found = _KEY.match(piece)
    return piece if found is None else piece[: found.start("key")] + key + piece[found.end("key") :]


def item_piece(draft: Draft, sequence: Sequence, item: Node) -> str:
    """An item of a list as separate lines, with its dash and comments."""
    if sequence.flow:
        return f"- {draft.written(item.span)}{draft.newline}"
    dash = dash_of(draft, item)
    return dedent(draft.written(extent(draft.text, dash, item.span.end)), column_of(draft.text, dash))


def take_out_entry(draft: Draft, mapping: Mapping, entry: Entry, *, but: Span | None = None) -> Edit | None:
    """Take an entry out; None if nothing would be left.

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
    # The first key of an item is on the line of the dash: the rest of the item moves up to it.
    if kept:
        return Edit(Span(start, whole.end), f"{draft.newline}{blanks}".join(kept) + draft.newline)
    behind = _NOT_BLANK.search(draft.text, whole.end)
    return Edit(Span(start, behind.start()), "") if behind is not None else None


def lift_entry(draft: Draft, mapping: Mapping, entry: Entry, key: str | None = None) -> tuple[Edit, str] | None:
    """An entry as a piece, and the edit that removes it with all its comments."""
    out = take_out_entry(draft, mapping, entry, but=extent_of(draft, mapping, entry))
    return (out, piece_of(draft, mapping, entry, key)) if out is not None else None


def put(draft: Draft, mapping: Mapping, piece: str, behind: Entry | None = None) -> Edit | None:
    """Insert a piece into a mapping after the given entry, by default the last."""
    after = behind or (mapping.entries[-1] if mapping.entries else None)
    if after is None:
        return None
    if mapping.flow:
        line = inline_piece(piece)
        at = after.span.end
        return Edit(Span(at, at), f", {line}") if line is not None else None
    column = column_of(draft.text, mapping.entries[0].key.whole.start)
    at = extent_of(draft, mapping, after).end
    return Edit(Span(at, at), indent(piece, column))


def replace_entry(draft: Draft, mapping: Mapping, entry: Entry, piece: str) -> Edit | None:
    """Replace an entry by a piece that already contains its comments."""
    span = extent_of(draft, mapping, entry)
    if mapping.flow:
        line = inline_piece(piece)
        return Edit(span, line) if line is not None else None
    column = column_of(draft.text, entry.key.whole.start)
    text = indent(piece, column)
    return Edit(span, text[column:] if span.start == entry.key.whole.start else text)


def nest_pieces(draft: Draft, pieces: list[str], key: str) -> str:
    """Pieces under one key."""
    return f"{key}:{draft.newline}" + "".join(indent(piece, 2) for piece in pieces)


def inline_piece(piece: str) -> str | None:
    """A piece in flow style; None for a block or one with comments, which need lines."""
    tree = parse(piece)
    if tree.problems or comments_of(piece, tree):
        return None
    for node in walk(tree.root):
        if isinstance(node, Mapping | Sequence) and node is not tree.root and not node.flow:
            return None
        if isinstance(node, Scalar) and (node.is_block or (node.style == "plain" and _SPECIAL.search(node.text))):
            return None
    return piece.strip()


def rebuild_mapping(draft: Draft, mapping: Mapping, instead: Iterable[tuple[Entry, str | None]]) -> Edit | None:
    """A flow mapping with some entries replaced, and those without a replacement removed."""
    entries = mapping.entries
    new = {id(entry): text for entry, text in instead}
    text = draft.text[mapping.span.start : entries[0].span.start]
    begun = False
    for number, entry in enumerate(entries):
        between = draft.text[entries[number - 1].span.end : entry.span.start] if number else ""
        own = new.get(id(entry), draft.written(entry.span))
        if own is None or not begun:
            if "#" in between:
                return None
            between = ""
        if own is not None:
            text += between + own
            begun = True
    return Edit(mapping.span, text + draft.text[entries[-1].span.end : mapping.span.end])


def insert_entry(draft: Draft, mapping: Mapping, name: str, value: str, behind: Entry | None = None) -> Edit | None:
    """Insert `name: value` after the given entry, by default the first."""
    first = behind or (mapping.entries[0] if mapping.entries else None)
    return put(draft, mapping, f"{name}: {value}{draft.newline}", first) if first is not None else None


def dash_of(draft: Draft, item: Node) -> int:
    """The offset of the dash of a block list item."""
    return draft.text.rindex("-", 0, item.whole.start)


def remove_item(draft: Draft, sequence: Sequence, item: Node) -> Edit | None:
    """Remove an item from a list; None for the only one."""
    number = next(i for i, each in enumerate(sequence.items) if each is item)
    if len(sequence.items) == 1:
        return None
    if not sequence.flow:
        return Edit(extent(draft.text, dash_of(draft, item), item.span.end), "")
    if number + 1 < len(sequence.items):
        return Edit(Span(item.whole.start, sequence.items[number + 1].whole.start), "")
    return Edit(Span(sequence.items[number - 1].whole.end, item.whole.end), "")
