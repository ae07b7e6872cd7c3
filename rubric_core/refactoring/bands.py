"""`score_ranges` as a list and as a map, and bands spread evenly over the scores."""

from collections.abc import Iterator

from rubric_core.language.evaluators import HIGHEST, Band, Criterion, LlmRubric, ScoreRanges
from rubric_core.refactoring.place import Refactoring, RefactoringPlace, has_comment
from rubric_core.syntax.edit import column_of, deeper, item_dash, line_end
from rubric_core.syntax.tree import Entry, Mapping, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.bands import bound_edit, is_sound

__all__ = ["convert_bands", "even_bounds"]


def convert_bands(spot: RefactoringPlace) -> Iterator[Refactoring]:
    """The refactorings of the bands at the cursor."""
    ranges = _ranges(spot)
    if ranges is None or ranges.borrowed:
        return
    if ranges.style == "map" and isinstance(ranges.node, Mapping):
        yield from spot.made("Write the bands as a list", "rewrite", _as_list(spot, ranges, ranges.node))
    elif ranges.style == "list" and isinstance(ranges.node, Sequence):
        yield from spot.made("Write the bands as a map", "rewrite", _as_map(spot, ranges, ranges.node))
    yield from spot.made("Spread the bands evenly", "rewrite", _spread(ranges))


def _ranges(spot: RefactoringPlace) -> ScoreRanges | None:
    """The bands that the cursor is in, or those of the criterion that it is in."""
    inner = next(spot.around(ScoreRanges), None)
    if inner is not None:
        return inner
    for each in (*spot.around(Criterion), *spot.around(LlmRubric)):
        found = vars(each).get("score_ranges")
        if isinstance(found, ScoreRanges):
            return found
    return None


def _as_list(spot: RefactoringPlace, ranges: ScoreRanges, node: Mapping) -> Iterator[Edit]:
    outcome = spot.dialect.spelled(Band, "outcome")
    if outcome is None or len(node.entries) != len(ranges.bands) or not all(map(is_sound, ranges.bands)):
        return
    if node.flow:
        yield Edit(Span(node.span.start, node.span.start + 1), "[")
        yield Edit(Span(node.span.end - 1, node.span.end), "]")
    for entry, band in zip(node.entries, ranges.bands, strict=True):
        bounds = f"score_range: [{band.low}, {band.high}]"
        if node.flow:
            yield Edit(entry.key.span, f"{{{bounds}, {outcome}")
            yield Edit(Span(entry.value.whole.end, entry.value.whole.end), "}")
        else:
            margin = " " * (column_of(spot.text, entry.key.span.start) + 2)
            yield Edit(entry.key.span, f"- {bounds}{spot.newline}{margin}{outcome}")
            yield from deeper(spot.text, entry.value.whole)


def _as_map(spot: RefactoringPlace, ranges: ScoreRanges, node: Sequence) -> list[Edit]:
    ordered = sorted(ranges.bands, key=lambda b: b.low if b.low is not None else -1)
    following = [b.low for b in ordered[1:]] + [HIGHEST + 1] * bool(ordered)
    whole = all(
        b.high is not None and n is not None and b.high + 1 == n for b, n in zip(ordered, following, strict=True)
    )
    if not ordered or not all(map(is_sound, ordered)) or not whole:
        return []
    edits: list[Edit] = []
    if node.flow:
        edits += [
            Edit(Span(node.span.start, node.span.start + 1), "{"),
            Edit(Span(node.span.end - 1, node.span.end), "}"),
        ]
    for item, band in zip(node.items, ranges.bands, strict=True):
        found = _entry_edits(spot, item, band, in_flow=node.flow) if isinstance(item, Mapping) else None
        if found is None:
            return []
        edits += found
    return edits


def _entry_edits(spot: RefactoringPlace, item: Mapping, band: Band, *, in_flow: bool) -> list[Edit] | None:
    """A band of the list as an entry of the map; None for one with more in it than bounds and text."""
    text, bounds = _of(item, band, "outcome"), _of(item, band, "score_range")
    dash = item_dash(spot.text, item)
    if text is None or bounds is None or len(item.entries) != 2 or item.anchor or (dash is None) != in_flow:
        return None
    if item.flow and not in_flow and isinstance(text.value, Scalar) and "\n" in spot.text[slice(*text.value.span)]:
        return None
    begin = item.whole.start if dash is None else dash
    cut = [Span(begin, text.key.whole.end)]
    if item.flow:
        cut.append(Span(text.value.whole.end, item.whole.end))
    elif bounds.span.start > text.span.start:
        start = bounds.span.start - column_of(spot.text, bounds.span.start)
        start -= 2 if spot.text[start - 2 : start] == "\r\n" else 1
        cut.append(Span(start, line_end(spot.text, bounds.span.end)))
    if any(has_comment(spot.text, span) for span in cut):
        return None
    return [Edit(cut[0], str(band.low)), *(Edit(span, "") for span in cut[1:])]


def _of(item: Mapping, band: Band, field: str) -> Entry | None:
    place = band.places.get(field)
    if place is None or place.borrowed:
        return None
    return next((e for e in item.entries if e.value is place.node), None)


def even_bounds(count: int) -> list[tuple[int, int]]:
    """The bounds of `count` bands (at most 11) that cover 0..10; their sizes differ by one at most, the higher are larger."""
    scores = HIGHEST + 1
    starts = [n * scores // count for n in range(count)]
    return [(low, high - 1) for low, high in zip(starts, [*starts[1:], scores], strict=True)]


def _spread(ranges: ScoreRanges) -> Iterator[Edit]:
    if not 2 <= len(ranges.bands) <= HIGHEST + 1:
        return
    order = sorted(range(len(ranges.bands)), key=lambda n: (ranges.bands[n].low is None, ranges.bands[n].low or 0, n))
    wanted = dict(zip(order, even_bounds(len(order)), strict=True))
    entries = ranges.node.entries if isinstance(ranges.node, Mapping) else []
    for number, band in enumerate(ranges.bands):
        low, high = wanted[number]
        if ranges.style == "map":
            if band.low != low and number < len(entries):
                yield Edit(entries[number].key.span, str(low))
        else:
            for which, old, new in ((0, band.low, low), (1, band.high, high)):
                edit = bound_edit(band, which, new) if old != new else None
                if edit is not None:
                    yield edit
