"""malformed-band: an entry of `score_ranges` that is no band."""

from collections.abc import Iterator

from rubric_core.language.evaluators import HIGHEST, Band, ScoreRanges
from rubric_core.loading.foreign_bands import read_tuple, whole_number
from rubric_core.loading.type_match import found_words
from rubric_core.syntax.edit import plain_or_quoted, quoted
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.bands import covered, placeholder_bands, uncovered
from rubric_core.validation.fixes import FILL_IN, remove_item_fix
from rubric_core.validation.foreign_band_fixes import rewrite_bands
from rubric_core.validation.intended_bounds import SPAN, intended_bounds
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["MALFORMED_BAND"]

_DROPS = "agentv skips the whole case and only logs it"


@rule("malformed-band", "error", "An invalid entry of score_ranges, or no bands at all")
def MALFORMED_BAND(ranges: ScoreRanges, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Show the shape that is expected."""
    text_key = context.dialect.spelled(Band, "outcome") or "outcome"
    shape = f"{{score_range: [0, 3], {text_key}: …}}"
    if ranges.style == "other" or (ranges.style == "map" and not ranges.bands):
        found = found_words(ranges.node) if ranges.node is not None and ranges.style == "other" else "empty"
        yield Finding(
            ranges.span,
            f"score_ranges is {found}; it should be a list of {shape} or a map such as {{0: poor, 5: good}}",
            fixes=() if ranges.borrowed or ranges.node is None else (placeholder_bands(ranges.node),),
            consequence=_DROPS,
            hides=_all_of(ranges),
        )
    if ranges.style in ("list", "turned") and (odd := next((b for b in ranges.bands if b.otherwise), None)):
        yield _foreign_bands(odd, ranges, text_key, context)
    if ranges.style != "list":
        return
    whole = intended_bounds(ranges)
    for number, band in enumerate(ranges.bands, 1):
        if band.otherwise:
            continue
        if not isinstance(band.node, Mapping):
            found = found_words(band.node) if band.node is not None else "nothing"
            fixes = () if band.borrowed or band.node is None else _as_band(ranges, band.node, text_key, context)
            like = _tuple_as_band(band.node, text_key, context) or shape
            words = f"band {number} is {found}; it should be {like}"
            yield Finding(band.span, words, fixes=fixes, consequence=_DROPS, hides=_all_of(ranges))
            continue
        pair = band.places.get("score_range")
        if pair is not None and (not _is_pair(pair.node) or _has_text(pair.node)):
            yield Finding(
                pair.value,
                "`score_range` should be two whole numbers of 0..10, the lowest and the highest score: [0, 3]",
                fixes=(whole,) if whole is not None else () if band.borrowed else tuple(_pair(pair.node)),
                consequence=_DROPS,
                hides=_all_of(ranges),
            )


def _foreign_bands(first: Band, ranges: ScoreRanges, text_key: str, context: Context) -> Finding:
    """Bands in the words of other tools, all of them said once."""
    entry = first.otherwise[0]
    span = first.span if first.borrowed else Span(entry.key.span.start, first.otherwise[-1].span.end)
    written = f"{{score_range: [{first.low}, {first.high}], {text_key}: …}}"
    borrowed = any(band.borrowed for band in ranges.bands)
    fixes = () if borrowed else tuple(rewrite_bands(ranges, text_key, context))
    words = f"agentv reads no bounds here; write {written}"
    return Finding(span, words, fixes=fixes, consequence=_DROPS, hides=_all_of(ranges))


def _all_of(ranges: ScoreRanges) -> Span | None:
    """Whether bands overlap or leave a gap is only looked at when each of them is one."""
    return ranges.node.whole if ranges.node is not None and not ranges.borrowed else None


def _is_pair(node: Node) -> bool:
    return isinstance(node, Sequence) and len(node.items) == 2


def _has_text(node: Node) -> bool:
    """Whether a bound is a number in quotes, which the engine takes for no number."""
    items = node.items if isinstance(node, Sequence) else []
    return any(isinstance(i, Scalar) and isinstance(i.value, str) and i.value.strip().isdigit() for i in items)


def _pair(node: Node) -> Iterator[Fix]:
    """A single score is a band of one; of several numbers the lowest and the highest count."""
    items = node.items if isinstance(node, Sequence) else [node]
    values = [
        int(i.value)
        for i in items
        if isinstance(i, Scalar)
        and not isinstance(i.value, bool)
        and (isinstance(i.value, int) or (isinstance(i.value, str) and i.value.strip().isdigit()))
    ]
    if isinstance(node, Scalar) and (found := SPAN.match(node.text)) and (found[1] + found[2]).isdigit():
        values = [int(found[1]), int(found[2])]
    elif isinstance(node, Mapping):
        values = [n for n in (whole_number(e.value) for e in node.entries) if n is not None]
    if not values or (not isinstance(node, Mapping) and len(values) != len(items) and not isinstance(node, Scalar)):
        return
    written = f"[{min(values)}, {max(values)}]"
    yield Fix(f"write {written}", (Edit(node.span, written),), safe=False)


def _tuple_as_band(node: Node | None, text_key: str, context: Context) -> str:
    """A band that is a list by itself, as it should be written."""
    read = read_tuple(node)
    if read is None:
        return ""
    flow = isinstance(node, Sequence) and node.flow
    words = FILL_IN if read.text is None else context.written(read.text.span) if flow else quoted(read.text.text)
    return f"{{score_range: [{read.low}, {read.high}], {text_key}: {words}}}"


def _as_band(ranges: ScoreRanges, node: Node, text_key: str, context: Context) -> tuple[Fix, ...]:
    """A band with these words for the scores that are left over; nothing, when the others claim them all."""
    if written := _tuple_as_band(node, text_key, context):
        said = read_tuple(node)
        return (Fix(f"write {written}", (Edit(node.span, written),), safe=said is not None and said.text is not None),)
    free = uncovered(ranges.bands)
    if not free or isinstance(node, Sequence):
        return remove_item_fix(ranges.node, node, context) if len(covered(ranges.bands)) > HIGHEST else ()
    words = plain_or_quoted(node.text) if isinstance(node, Scalar) and isinstance(node.value, str) else FILL_IN
    band = f"{{score_range: [{free[0]}, {free[-1]}], {text_key}: {words}}}"
    lead = " " if node.span.start == node.span.end else ""
    return (Fix(f"write {band}", (Edit(node.span, lead + band),), safe=False),)
