"""identical-bands: two bands that the judge cannot tell apart."""

from collections.abc import Iterator

from rubric_core.language.evaluators import Band, ScoreRanges
from rubric_core.syntax.edit import remove_entry, remove_item
from rubric_core.syntax.tree import Mapping, Sequence
from rubric_core.validation.bands import bound_edit, is_sound
from rubric_core.validation.rule import Context, Finding, Fix, Related, rule

__all__ = ["IDENTICAL_BANDS"]


@rule("identical-bands", "warning", "Two bands with the same text")
def IDENTICAL_BANDS(ranges: ScoreRanges, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """The judge chooses a score by these words."""
    seen: dict[str, Band] = {}
    for band in ranges.bands:
        text = " ".join(band.text.lower().split()).rstrip(".")
        if not text or band.borrowed:
            continue
        first = seen.setdefault(text, band)
        if first is not band and (first.low, first.high) != (band.low, band.high):
            yield Finding(
                band.at("outcome"),
                "another band has the same text, so the judge cannot tell the two apart",
                related=(Related(first.at("outcome"), "here"),),
                fixes=_one_band(ranges, first, band, context),
            )


def _one_band(ranges: ScoreRanges, first: Band, second: Band, context: Context) -> tuple[Fix, ...]:
    """One band in the place of two that lie beside one another."""
    low, high = sorted((first, second), key=lambda band: band.low or 0)
    if not (is_sound(low) and is_sound(high)) or low.high is None or low.high + 1 != high.low:
        return ()
    title = "merge the two bands"
    if ranges.style == "map" and isinstance(ranges.node, Mapping):
        entry = next((e for e in ranges.node.entries if e.value is high.node), None)
        edit = remove_entry(context.text, ranges.node, entry) if entry is not None else None
        return () if edit is None else (Fix(title, (edit,), safe=False),)
    gone = second.node is not None and isinstance(ranges.node, Sequence) and second.node
    edit = remove_item(context.text, ranges.node, gone) if gone and isinstance(ranges.node, Sequence) else None
    bound = bound_edit(first, 1, high.high or 0) if first is low else bound_edit(first, 0, low.low or 0)
    return () if edit is None or bound is None else (Fix(title, (edit, bound), safe=False),)
