"""The fix of rules about names that two things have: another name for the second one."""

from collections.abc import Collection

from rubric_core.language.shape import Place
from rubric_core.syntax.edit import plain_or_quoted, quoted
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Fix

__all__ = ["called"]


def called(place: Place | None, name: str, taken: Collection[str], at: Span | None = None) -> tuple[Fix, ...]:
    """Call what stands at `place` `name-2`, or the first such name that nothing has. `at`: where that is, if elsewhere."""
    if place is None or place.borrowed or not isinstance(place.node, Scalar):
        return ()
    number = 2
    while f"{name}-{number}" in taken:
        number += 1
    free = f"{name}-{number}"
    written = quoted(free) if place.node.is_quoted else plain_or_quoted(free)
    return (Fix(f"call it `{free}`", (Edit(at or place.node.span, written),), safe=False),)
