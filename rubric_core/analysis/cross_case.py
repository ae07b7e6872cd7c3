"""Findings of rules across cases that hold after an edit."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rubric_core.analysis.block_change import BlockChange
from rubric_core.analysis.block_state import Found
from rubric_core.analysis.family_cross_case import FamilyCrossCase
from rubric_core.analysis.result import Analysis
from rubric_core.lazy_compilation import replace
from rubric_core.syntax.blocks import Block
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Finding

__all__ = ["reusable"]


def reusable(
    family: FamilyCrossCase, before: Analysis, now: Analysis, change: BlockChange
) -> tuple[tuple[Found, ...], frozenset[str]] | None:
    """The findings of rules across cases that still hold, at their new offsets, and the groups of the rules that have to run again.

    None if all of them have to: what is around the cases has changed, or one of the findings is in a case that has changed.
    """
    edited = _edited_cases(before, now, change) if family.is_settled(before, now, change) else None
    again = family.groups_to_repeat(before, edited.old, now, edited.new) if edited is not None else None
    if edited is None or again is None:
        return None
    kept = _moved(((r, f) for r, f in before.across if r.group not in again), edited.span, edited.by)
    return (kept, again) if kept is not None else None


class _Edited(NamedTuple):
    """The cases that an edit touched, before and afterwards."""

    old: list[tuple[int, Block]]
    new: list[tuple[int, Block]]
    #: Their old place, and the difference in length.
    span: Span
    by: int


def _edited_cases(before: Analysis, now: Analysis, change: BlockChange) -> _Edited | None:
    """The cases that an edit touched; None if it changed more: then rules across cases run again."""
    if now.judged_in is None or before.judged_in != now.judged_in:
        return None
    start, end = change.start, change.end
    old = [(n, before.document.blocks[n]) for n in range(start, len(before.document.blocks) - end)]
    new = [(n, now.document.blocks[n]) for n in range(start, len(now.document.blocks) - end)]
    if len(old) != len(new) or not all(block.key for _, block in (*old, *new)):
        return None
    changed = Span(before.document.start(start), before.document.start(start + len(old)))
    return _Edited(old, new, changed, len(now.document) - len(before.document))


def _moved(across: Iterable[Found], changed: Span, by: int) -> tuple[Found, ...] | None:
    """Findings moved by an edit; None if one of them involves the edited text."""
    made: list[Found] = []
    for rule, finding in across:
        spans = [*_spans(finding)]
        if any(span.start < changed.end and span.end >= changed.start for span in spans):
            return None
        behind = by and any(span.start >= changed.end for span in spans)
        made.append((rule, _behind(finding, changed.end, by)) if behind else (rule, finding))
    return tuple(made)


def _spans(finding: Finding) -> Iterator[Span]:
    yield finding.span
    yield from (each.span for each in finding.related)
    yield from (edit.span for fix in finding.fixes for edit in fix.edits)
    yield from (span for _, span in finding.explains)
    if finding.hides is not None:
        yield finding.hides


def _behind(finding: Finding, offset: int, by: int) -> Finding:
    """A finding with everything from `offset` on moved by `by` characters."""

    def there(span: Span) -> Span:
        return span.moved(by) if span.start >= offset else span

    return replace(
        finding,
        span=there(finding.span),
        related=tuple(replace(each, span=there(each.span)) for each in finding.related),
        fixes=tuple(replace(f, edits=tuple(Edit(there(e.span), e.new_text) for e in f.edits)) for f in finding.fixes),
        explains=tuple((code, there(span)) for code, span in finding.explains),
        hides=there(finding.hides) if finding.hides is not None else None,
    )
