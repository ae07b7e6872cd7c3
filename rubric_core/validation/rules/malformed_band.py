"""malformed-band: an entry of `score_ranges` that is no band."""

from collections.abc import Iterator

from rubric_core.language.evaluators import Band, ScoreRanges
from rubric_core.loading.reading import found_words
from rubric_core.syntax.tree import Mapping, Sequence
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["MALFORMED_BAND"]

_DROPS = "agentv drops the whole case with a log line"


@rule("malformed-band", "error", "An entry of score_ranges that is no band, or no bands at all")
def MALFORMED_BAND(ranges: ScoreRanges, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Show the shape that is expected."""
    text_key = context.dialect.spelled(Band, "outcome") or "outcome"
    shape = f"{{score_range: [0, 3], {text_key}: …}}"
    if ranges.style == "other" or (ranges.style == "map" and not ranges.bands):
        found = found_words(ranges.node) if ranges.node is not None and ranges.style == "other" else "empty"
        yield Finding(
            ranges.span,
            f"score_ranges is {found}; it should be a list of {shape} or a map such as {{0: poor, 5: good}}",
            consequence=_DROPS,
        )
    if ranges.style != "list":
        return
    for number, band in enumerate(ranges.bands, 1):
        if not isinstance(band.node, Mapping):
            found = found_words(band.node) if band.node is not None else "nothing"
            yield Finding(band.span, f"band {number} is {found}; it should be {shape}", consequence=_DROPS)
            continue
        pair = band.places.get("score_range")
        if pair is not None and not (isinstance(pair.node, Sequence) and len(pair.node.items) == 2):
            yield Finding(
                pair.value,
                "`score_range` should be two whole numbers of 0..10, the lowest and the highest score: [0, 3]",
                consequence=_DROPS,
            )
