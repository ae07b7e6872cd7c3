"""Which known name a misspelt or half-typed one was meant to be."""

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["closest"]

_LEAST_BEGIN = 6


def closest(name: str, known: Iterable[str]) -> str | None:
    """The known name that `name` was probably meant to be."""
    known = list(known)
    folded = {k.replace("-", "").replace("_", "").lower(): k for k in known}
    same = folded.get(name.replace("-", "").replace("_", "").lower())
    if same is not None:
        return same
    found = get_close_matches(name, known, n=1, cutoff=0.72)
    if not found and len(name) >= 3:
        # Half-typed: one known name begins with it.
        begun = [k for k in known if k.startswith(name)]
        return begun[0] if len(begun) == 1 else _alike(name, known)
    return found[0] if found else None


def _alike(name: str, known: list[str]) -> str | None:
    """The one that begins as `name` does for at least half of it: score_rubric, score_ranges."""
    begins = {
        k: next((i for i, (a, b) in enumerate(zip(name, k, strict=False)) if a != b), min(len(name), len(k)))
        for k in known
    }
    longest = max(begins.values(), default=0)
    found = [k for k, length in begins.items() if length == longest]
    return found[0] if len(found) == 1 and longest >= max(_LEAST_BEGIN, len(name) / 2) else None
