"""Values that were computed from files, each kept until one of its files changes."""

from collections import defaultdict
from pathlib import Path

__all__ = ["DependentValues", "Kept"]

_NOTHING: frozenset[Path] = frozenset()


class Kept:
    """A value, and the files that it depends on, missing ones included."""

    __slots__ = ("seen", "value")

    def __init__(self, value: object, seen: frozenset[Path]) -> None:
        self.value = value
        self.seen = seen


class DependentValues:
    """Values by their keys, and by the files that they depend on."""

    def __init__(self) -> None:
        self._kept: dict[object, Kept] = {}
        #: The keys of values, by the files that they depend on, or did before they were computed again.
        self._keys: defaultdict[Path, set[object]] = defaultdict(set)
        #: For each key, the files at which it is indexed: values that depend on every suite keep doing so.
        self._indexed: dict[object, frozenset[Path]] = {}
        #: The keys that are not indexed yet: a single check needs no index.
        self._new_keys: list[object] = []

    def get(self, key: object) -> Kept | None:
        """The value of a key, if it is still valid."""
        return self._kept.get(key)

    def keep(self, key: object, value: object, seen: frozenset[Path]) -> Kept:
        """Store a value that depends on the files `seen`."""
        kept = self._kept[key] = Kept(value, seen)
        self._new_keys.append(key)
        return kept

    def index(self) -> None:
        """Index new values by the files that they depend on, as `forget` requires."""
        for key in self._new_keys:
            kept = self._kept.get(key)
            if kept is None:
                continue
            before = self._indexed.get(key, _NOTHING)
            for path in kept.seen - before:
                self._keys[path].add(key)
            self._indexed[key] = before | kept.seen if before else kept.seen
        self._new_keys.clear()

    def forget(self, path: Path) -> list[object]:
        """Drop the values that depend on a changed file, and return their keys. Everything has to be indexed."""
        dropped: list[object] = []
        for key in self._keys.pop(path, ()):
            self._indexed[key] -= {path}
            kept = self._kept.get(key)
            if kept is not None and path in kept.seen:
                # Its entries at other files, perhaps thousands, stay.
                del self._kept[key]
                dropped.append(key)
        return dropped

    def clear(self) -> None:
        """Drop all values."""
        self._kept.clear()
        self._keys.clear()
        self._indexed.clear()
        self._new_keys.clear()
