"""Every refactoring that is possible at a place."""

from collections.abc import Iterator

from rubric_core.analysis import Analysis
from rubric_core.refactoring.bands import bands
from rubric_core.refactoring.criteria import criteria
from rubric_core.refactoring.first_assertion import missing
from rubric_core.refactoring.place import Refactoring, RefactoringPlace
from rubric_core.refactoring.plain_strings import gathering
from rubric_core.refactoring.shared_evaluators import sharing
from rubric_core.refactoring.weights import weights

__all__ = ["refactorings"]

_KINDS = (criteria, gathering, bands, weights, sharing, missing)


def refactorings(analysis: Analysis, offset: int) -> Iterator[Refactoring]:
    """What can be written in another way at `offset`; nothing where the text is no YAML."""
    spot = RefactoringPlace(analysis, offset)
    if spot.sound:
        for kind in _KINDS:
            yield from kind(spot)
