"""Functions shared by the rules about `score_ranges`."""

from collections.abc import Iterable

from rubric_core.language.evaluators import HIGHEST, Band, ScoreRanges
from rubric_core.loading.foreign_bands import read_tuple
from rubric_core.syntax.tree import Node, Sequence
from rubric_core.text import Edit
from rubric_core.validation.rule import Fix

__all__ = ["bound_edit", "covered", "is_sound", "placeholder_bands", "sound", "uncovered"]


def is_sound(band: Band) -> bool:
    """Whether both bounds are whole numbers of 0..10 in the right order."""
    return band.low is not None and band.high is not None and 0 <= band.low <= band.high <= HIGHEST


def sound(ranges: ScoreRanges) -> list[Band]:
    """The bands with sound bounds, in the order of the text."""
    return [band for band in ranges.bands if is_sound(band)]


def covered(bands: Iterable[Band]) -> set[int]:
    """Every score that some band covers."""
    return {s for b in bands if b.low is not None and b.high is not None for s in range(b.low, b.high + 1)}


def uncovered(bands: Iterable[Band]) -> range:
    """The scores that no band covers, if they are consecutive; else nothing."""
    taken = covered(bands)
    free = [score for score in range(HIGHEST + 1) if score not in taken]
    return range(free[0], free[-1] + 1) if free and free[-1] - free[0] + 1 == len(free) else range(0)


def placeholder_bands(node: Node) -> Fix:
    """Two bands with placeholder texts for the author to fill in."""
    lead = " " if node.span.start == node.span.end else ""
    written = '{0: "poor: …", 5: "good: …"}'
    return Fix(f"write {written}", (Edit(node.span, lead + written),), safe=False)


def bound_edit(band: Band, which: int, value: int) -> Edit | None:
    """Write another bound (0 the lower, 1 the upper) of a listed band; None if it is behind an alias."""
    place = band.places.get("score_range")
    if place is None and not band.borrowed and (read := read_tuple(band.node)) is not None:
        return Edit(read.bounds[which].span, str(value))
    if place is None or place.borrowed or not isinstance(place.node, Sequence) or len(place.node.items) != 2:
        return None
    return Edit(place.node.items[which].span, str(value))
