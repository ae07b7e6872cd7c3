"""The cache of checks in `.rubric/cache`: unchanged files are not analysed again.

There is a file for each kind of check (paths, options and version of rubric) with the findings of the last check of
that kind. Whatever goes wrong with the cache, the check runs without it.
"""

import contextlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from rubric_core.cli.cache_files import CacheFile
from rubric_core.cli.dependencies import Fact
from rubric_core.user_dirs import cache_folder

__all__ = ["Cache", "CacheEntry"]


class CacheEntry(NamedTuple):
    """The cached findings of one file."""

    #: The state of the file.
    state: str
    #: The numbers of the facts that the findings depend on.
    facts: Sequence[int]
    #: The findings.
    row: str


class Cache:
    """The cached results of the last check of one kind."""

    def __init__(self, file: CacheFile) -> None:
        """Reads the file; one that is missing, damaged or signed by another user is treated as empty."""
        self._file = file
        self._facts: dict[int, Fact] = {}
        self._known: dict[str, CacheEntry] = {}
        #: The numbers of the facts that no longer hold; None until they have been looked up.
        self._wrong: frozenset[int] | None = None
        self._kept: dict[str, CacheEntry] = {}
        self._is_news = False
        with contextlib.suppress(OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            self._facts, self._known = self._read()

    @classmethod
    def of(cls, names: Sequence[str], kind: object) -> "Cache | None":
        """The cache for a check of the files of these `names`; None if none can be kept.

        Args:
            names: The paths, at least one.
            kind: Everything that affects all of them, as plain data.
        """
        with contextlib.suppress(OSError, ValueError):
            folder = cache_folder(names)
            return None if folder is None else cls(CacheFile(folder, "check", kind))
        return None

    def __contains__(self, name: str) -> bool:
        return name in self._known

    def compare(self, holds: Callable[[Iterable[Fact]], Iterator[bool]]) -> None:
        """Determine which facts no longer hold; entries that depend on them are no longer returned."""
        told = zip(self._facts, holds(self._facts.values()), strict=True)
        self._wrong = frozenset(number for number, is_so in told if not is_so)

    def find(self, name: str, state: str) -> str | None:
        """The cached findings of a file, None if it or anything they depend on has changed."""
        entry = self._known.get(name)
        if entry is None or entry.state != state or self._wrong is None or not self._wrong.isdisjoint(entry.facts):
            return None
        self._kept[name] = entry
        return entry.row

    def keep(self, name: str, entry: CacheEntry) -> None:
        """Cache the findings of a file."""
        self._kept[name] = entry
        self._is_news = True

    def learn(self, facts: Iterable[tuple[int, Fact]]) -> None:
        """Add facts that entries refer to."""
        self._facts.update(facts)

    def facts_of(self, names: Collection[str]) -> Iterable[Fact] | None:
        """The facts about files of these names, which are all; None if some are missing."""
        if self._kept.keys() != set(names):
            return None
        return map(self._facts.__getitem__, self._used())

    def _used(self) -> set[int]:
        """The numbers of the facts that entries depend on."""
        return set().union(*(entry.facts for entry in self._kept.values()))

    def save(self) -> None:
        """Write the cache if it has changed; if it cannot be written, it is not."""
        if self._is_news or len(self._kept) != len(self._known):
            with contextlib.suppress(OSError):
                self._write()

    def _read(self) -> tuple[dict[int, Fact], dict[str, CacheEntry]]:
        folders, entries = json.loads(self._file.read())
        facts = (Fact(folder, name, answers) for folder, listed in folders for name, answers in listed)
        return dict(enumerate(facts)), {name: CacheEntry(*entry) for name, entry in entries.items()}

    def _write(self) -> None:
        ordered = sorted(self._used(), key=lambda number: self._facts[number][:2])
        folders = [
            (folder, [(fact.name, fact.answers) for fact in map(self._facts.__getitem__, listed)])
            for folder, listed in groupby(ordered, lambda number: self._facts[number].folder)
        ]
        place = {number: at for at, number in enumerate(ordered)}.__getitem__
        entries = {n: (entry.state, [*map(place, entry.facts)], entry.row) for n, entry in self._kept.items()}
        self._file.write(json.dumps([folders, entries], separators=(",", ":"), check_circular=False))
