"""Groups entries of a mapping under one key: `input` and `expected_output` under `vars`, hooks under `hooks`."""

from collections.abc import Iterator, Sequence

from rubric_core.migration.draft import Draft, ShapedMapping
from rubric_core.migration.moves import (
    extent_of,
    inline_piece,
    lift_entry,
    nest_pieces,
    piece_of,
    put,
    rebuild_mapping,
    replace_entry,
)
from rubric_core.migration.step import EditGroup, MigrationNote
from rubric_core.syntax.tree import Entry, Mapping
from rubric_core.text import Edit, Span

__all__ = ["all_or_none", "comments_left", "group_under", "lift_out"]


def group_under(
    draft: Draft, site: ShapedMapping, entries: Sequence[tuple[Entry, str]], under: str
) -> Iterator[EditGroup | MigrationNote]:
    """Put entries of a mapping under the key `under`, each with the key that it has there."""
    inner = site.node.get(under)
    taken = {e.name for e in inner.entries} if isinstance(inner, Mapping) else set[str | None]()
    free = [(entry, name) for entry, name in entries if name not in taken]
    for entry, name in entries:
        if name in taken:
            yield MigrationNote(entry.key.span.start, f"`{name}` stands under `{under}` already")
    if not free:
        return
    if inner is not None and not isinstance(inner, Mapping):
        yield MigrationNote(
            free[0][0].key.span.start, f"`{under}` is not a mapping in this place, so nothing can be put under it"
        )
        return
    if site.node.flow:
        edits = [_in_braces(draft, site, free, under, inner)]
    elif inner is None:
        edits = _anew(draft, site, free, under)
    else:
        edits = _into(draft, site, free, inner)
    yield all_or_none(edits) or MigrationNote(
        free[0][0].key.span.start, f"this cannot be put under `{under}` the way it is written"
    )


def all_or_none(edits: Sequence[Edit | None]) -> EditGroup | None:
    """One group of these edits; None if any of them is impossible."""
    done = [edit for edit in edits if edit is not None]
    return EditGroup(tuple(done)) if done and len(done) == len(edits) else None


def _in_braces(
    draft: Draft, site: ShapedMapping, entries: Sequence[tuple[Entry, str]], under: str, inner: Mapping | None
) -> Edit | None:
    texts = [inline_piece(piece_of(draft, site.node, entry, name)) for entry, name in entries]
    if any(text is None for text in texts):
        return None
    together = ", ".join(text for text in texts if text is not None)
    gone: list[tuple[Entry, str | None]] = [(entry, None) for entry, _ in entries]
    if inner is None:
        first = min(gone, key=lambda e: e[0].span)
        return rebuild_mapping(
            draft, site.node, [each if each is not first else (each[0], f"{under}: {{{together}}}") for each in gone]
        )
    holder = next(e for e in site.node.entries if e.value is inner)
    at = inner.entries[-1].span.end if inner.entries else inner.span.start + 1
    before, behind = draft.written(Span(holder.span.start, at)), draft.written(Span(at, holder.span.end))
    comma = ", " if inner.entries else ""
    return (
        rebuild_mapping(draft, site.node, [*gone, (holder, f"{before}{comma}{together}{behind}")])
        if inner.flow
        else None
    )


def _anew(draft: Draft, site: ShapedMapping, entries: Sequence[tuple[Entry, str]], under: str) -> list[Edit | None]:
    first, *others = sorted(entries, key=lambda e: e[0].span)
    pieces = [piece_of(draft, site.node, entry, name) for entry, name in (first, *others)]
    moved = [lift_entry(draft, site.node, entry) for entry, _ in others]
    return [
        replace_entry(draft, site.node, first[0], nest_pieces(draft, pieces, under)),
        *(each[0] if each else None for each in moved),
    ]


def _into(draft: Draft, site: ShapedMapping, entries: Sequence[tuple[Entry, str]], inner: Mapping) -> list[Edit | None]:
    moved = [lift_entry(draft, site.node, entry, name) for entry, name in entries]
    edits = [each[0] if each else None for each in moved]
    pieces = [each[1] if each else "" for each in moved]
    if not inner.flow:
        return [*edits, put(draft, inner, "".join(pieces))]
    texts = [inline_piece(piece) for piece in pieces]
    if any(text is None for text in texts):
        return [*edits, _unfolded(draft, site, inner, pieces)]
    together = ", ".join(text for text in texts if text is not None)
    at = inner.entries[-1].span.end if inner.entries else inner.span.start + 1
    return [*edits, Edit(Span(at, at), f", {together}" if inner.entries else together)]


def _unfolded(draft: Draft, site: ShapedMapping, inner: Mapping, pieces: Sequence[str]) -> Edit | None:
    """Rewrite a flow mapping as a block mapping, because the entries added to it span lines."""
    if any(inner.span.start <= c.start < inner.span.end for c in draft.comments):
        return None
    holder = next(e for e in site.node.entries if e.value is inner)
    own = [piece_of(draft, inner, entry) for entry in inner.entries]
    head = piece_of(draft, site.node, holder).partition("{")[0].rstrip().removesuffix(":")
    return replace_entry(draft, site.node, holder, nest_pieces(draft, [*own, *pieces], head))


def lift_out(draft: Draft, holder: ShapedMapping, entry: Entry, key: str) -> EditGroup | None:
    """Move an entry of a mapping up to the mapping around it, under another key; an emptied mapping goes."""
    outer = holder.parent
    around = (
        next((e for e in outer.node.entries if draft.followed(e.value) is holder.node), None)
        if outer is not None
        else None
    )
    if outer is None or around is None or around.value is not holder.node:
        return None
    piece = piece_of(draft, holder.node, entry, key)
    if len(holder.node.entries) == 1:
        return _instead(draft, outer.node, around, holder.node, entry, piece)
    moved = lift_entry(draft, holder.node, entry, key)
    return all_or_none([moved[0] if moved else None, put(draft, outer.node, piece, around)])


def _instead(
    draft: Draft, outer: Mapping, around: Entry, emptied: Mapping, entry: Entry, piece: str
) -> EditGroup | None:
    return all_or_none(
        [replace_entry(draft, outer, around, comments_left(draft, outer, around, emptied, entry) + piece)]
    )


def comments_left(draft: Draft, outer: Mapping, around: Entry, emptied: Mapping, *entries: Entry) -> str:
    """The comments of a mapping that is removed, except those of entries that move elsewhere."""
    if outer.flow:
        return ""
    span = extent_of(draft, outer, around)
    moved = [extent_of(draft, emptied, entry) for entry in entries]
    comments = (c for c in draft.comments if span.start <= c.start < span.end)
    kept = (draft.written(c) for c in comments if not any(m.start <= c.start < m.end for m in moved))
    return "".join(f"{comment}{draft.newline}" for comment in kept)
