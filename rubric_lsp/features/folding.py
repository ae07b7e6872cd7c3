"""Folding ranges: values and items of several lines, and comments."""

from collections.abc import Iterator

from rubric_core.analysis import Analysis, LocalText
from rubric_core.lazy_compilation import dataclass
from rubric_core.syntax.tree import Mapping, Node, Sequence, walk
from rubric_core.text import LineIndex

__all__ = ["Fold", "folds_in", "list_fold"]


@dataclass(frozen=True, slots=True)
class Fold:
    """The visible first line and the last hidden line, both relative to the block or to the text."""

    first: int
    last: int
    is_comment: bool = False


def folds_in(local: LocalText) -> tuple[Fold, ...]:
    """The folds of one block, at most one per line."""
    lines = LineIndex(local.text)
    found: dict[int, int] = {}
    for start, end in _stretches(local):
        first, last = lines.line_of(start), lines.line_of(len(local.text[:end].rstrip()) - 1)
        if last > first:
            found[first] = max(last, found.get(first, 0))
    folds = [Fold(first, last) for first, last in found.items()]
    return tuple(sorted([*folds, *_comments(local.text, lines)], key=lambda fold: fold.first))


def list_fold(analysis: Analysis) -> Fold | None:
    """The fold of the whole case list, whose items are blocks of their own."""
    document = analysis.document
    last = len(document.blocks) - (1 if document.blocks[-1].key else 2)
    if last < 1:
        return None
    head, local = document.blocks[0], analysis.local(document.start(last))
    lines = (head.text[slice(*head.index.line_span(n))].strip() for n in range(head.line_breaks, -1, -1))
    above = next((n for n, line in enumerate(lines) if line and not line.startswith("#")), None)
    if above is None or local.tree.root is None:
        return None
    end = len(local.text[: local.tree.root.whole.end].rstrip())
    return Fold(head.line_breaks - above, document.first_line(last) + LineIndex(local.text).line_of(end - 1))


def _stretches(local: LocalText) -> Iterator[tuple[int, int]]:
    for node in walk(local.tree.root):
        if isinstance(node, Mapping):
            yield from ((e.key.whole.start, _end(e.value)) for e in node.entries)
        elif isinstance(node, Sequence):
            yield from ((item.whole.start, _end(item)) for item in node.items)


def _end(node: Node) -> int:
    return max(node.whole.end, node.whole.start + 1)


def _comments(text: str, lines: LineIndex) -> Iterator[Fold]:
    """Comments of several lines."""
    if "#" not in text:
        return
    first: int | None = None
    for number in range(lines.line_count + 1):
        start, end = lines.line_span(number)
        if number < lines.line_count and text[start:end].lstrip().startswith("#"):
            first = number if first is None else first
        elif first is not None:
            if number - 1 > first:
                yield Fold(first, number - 1, is_comment=True)
            first = None
