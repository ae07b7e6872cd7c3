"""Infers intended bounds: on another scale, written as texts, with shared borders, or with one mistake among them."""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from rubric_core.language.evaluators import HIGHEST, Band, ScoreRanges
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.scalars import resolve
from rubric_core.syntax.tree import Node, Scalar
from rubric_core.syntax.tree import Sequence as SequenceNode
from rubric_core.text import Edit
from rubric_core.validation.rule import Fix
from rubric_core.validation.units import NUMBERS
from rubric_core.validation.wording import band_words

__all__ = ["SPAN", "intended_bounds"]

#: "0-3", "0 to 3", "0..3", "(0, 3)", "0,3".
SPAN = pattern(
    r"\s*(?:[(\[]\s*)?(\d+(?:\.\d+)?)\s*(?:%\s*)?(?:-|–|—|\.\.\.?|to|,|;)\s*(\d+(?:\.\d+)?)\s*(?:%\s*)?(?:[)\]]\s*)?\Z"
)
_DIGITS = 6


class _WrittenBounds(NamedTuple):
    """The text written as a band's bounds, and the numbers it means; a map states only the lower bounds."""

    node: Node
    bounds: tuple[float, ...]
    #: The nodes of the bounds, where each has its own.
    parts: tuple[Node, ...] = ()


def intended_bounds(ranges: ScoreRanges) -> Fix | None:
    """The bounds of all bands, changed as needed so that they cover 0..10; None if no reading of them does."""
    if ranges.borrowed or any(band.borrowed or band.otherwise for band in ranges.bands):
        return None
    written = [_written(band, ranges.style) for band in ranges.bands]
    known = [each for each in written if each is not None]
    if not known or len(known) < len(written):
        return None
    for scale in _SCALES:
        bounds = _scaled(known, scale)
        joined = bounds and (_joined if ranges.style == "list" else _starting)(bounds)
        if joined:
            edits = tuple(edit for each, new in zip(known, joined, strict=True) for edit in _edits(each, new))
            return Fix(_title(edits, joined), edits, safe=False) if edits else None
    return None


def _written(band: Band, style: str) -> _WrittenBounds | None:
    place = band.places.get("score_range")
    node = place.node if place is not None else None
    if isinstance(node, SequenceNode) and style == "list":
        numbers = [_number(item) for item in node.items]
        values = [number for number in numbers if number is not None]
        if len(values) == len(numbers) == 2:
            return _WrittenBounds(node, (values[0], values[1]), tuple(node.items))
        return _WrittenBounds(node, (min(values), max(values))) if len(values) == len(numbers) > 2 else None
    if not isinstance(node, Scalar) or style not in ("list", "map"):
        return None
    if found := SPAN.match(node.text):
        low, high = float(found[1]), float(found[2])
        return _WrittenBounds(node, (low, high) if style == "list" else (low,))
    number = _number(node)
    if number is None:
        return None
    return _WrittenBounds(node, (number, number) if style == "list" else (number,), (node,) if style == "map" else ())


def _number(node: Node) -> float | None:
    """The number that a bound means, whether written in quotes, as a percentage or in words."""
    if not isinstance(node, Scalar) or isinstance(node.value, bool):
        return None
    if isinstance(node.value, int | float):
        return float(node.value)
    text = node.text.strip().removesuffix("%").strip().lower()
    if text in NUMBERS:
        return float(NUMBERS.index(text))
    value = resolve(text) if text else None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _scale_bound(value: float) -> float:
    """A bound scaled by itself: a fraction of 1 is multiplied by ten, one above the scale is divided by ten."""
    return value * 10 if 0 < value < 1 else value / 10 if value > HIGHEST else value


#: Factors from other scales to 0..10.
_SCALES: tuple[Callable[[float], float], ...] = (lambda v: v, lambda v: v * 10, lambda v: v / 10, _scale_bound)


def _scaled(written: Sequence[_WrittenBounds], scale: Callable[[float], float]) -> list[tuple[float, ...]]:
    """The bounds converted from another scale; nothing if they do not fit that scale."""
    bounds = [tuple(round(scale(value), _DIGITS) for value in each.bounds) for each in written]
    values = [value for each in bounds for value in each]
    return bounds if values and all(math.isfinite(v) and 0 <= v <= HIGHEST for v in values) else []


def _joined(bounds: Sequence[tuple[float, ...]]) -> list[tuple[int, ...]]:
    """Contiguous bands from 0 to 10; nothing if they still do not cover every score once.

    A lower bound moves up to a whole number, an upper one down. Of a border that two bands share, the upper one begins
    after it.
    """
    order = sorted(range(len(bounds)), key=lambda n: bounds[n])
    found: dict[int, tuple[int, ...]] = {}
    before: tuple[float, int] | None = None
    for number in order:
        low, high = min(bounds[number]), max(bounds[number])
        start = math.ceil(low)
        if before is not None and low == before[0] and start <= before[1]:
            start = before[1] + 1
        found[number] = (start, math.floor(high))
        before = high, found[number][1]
    ordered = [found[number] for number in order]
    sound = all(low <= high for low, high in ordered) and all(a[1] + 1 == b[0] for a, b in pairwise(ordered))
    whole = bool(ordered) and (ordered[0][0], ordered[-1][1]) == (0, HIGHEST)
    return [found[number] for number in range(len(bounds))] if sound and whole else []


def _starting(bounds: Sequence[tuple[float, ...]]) -> list[tuple[int, ...]]:
    """The bands from their lowest scores, if these begin at 0 and rise; else nothing."""
    ordered = sorted(low for (low,) in bounds)
    sound = ordered[0] == 0 and all(a < b for a, b in pairwise(ordered)) and all(low.is_integer() for low in ordered)
    return [(int(low),) for (low,) in bounds] if sound else []


def _edits(written: _WrittenBounds, bounds: tuple[int, ...]) -> Iterator[Edit]:
    """The edits for one band."""
    if written.parts:
        for node, bound in zip(written.parts, bounds, strict=True):
            if not (isinstance(node, Scalar) and node.value == bound and type(node.value) is int):
                yield Edit(node.span, str(bound))
        return
    yield Edit(written.node.span, f"[{bounds[0]}, {bounds[1]}]" if len(bounds) > 1 else str(bounds[0]))


def _title(edits: Sequence[Edit], bounds: Sequence[tuple[int, ...]]) -> str:
    if len(edits) == 1:
        return f"write {edits[0].new_text}"
    words = [band_words(*each) if len(each) > 1 else str(each[0]) for each in bounds]
    return f"write {', '.join(words[:-1])} and {words[-1]}"
