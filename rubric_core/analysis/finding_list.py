"""The findings of a text, relative to their blocks, so that an edit does not move them."""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from itertools import chain, compress, count
from operator import is_not
from typing import NamedTuple, TypeVar

from rubric_core.lazy_compilation import dataclass, replace
from rubric_core.syntax.blocks import Document
from rubric_core.text import Edit
from rubric_core.validation.rule import SEVERITIES, Diagnostic, Fix

__all__ = ["FindingList", "FindingsByBlock", "in_order", "same_findings", "shared_ends", "shift_findings"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FindingList:
    """The findings of one version of a text."""

    #: Findings inside each block, by its number, in text order and at offsets of the block. Equal blocks share them.
    blocks: Sequence[tuple[Diagnostic, ...]] = ()
    #: Findings around and across the cases, in text order and at offsets of the whole text.
    loose: tuple[Diagnostic, ...] = ()

    def placed(self, document: Document) -> tuple[Diagnostic, ...]:
        """All findings in text order, at offsets of the whole text."""
        found = [each for n, some in self.numbered() for each in map(ShiftedFindings(document.start(n)), some)]
        return in_order([*found, *self.loose]) if self.loose else tuple(found)

    def apart(
        self, document: Document, other: "FindingList", revised: Document
    ) -> tuple[tuple[Diagnostic, ...], tuple[Diagnostic, ...]]:
        """These findings and those of another version, without those in blocks that both versions share in the same place.

        A block may have replaced one with the same text, so that equality is not enough.
        """
        ours, theirs, by = document.blocks, revised.blocks, len(revised.blocks) - len(document.blocks)
        start, end = same_findings(ours, theirs)
        both: dict[int, int] = {}
        for number, some in self.numbered() if other.blocks else ():
            if not by or number < start or number >= len(ours) - end:
                there = number + (by if number >= start else 0)
                if ours[number] is theirs[there] and some is other.blocks[there]:
                    both[number] = there
        return self.without(document, both), other.without(revised, {*both.values()})

    def without(self, document: Document, left_out: Container[int]) -> tuple[Diagnostic, ...]:
        """The findings in text order, except those of some blocks."""
        found = list(self.loose)
        for number, some in self.numbered():
            if number not in left_out:
                found += map(ShiftedFindings(document.start(number)), some)
        return in_order(found)

    def near(self, document: Document, offsets: Iterable[int]) -> tuple[Diagnostic, ...]:
        """The findings that may touch one of these offsets, in text order; others are not computed."""
        numbers = {n for each in offsets for n in (document.block_at(each - 1), document.block_at(each))}
        blocks = ((n, self.blocks[n]) for n in numbers) if self.blocks else ()
        return in_order(
            [*(d for n, some in blocks for d in map(ShiftedFindings(document.start(n)), some)), *self.loose]
        )

    def each(self) -> Iterator[Diagnostic]:
        """All findings with unspecified offsets and order, for counting."""
        return chain(self.loose, chain.from_iterable(self.blocks))

    def worst(self, most: int) -> "FindingList":
        """At most `most` findings: the most severe, and the first of equally severe ones."""
        room = dict.fromkeys(SEVERITIES, 0)
        counts = Counter(d.severity for d in self.each())
        for severity in SEVERITIES:
            room[severity] = min(counts[severity], most - sum(room.values()))

        def kept(found: Diagnostic) -> bool:
            room[found.severity] -= 1
            return room[found.severity] >= 0

        return FindingList([tuple(filter(kept, some)) for some in self.blocks], tuple(filter(kept, self.loose)))

    @property
    def amount(self) -> int:
        """The number of findings."""
        return len(self.loose) + sum(map(len, self.blocks))

    def numbered(self) -> Iterator[tuple[int, tuple[Diagnostic, ...]]]:
        """The blocks that have findings, with their numbers."""
        return zip(compress(count(), self.blocks), filter(None, self.blocks), strict=True)


class FindingsByBlock(NamedTuple):
    """Findings inside each block, all and selected ones, of a text without ignore comments that apply."""

    #: The selected findings, and the line break of the text.
    shown: object
    every: list[tuple[Diagnostic, ...]]
    wanted: list[tuple[Diagnostic, ...]]

    def around(self, new: "FindingsByBlock", start: int, end: int) -> "FindingsByBlock":
        """The findings of another version: `new` ones between the shared blocks at the beginning and at the end."""
        behind = len(self.every) - end
        return FindingsByBlock(
            new.shown,
            [*self.every[:start], *new.every, *self.every[behind:]],
            [*self.wanted[:start], *new.wanted, *self.wanted[behind:]],
        )


def in_order(found: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Findings in the order of the text."""
    return tuple(sorted(found, key=lambda d: (d.span, d.group)))


def same_findings(one: Sequence[T], other: Sequence[T], differ: Callable[[T, T], bool] = is_not) -> tuple[int, int]:
    """The lengths of the common prefix of two sequences, and of the common suffix of the rest.

    `differ` tells whether two members differ; by default, only identical objects are equal.
    """
    start, end = shared_ends(one, other, differ)
    return start, min(end, min(len(one), len(other)) - start)


def shared_ends(one: Sequence[T], other: Sequence[T], differ: Callable[[T, T], bool] = is_not) -> tuple[int, int]:
    """The lengths of the common prefix and suffix of two sequences; both the whole if they are equal.

    See `same_findings`.
    """
    least = min(len(one), len(other))
    start = next(compress(count(), map(differ, one, other)), least)
    return start, next(compress(count(), map(differ, reversed(one), reversed(other))), least)


class ShiftedFindings:
    """Findings moved by `by` characters. A fix that many of them share is moved once, and stays one object."""

    def __init__(self, by: int) -> None:
        self._by = by
        self._fixes: dict[int, tuple[Fix, Fix]] = {}

    def __call__(self, found: Diagnostic) -> Diagnostic:
        return replace(
            found,
            span=found.span.moved(self._by),
            hides=found.hides.moved(self._by) if found.hides is not None else None,
            related=tuple(replace(each, span=each.span.moved(self._by)) for each in found.related),
            fixes=tuple(map(self._fix, found.fixes)),
        )

    def _fix(self, fix: Fix) -> Fix:
        known = self._fixes.get(id(fix))
        if known is None:
            edits = tuple(Edit(e.span.moved(self._by), e.new_text) for e in fix.edits)
            known = self._fixes[id(fix)] = fix, replace(fix, edits=edits)
        return known[1]


def shift_findings(found: Diagnostic, by: int) -> Diagnostic:
    """The findings moved by `by` characters."""
    return ShiftedFindings(by)(found) if by else found
