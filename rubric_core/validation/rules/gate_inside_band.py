"""gate-inside-band: a minimum that cuts through a band."""

from collections.abc import Iterator

from rubric_core.language.evaluators import Criterion, ScoreRanges
from rubric_core.text import Edit
from rubric_core.validation.bands import is_sound
from rubric_core.validation.rule import Context, Finding, Fix, Related, rule
from rubric_core.validation.wording import band_words, number

__all__ = ["GATE_INSIDE_BAND"]


@rule(
    "gate-inside-band", "information", "A minimum that cuts through a band", needs={"min_score", "required_min_score"}
)
def GATE_INSIDE_BAND(criterion: Criterion, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """Answers that the same words describe would pass and fail; a minimum says most at the start of a band."""
    ranges = criterion.score_ranges
    field = "min_score" if criterion.min_score is not None else "required_min_score"
    value = criterion.min_score * 10 if criterion.min_score is not None else criterion.required_min_score
    if not isinstance(ranges, ScoreRanges) or value is None or not 0 < value <= 10:
        return
    if field == "required_min_score" and value != round(value):
        return  # gate-out-of-range
    for band in ranges.bands:
        if band.low is not None and band.high is not None and band.low < value <= band.high and is_sound(band):
            place = criterion.places[field]
            low = number(band.low / 10) if field == "min_score" else str(band.low)
            fixes = (
                (Fix(f"start at the band: {low}", (Edit(place.node.span, low),), safe=False),)
                if not place.borrowed and band.low > 0
                else ()
            )
            yield Finding(
                place.value,
                f"this minimum lies inside the band {band_words(band.low, band.high)}",
                related=(Related(band.at("score_range"), "the band"),),
                fixes=fixes,
                consequence="of the answers that match this band, some pass and some fail",
            )
