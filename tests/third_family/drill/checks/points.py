"""Points that count nothing, or against the answer."""

from collections.abc import Iterator

from drill.shapes import Drill
from rubric_core.text import Edit
from rubric_core.validation.rule import Finding, Fix, checks
from rubric_core.validation.wording import number


@checks("drill/points", "bad-weight")
def points(shape: Drill) -> Iterator[Finding]:
    """Points below 0, which make a right answer count against the whole."""
    place = shape.places.get("points")
    if place is not None and shape.points < 0:
        words = f"`points` is {number(shape.points)}; it must be 0 or more"
        written = number(-shape.points)
        yield Finding(place.value, words, fixes=(Fix(f"write {written}", (Edit(place.value, written),)),))
