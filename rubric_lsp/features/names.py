"""Names in a document, where each is defined and used; which there are besides anchors is asked of its family."""

from collections.abc import Iterable, Iterator

from rubric_core.analysis import Analysis, LocalText
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Alias, walk
from rubric_core.text import Span
from rubric_lsp.features.block_memo import BlockPlace
from rubric_lsp.features.family_editor import editor_of
from rubric_lsp.features.name_occurrence import NameOccurrence

__all__ = ["FILES", "BlockNames", "name_at", "names_in", "occurrences"]

#: Kinds of names that refer to other files.
FILES = frozenset({"file", "directory", "template"})
_ANCHOR = pattern(r"[&*]([^\s,\[\]{}]+)")

#: A block and its names, at offsets of the block.
BlockNames = tuple[BlockPlace, tuple[NameOccurrence, ...]]


def name_at(analysis: Analysis, offset: int) -> NameOccurrence | None:
    """The name at a cursor."""
    local = analysis.local(offset)
    touched = [n for n in names_in(local) if n.span.covers(local.offset)]
    if not touched:
        return None
    best = min(touched, key=lambda n: n.span.end - n.span.start)
    return best.moved(local.outer(best.span))


def occurrences(analysis: Analysis, name: NameOccurrence, known: Iterable[BlockNames]) -> Iterator[NameOccurrence]:
    """Every occurrence of the same name in the document; `known` are the names of all blocks."""
    here = analysis.local(name.span.start).number
    near = {"criterion", "evaluator"}
    if name.kind == "variable" and here >= 0 and name.kind not in editor_of(analysis).shared_names:
        # Text around the cases applies to each of them, so a name there means the same in all.
        known = [*known]
        around = (each for local, names in known if local.in_frame for each in names)
        near |= set() if any(_same(each, name) for each in around) else {"variable"}
    for local, names in known:
        if name.kind in near and local.number != here:
            continue
        for each in names:
            if _same(each, name):
                span = local.outer(each.span)
                # Another rubric may use the same id for another criterion.
                if name.kind != "criterion" or span == name.span:
                    yield each.moved(span)


def _same(one: NameOccurrence, other: NameOccurrence) -> bool:
    return one.kind == other.kind and one.name == other.name


def names_in(local: LocalText) -> tuple[NameOccurrence, ...]:
    """The names in one block, at offsets of the block."""
    return tuple(dict.fromkeys((*editor_of(local.analysis).names_in(local), *_anchors(local))))


def _anchors(local: LocalText) -> Iterator[NameOccurrence]:
    if "&" not in local.text and "*" not in local.text:
        return
    for node in walk(local.tree.root):
        if isinstance(node, Alias):
            yield NameOccurrence("anchor", node.name, Span(node.span.start + 1, node.span.end), False, "raw")
        elif node.anchor is not None:
            found = _ANCHOR.search(local.text, node.whole.start, node.span.start)
            if found is not None and found[1] == node.anchor:
                yield NameOccurrence("anchor", node.anchor, Span(*found.span(1)), True, "raw")
