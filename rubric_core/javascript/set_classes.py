"""Classes of the flag `v`: sets inside of sets, what is in both, what is in one only, and texts of several characters."""

from typing import NamedTuple

from rubric_core.javascript.character_reader import Reading
from rubric_core.javascript.nodes import InvalidPatternError
from rubric_core.javascript.ranges import Ranges, common, united, without

__all__ = ["Members", "set_class"]

_SYNTAX = "()[]{}/-\\|"
_RESERVED = tuple(c * 2 for c in "&!#$%*+,.:;<=>?@^`~")
_PUNCTUATION = "&-!#%,:;<=>@`~"


class Members(NamedTuple):
    """What is in a class: characters, and texts that are longer or empty."""

    ranges: Ranges = ()
    texts: frozenset[str] = frozenset()


def set_class(reading: Reading) -> Members:
    """A class in brackets, behind the opening one. Raises InvalidPatternError."""
    negated = reading.take("^")
    found = _contents(reading)
    if not negated:
        return found
    if found.texts:
        raise InvalidPatternError("a class that is turned around has no texts")
    return Members(reading.others(found.ranges))


def _contents(reading: Reading) -> Members:
    if reading.take("]"):
        return Members()
    first, single = _operand(reading)
    for mark in ("&&", "--"):
        if reading.peek(mark):
            return _chain(reading, first, mark)
    found = _ranged(reading, first, single)
    while not reading.take("]"):
        each, single = _operand(reading)
        if reading.peek("&&") or reading.peek("--"):
            raise InvalidPatternError("invalid set operation in character class")
        each = _ranged(reading, each, single)
        found = Members(united(found.ranges, each.ranges), found.texts | each.texts)
    return found


def _chain(reading: Reading, found: Members, mark: str) -> Members:
    while not reading.take("]"):
        if not reading.take(mark) or (mark == "&&" and reading.peek("&")):
            raise InvalidPatternError("invalid set operation in character class")
        each, _ = _operand(reading)
        if mark == "&&":
            found = Members(common(found.ranges, each.ranges), found.texts & each.texts)
        else:
            found = Members(without(found.ranges, each.ranges), found.texts - each.texts)
    return found


def _ranged(reading: Reading, low: Members, single: str | None) -> Members:
    """A range, where the operand is the lower end of one."""
    if not reading.peek("-") or reading.peek("--"):
        return low
    reading.at += 1
    high, end = _operand(reading)
    del high
    if single is None or end is None or single > end:
        raise InvalidPatternError("range out of order in character class")
    return Members(reading.kept(((ord(single), ord(end)),)))


def _operand(reading: Reading) -> tuple[Members, str | None]:
    """A part of a class, and the character that it is, if it is one."""
    if reading.take("["):
        return set_class(reading), None
    if reading.take("\\q{"):
        return _texts(reading), None
    if reading.peek("\\"):
        reading.at += 1
        found = reading.shorthand()
        if found is not None:
            return Members(found), None
        reading.at -= 1
    char = _character(reading)
    return Members(reading.of_character(char)), char


def _texts(reading: Reading) -> Members:
    texts = [""]
    while not reading.take("}"):
        if reading.take("|"):
            texts.append("")
        else:
            texts[-1] += _character(reading)
    single = [text for text in texts if len(text) == 1]
    return Members(united(*map(reading.of_character, single)), frozenset(text for text in texts if len(text) != 1))


def _character(reading: Reading) -> str:
    if reading.at >= len(reading.text):
        raise InvalidPatternError("unterminated character class")
    if any(map(reading.peek, _RESERVED)):
        raise InvalidPatternError("invalid set operation in character class")
    char = reading.one()
    if char in _SYNTAX and char != "\\":
        raise InvalidPatternError(f"in a class of the flag v, {char} is written \\{char}")
    if char != "\\":
        return char
    if reading.take("b"):
        return "\b"
    if any(map(reading.peek, _PUNCTUATION)):
        return reading.one()
    return reading.character(in_class=True)
