"""Applying fixes: the safe ones, none that touch one another, until nothing is left to do."""

from bisect import bisect_right, insort
from collections.abc import Callable, Iterable

from rubric_core.analysis import Analysis
from rubric_core.text import Edit, apply_edits
from rubric_core.validation.rule import Diagnostic, Fix

__all__ = ["fixed", "safe_edits", "safe_fix"]

_MOST_ROUNDS = 10


def safe_fix(diagnostic: Diagnostic) -> Fix | None:
    """The fix that may be made without asking: the first one, when it is safe."""
    return diagnostic.fixes[0] if diagnostic.fixes and diagnostic.fixes[0].safe else None


def safe_edits(diagnostics: Iterable[Diagnostic]) -> list[Edit]:
    """The edits of all safe fixes that can be made at once; of two that touch, the one that comes first in the text."""
    chosen: list[Edit] = []
    for diagnostic in diagnostics:
        fix = safe_fix(diagnostic)
        if fix is not None and not any(_touches(edit, chosen) for edit in fix.edits):
            for edit in fix.edits:
                insort(chosen, edit)
    return chosen


def _touches(edit: Edit, chosen: list[Edit]) -> bool:
    """Whether `edit` overlaps or meets one of `chosen`, which are sorted and do not overlap."""
    at = bisect_right(chosen, edit)
    before = at > 0 and chosen[at - 1].span.end >= edit.span.start
    return before or (at < len(chosen) and chosen[at].span.start <= edit.span.end)


def fixed(analysis: Analysis, again: Callable[[str], Analysis]) -> Analysis:
    """The analysis after every safe fix; `again` analyzes a text as the first one was. Fixing the result changes nothing."""
    for _ in range(_MOST_ROUNDS):
        edits = safe_edits(analysis.diagnostics)
        if not edits:
            break
        analysis = again(apply_edits(analysis.document.text, edits))
    return analysis
