"""Applying fixes: the safe ones, none that touch one another, until nothing is left to do."""

from collections.abc import Iterable

from rubric_core.analysis import Analysis, Language, analyze
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
        if fix is not None and not any(_touch(a, b) for a in fix.edits for b in chosen):
            chosen += fix.edits
    return chosen


def _touch(a: Edit, b: Edit) -> bool:
    return a.span.start <= b.span.end and b.span.start <= a.span.end


def fixed(text: str, language: Language, *, dialect: str | None = None) -> Analysis:
    """`text` with every safe fix made, analyzed. Fixing the result again changes nothing."""
    analysis = analyze(language.document(text), language, dialect=dialect)
    for _ in range(_MOST_ROUNDS):
        edits = safe_edits(analysis.diagnostics)
        if not edits:
            break
        text = apply_edits(text, edits)
        analysis = analyze(language.document(text), language, dialect=dialect)
    return analysis
