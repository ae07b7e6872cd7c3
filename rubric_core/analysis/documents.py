"""YAML documents behind the first one. No dialect reads them; their author wants to see what is in them all the same."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from rubric_core.analysis.result import Analysis
from rubric_core.syntax.blocks import Document
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Diagnostic

__all__ = ["further", "moved"]

#: What is no suite can have thousands.
_MOST = 20


def further(
    first: Analysis, read: Callable[[Document, Analysis | None], Analysis], known: tuple[tuple[int, Analysis], ...]
) -> Iterator[tuple[int, Analysis]]:
    """Every document behind the first, with the offset at which it starts.

    Args:
        first: The first one, of the whole text.
        read: Understands one; given what it was in an earlier version, if it was there.
        known: What was found in an earlier version.
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
    """Where the document behind that of an analysis starts."""
    frame = analysis.frame
    starts = (p.span for p in analysis.states[frame.block].tree.problems if p.kind == "documents")
    return next((frame.outer(span).start for span in starts), None)


def moved(found: Diagnostic, by: int) -> Diagnostic:
    """The same, `by` characters further on."""

    def there(span: Span) -> Span:
        return span.moved(by)

    return replace(
        found,
        span=there(found.span),
        hides=there(found.hides) if found.hides is not None else None,
        related=tuple(replace(each, span=there(each.span)) for each in found.related),
        fixes=tuple(
            replace(fix, edits=tuple(Edit(there(e.span), e.new_text) for e in fix.edits)) for fix in found.fixes
        ),
    )
