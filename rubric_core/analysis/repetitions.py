"""Findings that repeat one another in a file, shown as one."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, compress, count, repeat
from operator import contains

from rubric_core.analysis.finding_list import FindingList
from rubric_core.lazy_compilation import dataclass, replace
from rubric_core.validation.rule import Diagnostic

__all__ = ["Key", "Repetitions", "repetition_key"]

#: What findings that repeat one another have in common: the code, and the message where that is one fact about one name.
Key = tuple[str, str]
#: The block of findings around and across the cases.
_LOOSE = -1


def repetition_key(found: Diagnostic) -> Key | None:
    """The key that findings share that repeat one another; None for a finding that stands alone.

    That is advice of the same group. What fades or strikes out its text says so at each name; and so does a warning.
    A misspelt name, which has a safe fix, is a mistake in each place.
    """
    if found.severity in ("information", "hint"):
        return found.group, found.message if found.tags else ""
    repeats = found.about_name and found.severity == "warning" and not any(fix.safe for fix in found.fixes)
    return (found.group, found.message) if repeats else None


def _keys(some: Iterable[Diagnostic]) -> tuple[Key, ...]:
    return tuple(key for key in map(repetition_key, some) if key is not None)


@dataclass(frozen=True, slots=True)
class Repetitions:
    """The findings of one version of a text, where each group that repeats is its first one. An edit examines only its blocks, and the groups that it changes."""

    found: FindingList
    #: The keys in each block.
    keys: Sequence[tuple[Key, ...]]
    counts: Counter[Key]
    #: The same without those that others stand for.
    listed: FindingList

    @classmethod
    def of(cls, found: FindingList) -> "Repetitions":
        """The repetitions among all findings."""
        keys = list(map(_keys, found.blocks))
        loose = _keys(found.loose)
        counts = Counter(chain(loose, chain.from_iterable(keys)))
        first = dict[Key, int](zip(loose, repeat(_LOOSE)))
        for number in compress(count(), keys):
            for key in keys[number]:
                first.setdefault(key, number)
        blocks = list(found.blocks)
        for number in compress(count(), keys):
            blocks[number] = _shown(found.blocks[number], number, counts, first)
        return cls(found, keys, counts, FindingList(blocks, _shown(found.loose, _LOOSE, counts, first)))

    def around(self, found: FindingList, start: int, end: int) -> "Repetitions":
        """The repetitions in another version, which shares so many blocks at the beginning and at the end."""
        old_end, new_end = len(self.keys) - end, len(found.blocks) - end
        if old_end < start or new_end < start or not found.blocks:
            return Repetitions.of(found)
        added = list(map(_keys, found.blocks[start:new_end]))
        keys = [*self.keys[:start], *added, *self.keys[old_end:]]
        loose, gone = _keys(found.loose), _keys(self.found.loose)
        before = Counter(chain(gone, chain.from_iterable(self.keys[start:old_end])))
        after = Counter(chain(loose, chain.from_iterable(added)))
        counts = self.counts
        if before != after:
            counts = counts.copy()
            counts.subtract(before)
            counts.update(after)
            for key in before.keys() - after.keys():
                if not counts[key]:
                    del counts[key]
        first: dict[Key, int] = {}
        again = set(range(start, new_end))
        for key in before.keys() | after.keys():
            if counts[key] < 2 and self.counts[key] < 2:
                continue
            first[key] = _first(key, loose, keys)
            earlier = _first(key, gone, self.keys)
            moved = earlier if earlier < start else earlier + new_end - old_end
            again |= {first[key], moved if earlier < start or earlier >= old_end else first[key]}
        blocks = [*self.listed.blocks[:start], *found.blocks[start:new_end], *self.listed.blocks[old_end:]]
        for number in again - {_LOOSE}:
            for key in keys[number]:
                if key not in first and counts[key] > 1:
                    first[key] = _first(key, loose, keys)
            blocks[number] = _shown(found.blocks[number], number, counts, first)
        first.update(zip(loose, repeat(_LOOSE)))
        return Repetitions(found, keys, counts, FindingList(blocks, _shown(found.loose, _LOOSE, counts, first)))


def _first(key: Key, loose: Sequence[Key], keys: Sequence[tuple[Key, ...]]) -> int:
    """The first block that has a key; that around the cases, if that has one or none has."""
    return _LOOSE if key in loose else next(compress(count(), map(contains, keys, repeat(key))), _LOOSE)


def _shown(
    some: tuple[Diagnostic, ...], number: int, counts: Counter[Key], first: dict[Key, int]
) -> tuple[Diagnostic, ...]:
    """The findings of a block without those that others stand for."""
    kept: list[Diagnostic] = []
    seen: set[Key] = set()
    for each in some:
        key = repetition_key(each)
        if key is None or counts[key] < 2:
            kept.append(each)
        elif first[key] == number and key not in seen:
            seen.add(key)
            kept.append(replace(each, more=counts[key] - 1))
    return some if len(kept) == len(some) and not seen else tuple(kept)
