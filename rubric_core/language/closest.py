"""Which known name a misspelt or half-typed one was meant to be."""

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["closest"]


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
        return begun[0] if len(begun) == 1 else None
    return found[0] if found else None
