"""YAML documents after the first one. No dialect reads them, but their authors still want to see their content."""

from collections.abc import Callable, Iterator

from rubric_core.analysis.result import Analysis
from rubric_core.syntax.blocks import Document
from rubric_core.syntax.tree import Scalar

__all__ = ["analyze_further_documents"]

#: Other YAML files can have thousands.
_MOST = 20


def analyze_further_documents(
    first: Analysis, read: Callable[[Document, Analysis | None], Analysis], known: tuple[tuple[int, Analysis], ...]
) -> Iterator[tuple[int, Analysis]]:
    """Every document after the first, with the offset at which it starts.

    Args:
        first: The first one, of the whole text.
        read: Analyzes one; given its analysis in an earlier version, if it has not changed.
        known: The analyses of an earlier version.
    """
    at, before = _next(first), iter(known)
    text = first.document.text if at is not None else ""
    for _ in range(_MOST):
        if at is None:
            return
        _, old = next(before, (0, None))
        document = first.language.document(text[at:])
        found = read(old.document.sharing(document) if old is not None else document, old)
        root = found.states[found.frame.block].tree.root
        if root is not None and not (isinstance(root, Scalar) and root.empty):
            yield at, found
        more = _next(found)
        at = at + more if more is not None else None


def _next(analysis: Analysis) -> int | None:
    """The start of the document after that of an analysis."""
    frame = analysis.frame
    starts = (p.span for p in analysis.states[frame.block].tree.problems if p.kind == "documents")
    return next((frame.outer(span).start for span in starts), None)
