"""Case-insensitive equality in JavaScript: with `u` or `v` by case folding, else by upper case."""

from collections.abc import Mapping
from functools import lru_cache

from rubric_core.js_regex.ranges import ALL, Ranges, has, inverse, normal, united

__all__ = ["fold_case", "same", "unfold_case"]

_ASCII = 0x7F
#: Behind these there is no character with capital and small form.
_CASED_UP_TO = 0x1E944
_BMP = 0xFFFF


def fold_case(char: str) -> str:
    """The simple case folding of a character."""
    whole = char.casefold()
    if len(whole) == 1:
        return whole
    small = char.lower()
    return small if len(small) == 1 else char


def _capital(char: str) -> str:
    """The upper case for comparison without `u`: a single code unit, and never ASCII for a character beyond ASCII."""
    upper = char.upper()
    if len(upper) != 1 or ord(upper) > _BMP or (ord(char) > _ASCII >= ord(upper)):
        return char
    return upper


@lru_cache(maxsize=2)
def _families(unicode: bool) -> tuple[tuple[int, ...], ...]:
    """The sets of more than one character that are equal to one another."""
    families: dict[str, list[int]] = {}
    for code in range((_CASED_UP_TO if unicode else _BMP) + 1):
        char = chr(code)
        key = fold_case(char) if unicode else _capital(char)
        if key != char:
            families.setdefault(key, [ord(key)]).append(code)
    return tuple(tuple(family) for family in families.values())


@lru_cache(maxsize=2)
def _by_character(unicode: bool) -> Mapping[int, tuple[int, ...]]:
    return {code: family for family in _families(unicode) for code in family}


def same(ranges: Ranges, *, unicode: bool) -> Ranges:
    """All characters that are the same as one of these."""
    if not ranges or ranges == ALL:
        return ranges
    if ranges[-1][1] <= _ASCII:
        return _same_in_ascii(ranges, unicode=unicode)
    if sum(high - low + 1 for low, high in ranges) < len(_families(unicode)):
        known = _by_character(unicode)
        codes = (code for low, high in ranges for code in range(low, high + 1))
        more = [(other, other) for code in codes for other in known.get(code, ())]
    else:
        families = (family for family in _families(unicode) if any(has(ranges, code) for code in family))
        more = [(code, code) for family in families for code in family]
    return normal([*ranges, *more])


def _same_in_ascii(ranges: Ranges, *, unicode: bool) -> Ranges:
    letters = [chr(code) for low, high in ranges for code in range(low, high + 1) if chr(code).isalpha()]
    more = {ord(char.swapcase()) for char in letters}
    if unicode:  # the long s, and the sign of Kelvin
        more |= {0x17F} if {"s", "S"} & {*letters} else set()
        more |= {0x212A} if {"k", "K"} & {*letters} else set()
    return normal([*ranges, *((code, code) for code in more)])


@lru_cache(maxsize=1)
def _changed() -> Mapping[int, int]:
    return {code: family[0] for family in _families(unicode=True) for code in family[1:]}


def unfold_case(ranges: Ranges) -> Ranges:
    """The set of the foldings of these characters."""
    changed = _changed()
    fixed = inverse(normal((code, code) for code in changed))
    kept = [(low, high) for low, high in inverse(united(inverse(ranges), inverse(fixed)))]
    return normal([*kept, *((to, to) for code, to in changed.items() if has(ranges, code))])
