"""The fix for duplicate names: another name for the second one."""

from collections.abc import Iterable

from rubric_core.language.shape import FieldPlace
from rubric_core.syntax.edit import plain_or_quoted, quoted
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Fix

__all__ = ["FreeNames"]


class FreeNames:
    """Unused names, each returned once so that several fixes do not collide. `taken`: the names in use."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        #: The last number appended, by name.
        self._numbers: dict[str, int] = {}

    def called(self, place: FieldPlace | None, name: str, at: Span | None = None) -> tuple[Fix, ...]:
        """Rename the text at `place` to `name-2`, or the first such name that is free. `at`: its place, if elsewhere."""
        if place is None or place.borrowed or not isinstance(place.node, Scalar):
            return ()
        free = self._free(name)
        written = quoted(free) if place.node.is_quoted else plain_or_quoted(free)
        return (Fix(f"call it `{free}`", (Edit(at or place.node.span, written),), safe=False),)

    def _free(self, name: str) -> str:
        number = self._numbers.get(name, 1) + 1
        while f"{name}-{number}" in self._taken:
            number += 1
        self._numbers[name] = number
        self._taken.add(f"{name}-{number}")
        return f"{name}-{number}"
