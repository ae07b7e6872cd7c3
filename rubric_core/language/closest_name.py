"""Finds the known name closest to a misspelt or incomplete one."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise

__all__ = ["Lexicon", "closest", "differs_by_one", "is_same_word", "is_typo", "lexicon"]

#: Names of at least this length may have two wrong letters.
_TOO_SHORT = 2
_LONG = 6
#: Characters around a name that come from pasting, or that look like a colon.
_DECORATION = "*_`'\"“”‘’«»@%$#&!:;：∶.,= \t\u00a0\u200b\u200c\u200d\u2060\ufeff"
#: The minimum number of letters in a shared prefix, which must also be half of the name.
_LEAST_BEGIN = 6
#: For at least this number of names, an index of names without one letter is searched first.
_MANY = 100
#: Comparisons that names which are nowhere may take together.
_MOST_COMPARED = 30_000
_MOST_ANSWERS = 2_000


def closest(name: str, known: Iterable[str]) -> str | None:
    """The known name that `name` was probably meant to be; None where several are equally close."""
    return lexicon(tuple(known)).closest(name)


class Lexicon:
    """Known names, prepared for many searches."""

    def __init__(self, known: tuple[str, ...]) -> None:
        self._known = known
        #: By their letters alone; none for several that have the same letters.
        self._folded: dict[str, str | None] = {}
        for name in dict.fromkeys(known):
            folded = _folded(name)
            self._folded[folded] = None if folded in self._folded else name
        words = sorted((k.lower(), k) for k in known)
        begun = (_common(one, other) for (one, _), (other, _) in pairwise([("", ""), *words]))
        #: Sorted, each with the length of the prefix that it shares with the one before it.
        self._words = [
            (k, word, max(1, len(k) // 3), _letters(k), shared) for (word, k), shared in zip(words, begun, strict=True)
        ]
        self._sorted: list[str] = []
        #: The names of a long list by their forms without one letter, in lower case.
        self._shortened: dict[str, list[str]] = {}
        self._answers: dict[tuple[str, str | None], str | None] = {}

    def searches(self, number: int) -> bool:
        """Whether, after this many names, there is time to compare with every known name.

        With thousands of unknown names, only single edits are searched for the later ones.
        """
        return len(self._known) <= _MANY or number * len(self._known) <= _MOST_COMPARED

    def closest(self, name: str, *, but: str | None = None, thorough: bool = True) -> str | None:
        """The closest known name other than `but`, if no other is as close; within one edit unless `thorough`."""
        key = (name, but)
        if not thorough:
            return self._slip(name, but)
        if key not in self._answers:
            if len(self._answers) >= _MOST_ANSWERS:
                self._answers.clear()
            self._answers[key] = self._closest(name, but)
        return self._answers[key]

    def _slip(self, name: str, but: str | None) -> str | None:
        same = self._folded.get(_folded(name))
        if (same is not None and same != but) or len(name) < 2:
            return same if same != but else None
        if not self._shortened:
            for known in self._known:
                for short in _shortened(known.lower()):
                    self._shortened.setdefault(short, []).append(known)
        lower = name.lower()
        alike = {k for short in _shortened(lower) for k in self._shortened.get(short, ())} - {but}
        distance, nearest = _nearest((_distance(lower, k.lower(), 1), abs(len(k) - len(name)), k) for k in alike)
        return nearest[0] if len(nearest) == 1 and distance <= 1 else None

    def _closest(self, name: str, but: str | None) -> str | None:
        if len(self._known) > _MANY and (slip := self._slip(name, but)) is not None:
            return slip
        same = self._folded.get(_folded(name))
        if same is not None and same == but:
            return lexicon(tuple(k for k in self._known if k != but)).closest(name)
        if same is not None or len(name) < 2:
            return same
        # Of equally near names, one of the same length is more likely: swapped or wrong letters are common mistakes.
        distance, nearest = _nearest(self._distances(name, but))
        if nearest and distance <= max(1, len(nearest[0]) // 3):
            return nearest[0] if len(nearest) == 1 else None
        return self._begun(name, but)

    def _distances(self, name: str, but: str | None) -> Iterator[tuple[int, int, str]]:
        ruler, letters, length = _Ruler(name.lower()), _letters(name), len(name)
        begun = 0
        for known, word, most, own, shared in self._words:
            begun = min(begun, shared)
            # Each letter that only one of the two has takes an edit of its own.
            apart = abs(len(known) - length)
            far = apart > most or (own & ~letters).bit_count() > most or (letters & ~own).bit_count() > most
            if known != but and far:
                yield most + 1, apart, known
            elif known != but:
                yield min(ruler.distance(word, begun), most + 1), apart, known
                begun = len(word)

    def _begun(self, name: str, but: str | None) -> str | None:
        """The only name that begins with `name`, else the only one that shares at least half of it as a prefix."""
        self._sorted = self._sorted or sorted(self._known)
        names = self._sorted
        at = bisect_left(names, name)
        begun = [k for k in names[at : at + 3] if k.startswith(name) and k != but] if len(name) >= 3 else []
        if len(begun) == 1:
            return begun[0]
        # Names with more letters in common are nearer.
        around = [k for k in dict.fromkeys(names[max(0, at - 3) : at + 3]) if k != but]
        lengths = [(_common(name, k), k) for k in around]
        longest = max((length for length, _ in lengths), default=0)
        found = [k for length, k in lengths if length == longest]
        return found[0] if len(found) == 1 and longest >= max(_LEAST_BEGIN, len(name) / 2) else None


@lru_cache(maxsize=256)
def lexicon(known: tuple[str, ...]) -> Lexicon:
    """The names, prepared once and cached."""
    return Lexicon(known)


def _nearest(distances: Iterable[tuple[int, int, str]]) -> tuple[int, list[str]]:
    """The least distance and the names that have it, as any of several may be meant; 0 and no name where there is none."""
    least = (0, 0)
    nearest: list[str] = []
    for distance, apart, known in distances:
        if not nearest or (distance, apart) < least:
            least, nearest = (distance, apart), [known]
        elif (distance, apart) == least:
            nearest.append(known)
    return least[0], nearest


def is_same_word(name: str, known: str) -> bool:
    """Whether two names differ in case, separators, number or the signs around them only."""
    plain = name.strip(_DECORATION)
    return _folded(plain) == _folded(known) or plain == f"{known}s" or known == f"{plain}s"


def is_typo(name: str, known: str) -> bool:
    """Whether `name` is `known` with a typing error, and not another word that begins alike."""
    if len(name) == len(known) <= _TOO_SHORT and name != known[::-1]:
        return is_same_word(name, known)  # of so few letters, another one makes another name
    most = 1 if len(known) < _LONG else 2
    return is_same_word(name, known) or _distance(name.strip(_DECORATION).lower(), known.lower(), most) <= most


def differs_by_one(name: str, known: str) -> bool:
    """Whether one letter of `name` is missing, added, replaced or swapped with the next."""
    return _distance(name, known, 1) == 1


@lru_cache(maxsize=4_000)
def _folded(name: str) -> str:
    return name.strip(_DECORATION).replace("-", "").replace("_", "").replace(" ", "").lower()


class _Ruler:
    """Measures the edit distance of names to one name: insertions, deletions, substitutions and swaps.

    The columns of the usual table are bit vectors (Hyyrö, 2003); those of the prefix that a name shares with the
    previous one are reused.
    """

    def __init__(self, name: str) -> None:
        self._last = 1 << max(0, len(name) - 1)
        self._all = (1 << len(name)) - 1
        self._places: dict[str, int] = {}
        for at, letter in enumerate(name):
            self._places[letter] = self._places.get(letter, 0) | 1 << at
        #: For each prefix of the other name: what is greater, less and equal in the column below, the places
        #: of the last letter, and the distance.
        self._columns = [(self._all, 0, 0, 0, len(name))]

    def distance(self, other: str, shared: int = 0) -> int:
        """The distance of `other` to the name. `other` shares this many first letters with the previous one."""
        del self._columns[shared + 1 :]
        more, less, equal, before, distance = self._columns[-1]
        everything, last = self._all, self._last
        for letter in other[shared:]:
            here = self._places.get(letter, 0)
            swapped = ((~equal & here) << 1) & before
            equal = (((here & more) + more) ^ more) | here | less | swapped
            up, down = less | ~(equal | more), equal & more
            distance += bool(up & last) - bool(down & last)
            up, down = up << 1 | 1, down << 1
            more, less = (down | ~(equal | up)) & everything, up & equal & everything
            before = here
            self._columns.append((more, less, equal, before, distance))
        return distance


def _distance(a: str, b: str, most: int) -> int:
    """The edit distance with insertions, deletions, substitutions and swaps; `most` + 1 if it is greater."""
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


def _common(a: str, b: str) -> int:
    """The length of the common prefix of two names."""
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _letters(name: str) -> int:
    """The letters of a name as bits; several letters may share a bit."""
    bits = 0
    for letter in name.lower():
        bits |= 1 << (ord(letter) & 63)
    return bits


def _shortened(name: str) -> list[str]:
    """A name, and its forms without one of its letters."""
    return [name, *{name[:at] + name[at + 1 :] for at in range(len(name))}]
