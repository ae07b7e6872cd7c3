"""bands-not-from-zero: a map of bands whose lowest score is not 0."""

from collections.abc import Iterator

from rubric_core.language.evaluators import ScoreRanges
from rubric_core.text import Edit
from rubric_core.validation.rule import Context, Finding, Fix, rule
from rubric_core.validation.wording import score_words

__all__ = ["BANDS_NOT_FROM_ZERO"]


@rule("bands-not-from-zero", "error", "A map of bands whose lowest score is not 0")
def BANDS_NOT_FROM_ZERO(ranges: ScoreRanges, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """In the map form each key is the lowest score of its band, so the first has to be 0."""
    bands = [b for b in ranges.bands if b.low is not None]
    if ranges.style != "map" or not bands or len(bands) != len(ranges.bands):
        return
    first = min(bands, key=lambda b: b.low or 0)
    if first.low is None or not 0 < first.low <= 10:
        return
    place = first.places["score_range"]
    # Not safe: a band below it may have been left out.
    fixes = () if place.borrowed else (Fix("start the lowest band at 0", (Edit(place.node.span, "0"),), safe=False),)
    verb = "belongs" if first.low == 1 else "belong"
    yield Finding(
        place.value,
        f"{score_words(range(first.low))} {verb} to no band; the lowest key must be 0",
        fixes=fixes,
        consequence="agentv skips the whole case and only logs it; for inline rubrics the whole file",
    )
