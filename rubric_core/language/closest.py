"""Which known name a misspelt or half-typed one was meant to be."""

from collections.abc import Iterable
from functools import lru_cache

__all__ = ["closest", "is_same_word", "is_slip"]

#: From so many letters on two of them may be wrong.
_LONG = 6
#: Signs around a name that a paste brings along, or that look like a colon.
_DECORATION = "*_`'\"“”‘’«»@%$#&!:;：∶.,= \t\u00a0\u200b\u200c\u200d\u2060\ufeff"
#: Names that only begin alike have to do so for this many letters, and for half of the name.
_LEAST_BEGIN = 6


def closest(name: str, known: Iterable[str]) -> str | None:
    """The known name that `name` was probably meant to be."""
    return _closest(name, tuple(known))


@lru_cache(maxsize=2_000)
def _closest(name: str, known: tuple[str, ...]) -> str | None:
    folded = {_folded(k): k for k in known}
    same = folded.get(_folded(name))
    if same is not None or len(name) < 2:
        return same
    # Of names that are equally near, one of the same length is likelier: swapped or wrong letters are common slips.
    by_distance = sorted(
        (_distance(name.lower(), k.lower(), max(1, len(k) // 3)), abs(len(k) - len(name)), k) for k in known
    )
    if by_distance and by_distance[0][0] <= max(1, len(by_distance[0][2]) // 3):
        return by_distance[0][2]
    begun = [k for k in known if k.startswith(name)] if len(name) >= 3 else []
    return begun[0] if len(begun) == 1 else _alike(name, known)


def is_same_word(name: str, known: str) -> bool:
    """Whether two names differ in case, separators, number or the signs around them only."""
    plain = name.strip(_DECORATION)
    return _folded(plain) == _folded(known) or plain == f"{known}s" or known == f"{plain}s"


def is_slip(name: str, known: str) -> bool:
    """Whether `name` is `known` with a typing error, and not another word that begins alike."""
    most = 1 if len(known) < _LONG else 2
    return is_same_word(name, known) or _distance(name.strip(_DECORATION).lower(), known.lower(), most) <= most


def _folded(name: str) -> str:
    return name.strip(_DECORATION).replace("-", "").replace("_", "").replace(" ", "").lower()


def _distance(a: str, b: str, most: int) -> int:
    """How many letters have to be typed, left out, changed or swapped with their neighbour; `most` + 1 for more."""
    if abs(len(a) - len(b)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, above, row = row, before, [i]
        for j, y in enumerate(b, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if above and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, above[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]


def _alike(name: str, known: tuple[str, ...]) -> str | None:
    """The one that begins as `name` does for at least half of it: score_rubric, score_ranges."""
    begins = {
        k: next((i for i, (a, b) in enumerate(zip(name, k, strict=False)) if a != b), min(len(name), len(k)))
        for k in known
    }
    longest = max(begins.values(), default=0)
    found = [k for k, length in begins.items() if length == longest]
    return found[0] if len(found) == 1 and longest >= max(_LEAST_BEGIN, len(name) / 2) else None
