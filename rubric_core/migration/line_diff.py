"""Computes the edits that turn one text into another, line by line."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import accumulate

from rubric_core.syntax.collection_edits import lines_of
from rubric_core.text import Edit, Span

__all__ = ["edits_between"]

#: Ranges shorter than this are compared line by line; longer ones are first split at lines that are unique in both texts.
_FEW_LINES = 100
#: Ranges longer than this without such a line are replaced as a whole: comparing them takes quadratic time or worse.
_MOST_LINES = 300
#: A pair of line ranges: start and end in the old text, start and end in the new one.
_Stretch = tuple[int, int, int, int]


def edits_between(before: str, after: str) -> tuple[Edit, ...]:
    """Edits of whole lines that turn `before` into `after`."""
    old, new = lines_of(before), lines_of(after)
    starts = [0, *accumulate(map(len, old))]
    whole = _trimmed(old, new, (0, len(old), 0, len(new)))
    stretches = _between_landmarks(old, new, whole) if whole[1] - whole[0] > _FEW_LINES else [whole]
    return tuple(
        Edit(Span(starts[a], starts[b]), "".join(new[c:d]))
        for stretch in stretches
        for a, b, c, d in _changed(old, new, _trimmed(old, new, stretch))
    )


def _trimmed(old: Sequence[str], new: Sequence[str], stretch: _Stretch) -> _Stretch:
    """A range without the equal lines at its start and end."""
    a, b, c, d = stretch
    while a < b and c < d and old[a] == new[c]:
        a, c = a + 1, c + 1
    while a < b and c < d and old[b - 1] == new[d - 1]:
        b, d = b - 1, d - 1
    return a, b, c, d


def _between_landmarks(old: Sequence[str], new: Sequence[str], stretch: _Stretch) -> Iterator[_Stretch]:
    """The ranges between lines that are unique in both texts and in the same order."""
    a, b, c, d = stretch
    for at, there in _in_order(_once(old, a, b), _once(new, c, d)):
        yield a, at, c, there
        a, c = at + 1, there + 1
    yield a, b, c, d


def _once(lines: Sequence[str], start: int, end: int) -> dict[str, int]:
    """The line numbers of the lines that occur once."""
    amounts = Counter(lines[start:end])
    return {lines[n]: n for n in range(start, end) if amounts[lines[n]] == 1}


def _in_order(old: Mapping[str, int], new: Mapping[str, int]) -> list[tuple[int, int]]:
    """The longest sequence of common lines that is in order in both texts, as line numbers."""
    ends: list[int] = []
    rows: list[tuple[int, int, int]] = []  # a line before and after, and the last row that it continues
    shortest: list[int] = []
    for line, at in old.items():
        if line in new:
            length = bisect_left(ends, new[line])
            rows.append((at, new[line], shortest[length - 1] if length else -1))
            ends[length : length + 1], shortest[length : length + 1] = [new[line]], [len(rows) - 1]
    row, last = [], shortest[-1] if shortest else -1
    while last >= 0:
        at, there, last = rows[last]
        row.append((at, there))
    return row[::-1]


def _changed(old: Sequence[str], new: Sequence[str], stretch: _Stretch) -> Iterator[_Stretch]:
    """The parts of a range that differ."""
    a, b, c, d = stretch
    if max(b - a, d - c) > _MOST_LINES:
        yield stretch
        return
    for tag, i, j, k, m in SequenceMatcher(None, old[a:b], new[c:d], autojunk=False).get_opcodes():
        if tag != "equal":
            yield a + i, a + j, c + k, c + m
