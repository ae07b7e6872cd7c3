"""Remembers what depends on an object that cases share: the environment of a run, or a suite."""

from typing import Generic, TypeVar

__all__ = ["ByIdentity"]

K = TypeVar("K")
T = TypeVar("T")

#: A run has the environment of its user and that with the variables of its suite; another run of the suite has others.
_MOST = 4


class ByIdentity(Generic[K, T]):
    """A value for each of the last few objects, which are told apart by their identity."""

    def __init__(self) -> None:
        self._known: tuple[tuple[K, T], ...] = ()

    def get(self, key: K) -> T | None:
        """The value for an object; None if there is none."""
        return next((value for known, value in self._known if known is key), None)

    def keep(self, key: K, value: T) -> T:
        """The value for an object from now on: the first one that was kept, so that all cases have the same."""
        known = self.get(key)
        if known is not None:
            return known
        self._known = (*self._known[1 - _MOST :], (key, value))
        return value
