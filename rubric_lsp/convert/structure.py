"""The shape of a document: outline, names, links, folds, selections."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rubric_core.text import Span
from rubric_lsp.capabilities import Client
from rubric_lsp.convert.places import Json, location, range_of
from rubric_lsp.features.blockwise import line_in_document
from rubric_lsp.features.symbols import Symbol
from rubric_lsp.workspace import Snapshot

if TYPE_CHECKING:
    from rubric_core.analysis import LocalText
    from rubric_lsp.features.folding import Fold
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


def document_symbols(snapshot: Snapshot, found: Sequence[Symbol], client: Client) -> list[Json]:
    """The outline; flat for a client that cannot nest."""
    if client.nested_symbols:
        return [_symbol(snapshot, s) for s in found]
    return [made for s in found for made in _flat(snapshot, s, "")]


def _symbol(snapshot: Snapshot, symbol: Symbol) -> Json:
    made: Json = {
        "name": symbol.name,
        "kind": _SYMBOLS[symbol.kind],
        "range": range_of(snapshot, symbol.span),
        "selectionRange": range_of(snapshot, symbol.name_span),
    }
    if symbol.detail:
        made["detail"] = symbol.detail
    if symbol.children:
        made["children"] = [_symbol(snapshot, c) for c in symbol.children]
    return made


def _flat(snapshot: Snapshot, symbol: Symbol, inside: str) -> list[Json]:
    made: Json = {
        "name": symbol.name,
        "kind": _SYMBOLS[symbol.kind],
        "location": {"uri": snapshot.uri, "range": range_of(snapshot, symbol.span)},
    }
    if inside:
        made["containerName"] = inside
    return [made, *(each for c in symbol.children for each in _flat(snapshot, c, symbol.name))]


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


def folding_ranges(found: "Iterable[tuple[LocalText, Sequence[Fold]]]") -> list[Json]:
    """Folds by whole lines, which every client can show."""
    return [_fold(local, fold) for local, folds in found for fold in folds]


def _fold(local: "LocalText", fold: "Fold") -> Json:
    made: Json = {"startLine": line_in_document(local, fold.first), "endLine": line_in_document(local, fold.last)}
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
