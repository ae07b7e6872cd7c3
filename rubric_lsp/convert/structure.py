"""The shape of a document: outline, names, links, folds, selections."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rubric_core.text import Span
from rubric_lsp.capabilities import Client
from rubric_lsp.convert.places import Json, location, range_of
from rubric_lsp.features.blockwise import line_in_document
from rubric_lsp.features.folding import Fold, list_fold
from rubric_lsp.features.symbols import Symbol
from rubric_lsp.snapshot import Snapshot

if TYPE_CHECKING:
    from rubric_core.analysis import LocalText
    from rubric_lsp.features.names import Name


__all__ = [
    "document_links",
    "document_symbols",
    "folding_ranges",
    "found_symbols",
    "highlights",
    "nameable",
    "selection_range",
]

# Symbol kinds: Function, Property, Key.
_SYMBOLS = {"case": 12, "evaluator": 7, "criterion": 20}
_FOUND = {"case": 12, "target": 19}


def document_symbols(
    snapshot: Snapshot, found: "Iterable[tuple[LocalText, tuple[Symbol, ...]]]", client: Client
) -> list[Json]:
    """The outline; flat for a client that cannot nest."""
    made: list[Json] = []
    known, kept = snapshot.kept.outline, {}
    for local, symbols in found:
        # A block on the same lines as before looks the same: building all of it anew takes longer than finding it.
        line = snapshot.first_line + snapshot.document.first_line(local.number) if local.number >= 0 else -1
        key = (local.tree, line)
        last = known.get(key) if local.number >= 0 and client.nested_symbols else None
        if last is not None and last[0] is symbols:
            entries = last[1]
        else:
            each = _symbol if client.nested_symbols else _flat
            entries = [entry for s in symbols for entry in each(snapshot, local, s)]
        kept[key] = (symbols, entries)
        made += entries
    snapshot.kept.outline = kept
    return sorted(made, key=_first_line) if client.nested_symbols else made


def _first_line(symbol: Json) -> int:
    line: int = symbol["range"]["start"]["line"]
    return line


def _placed(snapshot: Snapshot, local: "LocalText", span: Span) -> Json:
    """The range of a stretch of a block."""
    if local.number < 0:
        return range_of(snapshot, local.outer(span))
    first = snapshot.document.first_line(local.number) + snapshot.first_line
    index = snapshot.document.blocks[local.number].index
    start, end = index.range(span, snapshot.encoding)
    return {
        "start": {"line": first + start.line, "character": start.character},
        "end": {"line": first + end.line, "character": end.character},
    }


def _symbol(snapshot: Snapshot, local: "LocalText", symbol: Symbol) -> list[Json]:
    made: Json = {
        "name": symbol.name,
        "kind": _SYMBOLS[symbol.kind],
        "range": _placed(snapshot, local, symbol.span),
        "selectionRange": _placed(snapshot, local, symbol.name_span),
    }
    if symbol.detail:
        made["detail"] = symbol.detail
    if symbol.children:
        made["children"] = [each for c in symbol.children for each in _symbol(snapshot, local, c)]
    return [made]


def _flat(snapshot: Snapshot, local: "LocalText", symbol: Symbol, inside: str = "") -> list[Json]:
    made: Json = {
        "name": symbol.name,
        "kind": _SYMBOLS[symbol.kind],
        "location": {"uri": snapshot.uri, "range": _placed(snapshot, local, symbol.span)},
    }
    if inside:
        made["containerName"] = inside
    return [made, *(each for c in symbol.children for each in _flat(snapshot, local, c, symbol.name))]


def highlights(snapshot: Snapshot, found: "Iterable[Name]") -> list[Json]:
    """Places where one thing is meant: written (3) where it is made, else read (2)."""
    return [{"range": range_of(snapshot, n.span), "kind": 3 if n.defines else 2} for n in found]


def nameable(snapshot: Snapshot, name: "Name | None") -> Json | None:
    """A name that can be changed."""
    if name is None:
        return None
    return {"range": range_of(snapshot, name.span), "placeholder": name.name}


def document_links(snapshot: Snapshot, found: Iterable[tuple[Span, str]]) -> list[Json]:
    """Links to files."""
    return [{"range": range_of(snapshot, span), "target": target} for span, target in found]


def folding_ranges(snapshot: Snapshot, found: "Iterable[tuple[LocalText, Sequence[Fold]]]") -> list[Json]:
    """Folds by whole lines, which every client can show."""
    made = [_fold(local, fold, snapshot.first_line) for local, folds in found for fold in folds]
    listed = list_fold(snapshot.analysis)
    if listed is not None:
        made.append({"startLine": listed.first + snapshot.first_line, "endLine": listed.last + snapshot.first_line})
    below = snapshot.parts[1:2]
    # Comments are looked for in all of the text; those of another YAML document are its own.
    return [fold for fold in made if fold["endLine"] < below[0].first_line] if below else made


def _fold(local: "LocalText", fold: Fold, above: int) -> Json:
    first, last = (line_in_document(local, line) + above for line in (fold.first, fold.last))
    made: Json = {"startLine": first, "endLine": last}
    if fold.is_comment:
        made["kind"] = "comment"
    return made


def selection_range(snapshot: Snapshot, found: Sequence[Span]) -> Json:
    """Stretches, each inside the next."""
    made: Json = {}
    for span in reversed(found):
        made = {"range": range_of(snapshot, span), **({"parent": made} if made else {})}
    return made


def found_symbols(found: "Iterable[tuple[Snapshot, Name]]") -> list[Json]:
    """Names in several documents."""
    return [
        {"name": n.name, "kind": _FOUND[n.kind], "location": location(s, n.span), "containerName": _file_name(s)}
        for s, n in found
    ]


def _file_name(snapshot: Snapshot) -> str:
    return snapshot.path.name if snapshot.path is not None else snapshot.uri
