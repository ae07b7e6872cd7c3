"""Selection ranges: the word, the value, its entry, the item, the case, the text."""

from collections.abc import Iterator

from rubric_core.analysis import Analysis
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence
from rubric_core.text import Span

__all__ = ["selections"]


def selections(analysis: Analysis, offset: int) -> list[Span]:
    """Nested spans around `offset`, the smallest first."""
    local = analysis.local(offset)
    found = [Span(offset, offset)]
    inner = [s for s in _around(local.tree.root, local.offset) if s.covers(local.offset)]
    steps = [*(_word(local.text, local.offset, inner)), *sorted(inner, key=lambda s: s.end - s.start)]
    whole = Span(0, len(analysis.document))
    for span in [*(local.outer(s) for s in steps), whole]:
        last = found[-1]
        if span != last and span.start <= last.start and last.end <= span.end:
            found.append(span)
    # An empty text has nothing around the cursor, but the protocol requires a range.
    return found[1:] or found


def _around(node: Node | None, offset: int) -> Iterator[Span]:
    """Every node and entry on the path to `offset`."""
    while node is not None:
        yield node.whole
        inner: Node | None = None
        if isinstance(node, Scalar) and node.is_quoted:
            yield Span(node.span.start + 1, node.span.end - 1)
        elif isinstance(node, Mapping):
            for entry in node.entries:
                if entry.span.covers(offset):
                    yield entry.span
                    inner = entry.key if entry.key.whole.covers(offset) else entry.value
        elif isinstance(node, Sequence):
            inner = next((i for i in node.items if i.whole.covers(offset)), None)
        node = inner


def _word(text: str, offset: int, around: list[Span]) -> Iterator[Span]:
    """The word at `offset`, inside the smallest of the spans."""
    start = end = offset
    while start > 0 and (text[start - 1].isalnum() or text[start - 1] in "_-"):
        start -= 1
    while end < len(text) and (text[end].isalnum() or text[end] in "_-"):
        end += 1
    if start < end and all(s.start <= start and end <= s.end for s in around):
        yield Span(start, end)
