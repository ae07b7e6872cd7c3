"""Applies ignore comments, and finds unused ones."""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Literal, NamedTuple

from rubric_core.language.closest_name import closest
from rubric_core.lazy_compilation import dataclass
from rubric_core.text import Edit, Span
from rubric_core.validation.ignore_comments import UNUSED, Ignore, IgnoredCode, Reach
from rubric_core.validation.rule import Diagnostic

__all__ = ["PlacedIgnore", "Suppression", "UnusedIgnore"]


@dataclass(frozen=True, slots=True)
class UnusedIgnore:
    """An ignore, or one of its codes, that covers nothing. Spans are those of the whole text."""

    span: Span
    problem: Literal["unused", "unknown", "empty", "bare", "low", "last"]
    #: The code that it is about; empty when it is about the whole directive.
    name: str
    #: Takes the directive or the code away.
    removal: Edit
    #: The code that was probably meant, and the edit that writes it.
    meant: str | None = None
    mend: Edit | None = None


class PlacedIgnore(NamedTuple):
    """An ignore in the whole text."""

    #: The number of its block.
    block: int
    ignore: Ignore
    #: Leads from a span of its block to one of the whole text.
    outer: Callable[[Span], Span]


class _Covered:
    """Ignores by the text that they cover."""

    def __init__(self, placed: Iterable[tuple[int, PlacedIgnore]]) -> None:
        found = sorted((*each.outer(each.ignore.covers), number, each.ignore) for number, each in placed)
        self._starts = [start for start, *_ in found]
        self._ends = [end for _, end, *_ in found]
        self._numbered = [(number, ignore) for _, _, number, ignore in found]
        #: How far the ignores up to each one reach.
        self._reach = list(accumulate(self._ends, max))

    def at(self, offset: int) -> Iterator[tuple[int, Ignore]]:
        """The ignores that cover `offset`, the nearest first, with their numbers."""
        at = bisect_right(self._starts, offset) - 1
        while at >= 0 and self._reach[at] >= offset:
            if self._ends[at] >= offset:
                yield self._numbered[at]
            at -= 1


class Suppression:
    """The ignores of one version of a text, and which of them were of use."""

    def __init__(self, ignores: Iterable[PlacedIgnore]) -> None:
        self._all = list(ignores)
        # A line is nearer than the case around it.
        self._near = [self._covered("line", "comment"), self._covered("case")]
        self._file = [(number, each.ignore) for number, each in enumerate(self._all) if each.ignore.reach == "file"]
        self._used: set[tuple[int, int]] = set()

    def _covered(self, *reach: Reach) -> _Covered:
        return _Covered((number, each) for number, each in enumerate(self._all) if each.ignore.reach in reach)

    def __bool__(self) -> bool:
        return bool(self._all)

    def covers(self, diagnostic: Diagnostic) -> bool:
        """Whether an ignore covers it; the nearest one is marked as used."""
        for number, ignore in self._candidates(diagnostic.span.start):
            which = ignore.names(diagnostic.code, diagnostic.group)
            if which is not None:
                self._used.add((number, which))
                return True
        return False

    def _candidates(self, offset: int) -> Iterator[tuple[int, Ignore]]:
        for covered in self._near:
            yield from covered.at(offset)
        yield from self._file

    def unused(self, known: Collection[str], settled: Callable[[int | None], bool]) -> Iterator[UnusedIgnore]:
        """Ignores that covered nothing.

        Args:
            known: Every code.
            settled: Whether block number n, or the whole text (None), has no syntax errors, which hide findings.
        """
        if any(ignore.names(UNUSED) is not None for _, ignore in self._file):
            return
        for number, (block, ignore, outer) in enumerate(self._all):
            idle = [n for n in _numbers(ignore) if (number, n) not in self._used]
            if (idle or not ignore.codes) and settled(None if ignore.reach == "file" else block):
                yield from _judged(ignore.moved(outer), idle, known)


def _numbers(ignore: Ignore) -> Sequence[int]:
    return (-1,) if ignore.codes is None else range(len(ignore.codes))


def _judged(ignore: Ignore, idle: list[int], known: Collection[str]) -> Iterator[UnusedIgnore]:
    whole = Edit(ignore.whole, "")
    if ignore.bare is not None:
        yield _bare(ignore, ignore.bare, known)
    elif ignore.reach == "nothing":
        yield UnusedIgnore(ignore.span, "low", "", whole)
    elif ignore.codes == ():
        yield UnusedIgnore(ignore.span, "empty", "", whole)
    elif ignore.names(UNUSED) is None and idle:
        if ignore.reach == "comment" and len(idle) == len(_numbers(ignore)):
            yield UnusedIgnore(ignore.span, "last", "", whole)
        elif ignore.codes is None:
            yield UnusedIgnore(ignore.span, "unused", "", whole)
        else:
            yield from _listed(ignore, ignore.codes, idle, known)


def _bare(ignore: Ignore, bare: IgnoredCode, known: Collection[str]) -> UnusedIgnore:
    names = (name.strip() for name in bare.name.split(","))
    likely = [name if name in known else closest(name, known) for name in names]
    meant = ", ".join(name for name in likely if name) if all(likely) else None
    mend = Edit(bare.span, f"[{meant}]") if meant else None
    span = Span(ignore.span.start, bare.span.end)
    return UnusedIgnore(span, "bare", bare.name, Edit(ignore.whole, ""), meant, mend)


def _listed(
    ignore: Ignore, codes: tuple[IgnoredCode, ...], idle: list[int], known: Collection[str]
) -> Iterator[UnusedIgnore]:
    whole = Edit(ignore.whole, "")
    if len(idle) == len(codes) > 1 and all(codes[n].name in known for n in idle):
        yield UnusedIgnore(ignore.span, "unused", "", whole)
        return
    for number in idle:
        name, span = codes[number]
        removal = whole if len(codes) == 1 else Edit(_with_comma(codes, number), "")
        if name in known:
            yield UnusedIgnore(span, "unused", name, removal)
        else:
            meant = closest(name, known)
            yield UnusedIgnore(span, "unknown", name, removal, meant, Edit(span, meant) if meant else None)


def _with_comma(codes: tuple[IgnoredCode, ...], number: int) -> Span:
    if number + 1 < len(codes):
        return Span(codes[number].span.start, codes[number + 1].span.start)
    return Span(codes[number - 1].span.end, codes[number].span.end)
