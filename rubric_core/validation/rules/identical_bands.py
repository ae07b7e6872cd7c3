"""identical-bands: two bands that the judge cannot tell apart."""

from collections.abc import Iterator

from rubric_core.language.evaluators import Band, ScoreRanges
from rubric_core.validation.rule import Context, Finding, Related, rule

__all__ = ["IDENTICAL_BANDS"]


@rule("identical-bands", "warning", "Two bands with the same words")
def IDENTICAL_BANDS(ranges: ScoreRanges, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """The judge chooses a score by these words."""
    seen: dict[str, Band] = {}
    for band in ranges.bands:
        text = " ".join(band.text.lower().split()).rstrip(".")
        if not text or band.borrowed:
            continue
        first = seen.setdefault(text, band)
        if first is not band:
            yield Finding(
                band.at("outcome"),
                "another band has the same words, so the judge cannot tell the two apart",
                related=(Related(first.at("outcome"), "here"),),
            )
