"""Converts outline, names, links, folds and selections."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rubric_core.control_characters import mask
from rubric_core.text import Span
from rubric_lsp.convert.positions import location, range_of
from rubric_lsp.documents.block_answers import RelativePlaces
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.features.folding import Fold, folds_in, list_fold
from rubric_lsp.features.symbol import Symbol
from rubric_lsp.features.symbols import symbols_in
from rubric_lsp.protocol.capabilities import Client
from rubric_lsp.protocol.json_array import JsonArray

if TYPE_CHECKING:
    from rubric_core.analysis import LocalText
    from rubric_lsp.features.name_occurrence import NameOccurrence
    from rubric_lsp.protocol.wire_types.features import (
        DocumentHighlight,
        DocumentLink,
        DocumentSymbol,
        FoldingRange,
        PrepareRenamePlaceholder,
        SelectionRange,
        SymbolInformation,
    )


__all__ = [
    "document_links", "document_symbols", "folding_ranges", "found_symbols", "highlights", "nameable",
    "selection_range",
]  # fmt: skip

# Symbol kinds: Function, Property, Key, Namespace, String, Object.
_SYMBOLS = {"case": 12, "evaluator": 7, "criterion": 20, "group": 3, "prompt": 15, "provider": 19}
_FOUND = {"case": 12, "description": 12, "target": 19}


def document_symbols(snapshot: Snapshot, client: Client) -> JsonArray:
    """The outline; flat for a client that cannot nest."""
    if client.nested_symbols:
        return snapshot.by_block(_nested).in_order
    return snapshot.by_block(_flat, about=snapshot.uri).frame_first


def _nested(local: "LocalText", places: RelativePlaces, _: None, __: None) -> list["DocumentSymbol"]:
    return [_symbol(places, each) for each in symbols_in(local)]


def _symbol(places: RelativePlaces, symbol: Symbol) -> "DocumentSymbol":
    made: DocumentSymbol = {
        "name": mask(symbol.name),
        "kind": _SYMBOLS[symbol.kind],
        "range": places.range(symbol.span),
        "selectionRange": places.range(symbol.name_span),
    }
    if symbol.detail:
        made["detail"] = mask(symbol.detail)
    if symbol.children:
        made["children"] = [_symbol(places, each) for each in symbol.children]
    return made


def _flat(local: "LocalText", places: RelativePlaces, _: None, uri: str) -> list["SymbolInformation"]:
    return [each for symbol in symbols_in(local) for each in _entries(places, uri, symbol)]


def _entries(places: RelativePlaces, uri: str, symbol: Symbol, inside: str = "") -> Iterator["SymbolInformation"]:
    """A symbol and its children, for a client that shows a flat list."""
    made: SymbolInformation = {
        "name": mask(symbol.name),
        "kind": _SYMBOLS[symbol.kind],
        "location": {"uri": uri, "range": places.range(symbol.span)},
    }
    if inside:
        made["containerName"] = inside
    yield made
    for each in symbol.children:
        yield from _entries(places, uri, each, symbol.name)


def highlights(snapshot: Snapshot, found: "Iterable[NameOccurrence]") -> list["DocumentHighlight"]:
    """Occurrences of one name: written (3) where it is defined, else read (2)."""
    return [{"range": range_of(snapshot, n.span), "kind": 3 if n.defines else 2} for n in found]


def nameable(snapshot: Snapshot, name: "NameOccurrence | None") -> "PrepareRenamePlaceholder | None":
    """A name that can be renamed."""
    if name is None:
        return None
    return {"range": range_of(snapshot, name.span), "placeholder": name.name}


def document_links(snapshot: Snapshot, found: Iterable[tuple[Span, str]]) -> list["DocumentLink"]:
    """Links to files."""
    return [{"range": range_of(snapshot, span), "target": target} for span, target in found]


def folding_ranges(snapshot: Snapshot) -> JsonArray:
    """Folds of whole lines, which every client supports."""
    found, first = snapshot.by_block(_folds), snapshot.first_line
    listed = list_fold(snapshot.analysis)
    whole = [{"startLine": listed.first + first, "endLine": listed.last + first}] if listed is not None else []
    made = JsonArray.joined((found.frame_first, JsonArray.of(whole)))
    below = snapshot.parts[1:2]
    # Comments are searched in the whole text; those of another YAML document belong to that one.
    return JsonArray.of(f for f in made.items if f["endLine"] < below[0].first_line) if below else made


def _folds(local: "LocalText", places: RelativePlaces, _: None, __: None) -> list["FoldingRange"]:
    return [_fold(places, each) for each in folds_in(local)]


def _fold(places: RelativePlaces, fold: Fold) -> "FoldingRange":
    made: FoldingRange = {"startLine": places.line(fold.first), "endLine": places.line(fold.last)}
    if fold.is_comment:
        made["kind"] = "comment"
    return made


def selection_range(snapshot: Snapshot, found: Sequence[Span]) -> "SelectionRange":
    """Nested ranges."""
    *inner, widest = found
    made: SelectionRange = {"range": range_of(snapshot, widest)}
    for span in reversed(inner):
        made = {"range": range_of(snapshot, span), "parent": made}
    return made


def found_symbols(found: "Iterable[tuple[Snapshot, NameOccurrence]]") -> list["SymbolInformation"]:
    """Symbols of several documents."""
    return [
        {"name": mask(n.name), "kind": _FOUND[n.kind], "location": location(s, n.span), "containerName": _file_name(s)}
        for s, n in found
    ]


def _file_name(snapshot: Snapshot) -> str:
    return snapshot.path.name if snapshot.path is not None else snapshot.uri
