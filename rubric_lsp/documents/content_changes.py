"""The changes of a document that a client sends, as edits of its text."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rubric_core.syntax.blocks import Document
from rubric_core.text import Edit, Encoding, LineBuffer, Span, TextRange, smallest_edit

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
        return smallest_edit(document.text, buffer.text)
    (change,) = changes
    if change.range is None:
        # Some editors send the whole text each time: only the difference is applied.
        return smallest_edit(document.text, change.text)
    start = document.offset(change.range.start, encoding)
    end = document.offset(change.range.end, encoding)
    return Edit(Span(min(start, end), max(start, end)), change.text)
