"""band-without-text: a band that does not say what it stands for."""

from collections.abc import Iterator

from rubric_core.language.evaluators import Band, ScoreRanges
from rubric_core.syntax.edit import quoted
from rubric_core.syntax.tree import Mapping, Scalar
from rubric_core.text import Edit, Span
from rubric_core.validation.fixes import FILL_IN
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["BAND_WITHOUT_TEXT"]


@rule("band-without-text", "error", "A band without a description", awaits="entry")
def BAND_WITHOUT_TEXT(ranges: ScoreRanges, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """The judge grades by these texts; a missing key is reported as such."""
    for band in ranges.bands:
        place = band.places.get("outcome")
        if place is None or (band.text.strip() and isinstance(band.outcome, str)):
            continue
        node = place.node
        span = place.value if place.value.start < place.value.end else place.key
        number = isinstance(node, Scalar) and node.value is not None and not isinstance(node.value, str)
        fixes = (
            (Fix("put it in quotes", (Edit(node.span, quoted(node.text)),)),)
            if number and isinstance(node, Scalar) and not place.borrowed
            else ()
        )
        if isinstance(node, Mapping) and not place.borrowed and (words := _only_text(node, context)):
            behind = context.text.find(":", place.key.end) + 1
            fixes = (Fix("write only the text", (Edit(Span(behind, node.span.end), f" {words}"),)),)
        if not fixes and not place.borrowed and isinstance(node, Scalar) and not node.anchor:
            lead = " " if node.span.start == node.span.end else ""
            fixes = (Fix("say it: …", (Edit(node.span, lead + FILL_IN),), safe=False),)
        message = (
            "the text of a band must be a string"
            if number
            else "the text of a band follows its lowest score"
            if fixes and isinstance(node, Mapping)
            else "this band has no text; say what an answer with such a score looks like"
        )
        yield Finding(span, message, fixes=fixes, consequence="agentv skips the whole case and only logs it")


def _only_text(node: Mapping, context: Context) -> str:
    """The text of `0: {outcome: poor}`, as it is written."""
    entry = node.entries[0] if len(node.entries) == 1 else None
    if entry is None or not isinstance(entry.value, Scalar) or not isinstance(entry.value.value, str):
        return ""
    known = context.dialect.table(Band).get(entry.name or "")
    one_line = (entry.value.style == "plain" or entry.value.is_quoted) and not entry.value.anchor
    return context.written(entry.value.span) if one_line and known is not None and known.field == "outcome" else ""
