"""Bands in the notation of other tools: bounds under two keys, the text as the key of its bounds, the inverted map."""

import re
from collections.abc import Collection
from collections.abc import Sequence as SequenceOf
from typing import NamedTuple

from rubric_core.language.evaluators import HIGHEST, Band
from rubric_core.language.misnomers import BOUND_PAIRS, MISNOMERS
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Entry, Mapping, Node, Scalar, Sequence

__all__ = ["end_before_the_next", "read_foreign_bands", "read_inverted_map", "read_tuple", "whole_number"]

#: "0-3", "0 to 3", "0..3".
_FROM_TO = pattern(r"\s*(\d{1,3})\s*(?:-|–|\.\.|to)\s*(\d{1,3})\s*\Z")


def read_foreign_bands(band: Band, node: Mapping, own: Collection[str]) -> bool:
    """Read the bounds of a listed band that has none under a key of its `own`; returns whether there are any."""
    if "score_range" in band.places or ("score_range" in band.unread and not (_single(band) or _renamed(band, node))):
        return False
    named = {entry.name: entry for entry in node.entries}
    for low, high in BOUND_PAIRS:
        if low in named and high in named:
            return _read(band, (named[low], named[high]), _pair_of(named[low].value, named[high].value))
    if (entry := _renamed(band, node)) is not None and isinstance(entry.value, Sequence):
        return _read(band, (entry,), _pair_of(*entry.value.items))
    if (single := _single(band)) is not None:
        entry = next(e for e in node.entries if e.value is single)
        return _read(band, (entry,), (whole_number(single), whole_number(single)))
    if len(node.entries) == 1 and node.entries[0].name not in own:
        entry = node.entries[0]
        bounds, text = _bounds_and_text(entry)
        if bounds[0] is not None:
            band.text = text
            return _read(band, (entry,), bounds)
    return False


class Tuple(NamedTuple):
    """A band written as a list: `[0, 4, poor]`, `[[0, 4], poor]`, `[0, 4]`."""

    bounds: tuple[Node, Node]
    low: int
    high: int
    text: Scalar | None


def read_tuple(node: Node | None) -> Tuple | None:
    """The band in such a list, if it is one."""
    items = list(node.items) if isinstance(node, Sequence) else []
    if items and isinstance(items[0], Sequence):
        items = [*items[0].items, *items[1:]] if len(items[0].items) == 2 else []
    if len(items) not in (2, 3):
        return None
    first, second, *more = items
    low, high = _pair_of(first, second)
    text = more[0] if more and isinstance(more[0], Scalar) and isinstance(more[0].value, str) else None
    if low is None or high is None or (more and text is None):
        return None
    return Tuple((first, second), low, high, text)


def read_inverted_map(bands: SequenceOf[Band]) -> bool:
    """Read a map from texts to bounds, `{poor: [0, 4], good: [5, 10]}`; returns whether it is one."""
    read = []
    for band in bands:
        entry = Entry(band.places["score_range"].node, band.places["outcome"].node)
        if _starts(entry.key):
            return False  # as in nearly every map
        bounds, text = _bounds_and_text(entry)
        if any(bound is None or bound > HIGHEST for bound in bounds) or not text:
            return False
        read.append((entry, bounds, text))
    for band, (entry, (low, high), text) in zip(bands, read, strict=True):
        del band.places["score_range"], band.places["outcome"]
        band.low, band.high, band.text, band.otherwise = low, high, text, (entry,)
    end_before_the_next(bands)
    return bool(read)


def end_before_the_next(bands: SequenceOf[Band]) -> None:
    """Bands with only a start, `poor: 0` or `- 0: poor`, end before the next one, the last at 10."""
    open_ended = [b for b in bands if len(b.otherwise) == 1 and b.low == b.high]
    lows = sorted(b.low for b in bands if b.low is not None)
    for band in open_ended if len(open_ended) == len(bands) else ():
        band.high = next((low - 1 for low in lows if band.low is not None and low > band.low), 10)


def _read(band: Band, entries: tuple[Entry, ...], bounds: tuple[int | None, int | None]) -> bool:
    if any(bound is None or bound > HIGHEST for bound in bounds):
        return False
    band.low, band.high = bounds
    band.otherwise = entries
    band.text = band.text or (band.outcome if isinstance(band.outcome, str) else "")
    return True


def _renamed(band: Band, node: Mapping) -> Entry | None:
    """The two bounds under a key of other tools: `range: [0, 4]`."""
    place = band.unread.get("score_range")
    pair = place.node if place is not None else None
    if place is None or not isinstance(pair, Sequence) or len(pair.items) != 2:
        return None
    told = MISNOMERS.field_called(Band, place.name) == "score_range"
    return next((e for e in node.entries if told and e.value is pair), None)


def _single(band: Band) -> Node | None:
    """The single score under a key for bounds: `score: 5`."""
    place = band.unread.get("score_range")
    return place.node if place is not None and whole_number(place.node) is not None else None


def _bounds_and_text(entry: Entry) -> tuple[tuple[int | None, int | None], str]:
    """The bounds and the text of `poor: [0, 4]`, `poor: 0-4`, `poor: {min: 0, max: 4}`, `0-4: poor` and `poor: 4`."""
    key, value = entry.key, entry.value
    if isinstance(key, Scalar) and (found := _FROM_TO.match(key.text)):
        text = value.text if isinstance(value, Scalar) and isinstance(value.value, str) else ""
        return (int(found[1]), int(found[2])), text
    if (start := whole_number(key)) is not None and isinstance(value, Scalar) and isinstance(value.value, str):
        return (start, start), value.text
    text = key.text if isinstance(key, Scalar) else ""
    if isinstance(value, Sequence) and len(value.items) == 2:
        return _pair_of(*value.items), text
    if isinstance(value, Mapping):
        named = {each.name: each.value for each in value.entries}
        pair = next(((named[a], named[b]) for a, b in BOUND_PAIRS if a in named and b in named), None)
        return _pair_of(*pair) if pair is not None and len(named) == 2 else (None, None), text
    if isinstance(value, Scalar) and (found := _FROM_TO.match(value.text)):
        return (int(found[1]), int(found[2])), text
    number = whole_number(value)
    return (number, number), text


def _starts(key: Node) -> bool:
    """Whether a key of a map is a valid bound."""
    return whole_number(key) is not None or (isinstance(key, Scalar) and _FROM_TO.match(key.text) is not None)


def _pair_of(low: Node, high: Node) -> tuple[int | None, int | None]:
    return whole_number(low), whole_number(high)


def whole_number(node: Node) -> int | None:
    """A whole number as a bound, also written as text; None for everything else."""
    if not isinstance(node, Scalar):
        return None
    text = node.text
    if len(text) <= 3 and text.isascii() and text.isdigit():  # as nearly all are written
        return int(text)
    value = node.value
    if isinstance(value, bool):
        return None
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return int(value)
    return int(node.text) if isinstance(value, str) and re.fullmatch(r"[0-9]{1,3}", node.text) else None
