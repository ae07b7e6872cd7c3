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
        #: The keys of what was computed, by the files that it depends on, or did before it was computed again.
        self._keys: defaultdict[Path, set[object]] = defaultdict(set)
        #: By each key the files at which it stands there: what depends on every suite depends on the same ones again.
        self._indexed: dict[object, frozenset[Path]] = {}
        #: The keys that are not indexed yet: in a single check nothing changes, and nobody asks.
        self._new_keys: list[object] = []

    def get(self, key: object) -> Kept | None:
        """What was computed under a key, if it still holds."""
        return self._kept.get(key)

    def keep(self, key: object, value: object, seen: frozenset[Path]) -> Kept:
        """Remember what was computed from the files `seen`."""
        kept = self._kept[key] = Kept(value, seen)
        self._new_keys.append(key)
        return kept

    def index(self) -> None:
        """Note which files the values depend on that were kept since the last time; `forget` needs that."""
        for key in self._new_keys:
            kept = self._kept.get(key)
            if kept is None:
                continue
            before = self._indexed.get(key, _NOTHING)
            for path in kept.seen - before:
                self._keys[path].add(key)
            self._indexed[key] = before | kept.seen if before else kept.seen
        self._new_keys.clear()

    def forget(self, path: Path) -> None:
        """Forget what depends on a file that has changed. Everything has to be indexed."""
        for key in self._keys.pop(path, ()):
            self._indexed[key] -= {path}
            kept = self._kept.get(key)
            if kept is not None and path in kept.seen:
                # That it depends on other files, too, is left there: they may be thousands.
                del self._kept[key]

    def clear(self) -> None:
        """Forget everything."""
        self._kept.clear()
        self._keys.clear()
        self._indexed.clear()
        self._new_keys.clear()
