"""Releases of the engine: what a range of them allows, as in `required_version: '>=4.26 <5'`."""

from typing import NamedTuple

from rubric_core.lazy_compilation import pattern

__all__ = ["NEWEST", "NEXT", "Release", "Releases"]

_BOUND = pattern(r"(>=|<=|>|<|=|\^|~)?\s*v?(\d+)(?:\.(\d+|[xX*]))?(?:\.(?:\d+|[xX*]))?(?:-[\w.-]+)?")


class Release(NamedTuple):
    """A release of the engine; what differs between patches of it concerns no suite."""

    major: int
    minor: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


#: The newest release that a dialect is known from, and the one that what is announced will come with.
NEWEST, NEXT = Release(5, 3), Release(5, 4)
#: Stands for the last release of its major version.
_LAST = 999


class Releases(NamedTuple):
    """The releases from `first` to `last`, both of them included."""

    first: Release
    last: Release

    @classmethod
    def of(cls, text: str) -> "Releases | None":
        """The releases that a text allows, written as npm does; None where it has alternatives or is no such text."""
        first, last, at = Release(0, 0), Release(_LAST, _LAST), 0
        text = text.strip()
        while at < len(text):
            found = _BOUND.match(text, at)
            if found is None:
                return None
            low, high = _bounds(found[1] or "=", int(found[2]), found[3] or "")
            first, last = max(first, low), min(last, high)
            at = found.end()
            while at < len(text) and text[at] in " ,":
                at += 1
        return cls(first, last) if text and first <= last else None

    def nearest(self, release: Release) -> Release:
        """The allowed release that is nearest to one."""
        return min(max(release, self.first), self.last)


def _bounds(sign: str, major: int, minor: str) -> tuple[Release, Release]:
    """The first and the last release that one comparison allows."""
    whole = not minor.isdigit()
    low = Release(major, 0 if whole else int(minor))
    high = Release(major, _LAST) if whole else low
    if sign in (">=", ">"):  # a patch of the same release satisfies `>`
        return low, Release(_LAST, _LAST)
    if sign == "<=":
        return Release(0, 0), high
    if sign == "<":
        return Release(0, 0), Release(major, low.minor - 1) if low.minor else Release(major - 1, _LAST)
    return low, Release(major, _LAST) if sign == "^" else high
