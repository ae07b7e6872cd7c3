"""The changes of a document that a client sends, as edits of its text."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rubric_core.syntax.blocks import Document
from rubric_core.text import Edit, Encoding, LineBuffer, Span, TextRange

__all__ = ["ContentChange", "edit_of", "in_steps"]

#: The most changes of one notification that are applied one by one; several cursors make no more.
_FEW = 8


class ContentChange(NamedTuple):
    """One change of an edit: `text` replaces `range`, or the whole document."""

    range: TextRange | None
    text: str


def in_steps(changes: Iterable[ContentChange]) -> Iterator[Sequence[ContentChange]]:
    """Changes one by one; all but the last of many together, so that the text is not cut again for each."""
    several = list(changes)
    many = several[:-1] if len(several) > _FEW else []
    if many:
        yield many
    yield from ([each] for each in several[len(many) :])


def edit_of(document: Document, changes: Sequence[ContentChange], encoding: Encoding) -> Edit:
    """One edit with the effect of consecutive changes."""
    if len(changes) > 1:
        buffer = LineBuffer(document.text)
        for each in changes:
            buffer.replace(each.range, each.text, encoding)
        return _difference(document.text, buffer.text)
    (change,) = changes
    if change.range is None:
        # Some editors send the whole text each time: only the difference is applied.
        return _difference(document.text, change.text)
    start = document.offset(change.range.start, encoding)
    end = document.offset(change.range.end, encoding)
    return Edit(Span(min(start, end), max(start, end)), change.text)


def _difference(old: str, new: str) -> Edit:
    """The smallest single edit between two texts."""
    start = _common(old, new)
    end = min(
        _common(old[: start - 1 if start else None : -1], new[: start - 1 if start else None : -1]),
        len(old) - start,
        len(new) - start,
    )
    return Edit(Span(start, len(old) - end), new[start : len(new) - end])


def _common(a: str, b: str) -> int:
    """The length of the common prefix, by bisection, so that the comparisons run in C."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
