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
from rubric_core.cli.check_inputs import CheckInputs, DiskTime
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
        #: Everything that the stored check depended on, with a stamp of each path; None if that is not known.
        self._inputs: CheckInputs | None = None
        self._stamps: list[str] = []
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

    def changed(self) -> frozenset[str] | None:
        """The files of the stored check that may have changed since; None if something else may have as well."""
        with contextlib.suppress(OSError, ValueError):  # a name that this locale cannot say
            return None if self._inputs is None else self._inputs.changed(self._stamps)
        return None

    def compare(self, holds: Callable[[Iterable[Fact]], Iterator[bool]]) -> None:
        """Determine which facts no longer hold; entries that depend on them are no longer returned."""
        told = zip(self._facts, holds(self._facts.values()), strict=True)
        self._wrong = frozenset(number for number, is_so in told if not is_so)

    def find(self, name: str, state: str) -> str | None:
        """The cached findings of a file, None if it or anything they depend on has changed.

        Args:
            name: The file.
            state: Its state, or the beginning of it if the rest is known to be unchanged.
        """
        entry = self._known.get(name)
        is_same = entry is not None and entry.state.startswith(state)
        if entry is None or not is_same or self._wrong is None or not self._wrong.isdisjoint(entry.facts):
            return None
        self._kept[name] = entry
        return entry.row

    def state(self, name: str) -> str:
        """The state of a file in the stored check."""
        return self._known[name].state

    def keep(self, name: str, entry: CacheEntry) -> None:
        """Cache the findings of a file."""
        self._kept[name] = entry
        self._is_news = True

    def learn(self, facts: Iterable[tuple[int, Fact]]) -> None:
        """Add facts that entries refer to."""
        self._facts.update(facts)

    def entry(self, name: str) -> tuple[str, list[Fact]]:
        """The findings of a file of this check, and the facts that they depend on. Raises KeyError."""
        entry = self._kept[name]
        return entry.row, [self._facts[number] for number in entry.facts]

    def is_about(self, names: Collection[str]) -> bool:
        """Whether it has the findings of all files of these names, and of no others."""
        return self._kept.keys() == set(names)

    def inputs(self, made: Callable[[Collection[str], Iterable[Fact]], CheckInputs | None]) -> CheckInputs | None:
        """Everything that the check depends on; None if uncertain. What is stored is not looked up again.

        Args:
            made: Looks up the inputs of some files with their facts.
        """
        before = self._inputs
        news = [name for name, entry in self._kept.items() if self._known.get(name) is not entry]
        if before is None or self._kept.keys() != self._known.keys() or len(news) > len(self._known) // 4:
            return made(self._kept, map(self._facts.__getitem__, self._used()))
        numbers = set().union(*(self._kept[name].facts for name in news))
        more = made(news, map(self._facts.__getitem__, numbers)) if news else before
        return None if more is None else before.joined(more)

    def depends_on(self, inputs: CheckInputs | None, since: DiskTime | None) -> None:
        """Store what the check depended on, and stamps of it; nothing if the time at the beginning of the check is not known."""
        known = None if since is None else inputs
        self._is_news = self._is_news or known != self._inputs
        self._inputs, self._stamps = known, [] if known is None else known.stamps(since)

    def _used(self) -> set[int]:
        """The numbers of the facts that entries depend on."""
        return set().union(*(entry.facts for entry in self._kept.values()))

    def save(self) -> None:
        """Write the cache if it has changed; if it cannot be written, it is not."""
        if self._is_news or len(self._kept) != len(self._known):
            with contextlib.suppress(OSError):
                self._write()

    def _read(self) -> tuple[dict[int, Fact], dict[str, CacheEntry]]:
        folders, entries, inputs, self._stamps = json.loads(self._file.read())
        self._inputs = None if inputs is None else CheckInputs(*inputs)
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
        stored = [folders, entries, self._inputs, self._stamps]
        self._file.write(json.dumps(stored, separators=(",", ":"), check_circular=False).encode())
