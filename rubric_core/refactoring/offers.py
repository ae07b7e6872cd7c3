"""Every refactoring that is possible at a place."""

from collections.abc import Iterator

from rubric_core.analysis import Analysis
from rubric_core.refactoring.bands import convert_bands
from rubric_core.refactoring.criteria import convert_criteria
from rubric_core.refactoring.first_assertion import add_first_assertion
from rubric_core.refactoring.place import Refactoring, RefactoringPlace
from rubric_core.refactoring.plain_strings import gather_plain_strings
from rubric_core.refactoring.shared_evaluators import share_evaluators
from rubric_core.refactoring.weights import normalize_weights

__all__ = ["refactorings"]

_KINDS = (
    convert_criteria,
    gather_plain_strings,
    convert_bands,
    normalize_weights,
    share_evaluators,
    add_first_assertion,
)


def refactorings(analysis: Analysis, offset: int) -> Iterator[Refactoring]:
    """The refactorings possible at `offset`; nothing where the text is not valid YAML."""
    spot = RefactoringPlace(analysis, offset)
    if spot.sound:
        for kind in _KINDS:
            yield from kind(spot)
