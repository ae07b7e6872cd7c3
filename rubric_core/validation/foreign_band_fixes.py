"""Rewrites bands from the notation of other tools into that of the language."""

from collections.abc import Iterator

from rubric_core.language.evaluators import HIGHEST, Band, ScoreRanges
from rubric_core.syntax.edit import column_of, newline_of, plain_or_quoted, remove_entry
from rubric_core.syntax.tree import Entry, Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.bands import is_sound
from rubric_core.validation.rule import Context, Fix

__all__ = ["rewrite_bands"]


def rewrite_bands(ranges: ScoreRanges, text_key: str, context: Context) -> Iterator[Fix]:
    """One fix for all bands in another notation; none if any band would lose information."""
    if isinstance(ranges.node, Mapping):
        edits = list(_turned_back(ranges, ranges.node, text_key, context))
    else:
        edits = [edit for band in ranges.bands for edit in _listed(band, ranges.node, text_key, context)]
    told = {id(band) for band in ranges.bands if band.otherwise}
    if edits and len(edits) >= len(told):
        title = "write the bounds as `score_range`" if _pairs(ranges) else "write them as bands"
        # A single number may also have been meant as the start of a band.
        yield Fix(title, tuple(edits), safe=not any(len(b.otherwise) == 1 and b.outcome for b in ranges.bands))


def _pairs(ranges: ScoreRanges) -> bool:
    """Whether the bands differ from those of the language only in the names of their bounds."""
    return isinstance(ranges.node, Sequence) and all(b.outcome is not None for b in ranges.bands if b.otherwise)


def _listed(band: Band, listed: Node | None, text_key: str, context: Context) -> Iterator[Edit]:
    node = band.node
    if not band.otherwise or not isinstance(node, Mapping) or not isinstance(listed, Sequence):
        return
    bounds = f"score_range: [{band.low}, {band.high}]"
    first, *rest = sorted(band.otherwise, key=lambda entry: entry.span)
    if isinstance(band.outcome, str):
        yield Edit(first.span, bounds)
        yield from (gone for entry in rest if (gone := remove_entry(context.text, node, entry)) is not None)
        return
    if not band.text:  # `0-4: 7` contains nothing that could be its text
        return
    yield Edit(first.span, _whole(first, band, bounds, text_key, context, flow=node.flow))


def _whole(entry: Entry, band: Band, bounds: str, text_key: str, context: Context, *, flow: bool) -> str:
    """Bounds and text of a band that has its text where the bounds should be, or in the other way."""
    line = newline_of(context.text) + " " * column_of(context.text, entry.key.whole.start)
    text = next((n for n in (entry.key, entry.value) if isinstance(n, Scalar) and n.text == band.text), entry.key)
    words = context.written(text.span) if _as_value(text) else plain_or_quoted(band.text)
    return f"{bounds}{', ' if flow else line}{text_key}: {words}"


def _as_value(node: Node) -> bool:
    return isinstance(node, Scalar) and (node.style == "plain" or node.is_quoted) and isinstance(node.value, str)


def _turned_back(ranges: ScoreRanges, node: Mapping, text_key: str, context: Context) -> Iterator[Edit]:
    """The bands as a map from bounds to texts if they are contiguous; else as a list."""
    ordered = sorted(ranges.bands, key=lambda band: band.low or 0)
    ends = [band.high for band in ordered[:-1]]
    starts = [band.low for band in ordered[1:]]
    joined = all(h is not None and h + 1 == low for h, low in zip(ends, starts, strict=True))
    as_map = all(map(is_sound, ordered)) and joined and (ordered[0].low, ordered[-1].high) == (0, HIGHEST)
    if not as_map and node.flow:
        yield Edit(Span(node.span.start, node.span.start + 1), "[")
        yield Edit(Span(node.span.end - 1, node.span.end), "]")
    for band in ranges.bands:
        entry = band.otherwise[0]
        words = context.written(entry.key.span) if _as_value(entry.key) else plain_or_quoted(band.text)
        if as_map:
            yield Edit(entry.span, f"{band.low}: {words}")
        elif node.flow:
            yield Edit(entry.span, f"{{score_range: [{band.low}, {band.high}], {text_key}: {words}}}")
        else:
            margin = newline_of(context.text) + " " * (column_of(context.text, entry.key.whole.start) + 2)
            yield Edit(entry.span, f"- score_range: [{band.low}, {band.high}]{margin}{text_key}: {words}")
