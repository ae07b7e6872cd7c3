"""`score_ranges` in both of its shapes."""

from bisect import bisect_right
from collections.abc import Iterator

from rubric_core.language.evaluators import Band, ScoreRanges
from rubric_core.language.shape import FieldPlace
from rubric_core.language.shape_kinds import Shaped
from rubric_core.lazy_compilation import replace
from rubric_core.loading.foreign_bands import (
    end_before_the_next,
    read_foreign_bands,
    read_inverted_map,
    read_tuple,
    whole_number,
)
from rubric_core.loading.issues import MissingKey, UnknownKey
from rubric_core.loading.keys import Keys
from rubric_core.syntax.tree import Alias, Entry, Mapping, Node, Scalar, Sequence

__all__ = ["lower_ranges"]

# A named tuple's own constructor is a Python function, and each band has two places.
_new = tuple.__new__


def lower_ranges(lowering: Keys, node: Node) -> ScoreRanges:
    """The bands of a criterion; bounds and texts that make no sense are left out for the rules to report."""
    made = ScoreRanges(lowering.at(node), node)
    made.borrowed = lowering.via is not None
    made.bands = []
    if isinstance(node, Sequence):
        made.style = "list"
        before = len(lowering.issues)
        made.bands = list(_listed_bands(lowering, node))
        end_before_the_next(made.bands)
        _suggest_bounds(lowering, before, made.bands)
    elif isinstance(node, Mapping):
        made.style = "map"
        made.bands = list(_mapped_bands(lowering, node))
        if read_inverted_map(made.bands):
            made.style = "turned"
    else:
        made.style = "other"
    return made


def _listed_bands(lowering: Keys, node: Sequence) -> Iterator[Band]:
    for item in node.items:
        target = lowering.target_of(item) if isinstance(item, Alias) else item
        if not isinstance(target, Mapping):
            band = Band(lowering.at(item), item)
            band.borrowed = lowering.via is not None
            if (read := read_tuple(target)) is not None:
                band.low, band.high = read.low, read.high
                band.text = read.text.text if read.text is not None else ""
            yield band
            continue
        before = len(lowering.issues)
        band = lowering.value(Shaped(Band), item, "")
        if not isinstance(band, Band):
            continue
        if read_foreign_bands(band, target, [s.name for s, _ in lowering.dialect.fields(Band)]):
            # How it is written is one mistake, and what the language has in its place is not missing as well.
            told = [i for i in lowering.issues[before:] if not isinstance(i, MissingKey | UnknownKey)]
            lowering.issues[before:] = told
            yield band
            continue
        place = band.places.get("score_range") or band.unread.get("score_range")
        pair = place.node if place is not None else None
        if isinstance(pair, Sequence) and len(pair.items) == 2:
            band.low, band.high = whole_number(pair.items[0]), whole_number(pair.items[1])
        band.text = band.outcome if isinstance(band.outcome, str) else ""
        yield band


def _suggest_bounds(lowering: Keys, since: int, bands: list[Band]) -> None:
    """Suggest the scores that the other bands leave over for a band without bounds."""
    taken = {s for b in bands if b.low is not None and b.high is not None for s in range(b.low, min(b.high, 10) + 1)}
    free = [score for score in range(11) if score not in taken]
    lacking = [n for n, issue in enumerate(lowering.issues) if n >= since and isinstance(issue, MissingKey)]
    for number in lacking if free and len(lacking) == 1 and free[-1] - free[0] + 1 == len(free) else ():
        issue = lowering.issues[number]
        if isinstance(issue, MissingKey) and issue.key.field == "score_range":
            lowering.issues[number] = replace(issue, suggestion=f"[{free[0]}, {free[-1]}]")


def _mapped_bands(lowering: Keys, node: Mapping) -> Iterator[Band]:
    bands: list[Band] = []
    seen: dict[str, Entry] = {}
    for entry, via in lowering.entries(node):
        at, name, key, value = lowering.via or via, entry.name, entry.key, entry.value
        behind, here = at is not None, at or key.span
        band = Band(here, value)
        band.borrowed = behind
        if name is not None and name in seen and via is None:
            lowering.duplicate(node, entry, seen[name])
            continue
        seen[name or ""] = entry
        band.low = whole_number(key)
        band.places["score_range"] = _new(FieldPlace, (here, here, key, "", behind, None))
        band.places["outcome"] = _new(FieldPlace, (here, at or value.span, value, "", behind, None))
        if isinstance(value, Scalar) and isinstance(value.value, str):
            band.text = value.text.strip() and value.text
            band.outcome = value.text
        bands.append(band)
    lows = sorted(b.low for b in bands if b.low is not None)
    for band in bands:
        if band.low is not None:
            above = bisect_right(lows, band.low)
            band.high = lows[above] - 1 if above < len(lows) else 10
    yield from bands
