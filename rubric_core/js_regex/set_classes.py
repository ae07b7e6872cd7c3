"""Classes of the flag `v`: nested sets, intersections, differences, and strings of several characters."""

from typing import NamedTuple

from rubric_core.js_regex.character_reader import CharacterReader
from rubric_core.js_regex.nodes import InvalidPatternError
from rubric_core.js_regex.ranges import Ranges, common, united, without

__all__ = ["ClassMembers", "set_class"]

_SYNTAX = "()[]{}/-\\|"
_RESERVED = tuple(c * 2 for c in "&!#$%*+,.:;<=>?@^`~")
_PUNCTUATION = "&-!#%,:;<=>@`~"


class ClassMembers(NamedTuple):
    """The members of a class: characters, and longer or empty strings."""

    ranges: Ranges = ()
    texts: frozenset[str] = frozenset()


def set_class(reading: CharacterReader) -> ClassMembers:
    """A bracketed class, from after its opening bracket. Raises InvalidPatternError."""
    negated = reading.take("^")
    found = _contents(reading)
    if not negated:
        return found
    if found.texts:
        raise InvalidPatternError("a negated class cannot contain strings")
    return ClassMembers(reading.others(found.ranges))


def _contents(reading: CharacterReader) -> ClassMembers:
    if reading.take("]"):
        return ClassMembers()
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
        found = ClassMembers(united(found.ranges, each.ranges), found.texts | each.texts)
    return found


def _chain(reading: CharacterReader, found: ClassMembers, mark: str) -> ClassMembers:
    while not reading.take("]"):
        if not reading.take(mark) or (mark == "&&" and reading.peek("&")):
            raise InvalidPatternError("invalid set operation in character class")
        each, _ = _operand(reading)
        if mark == "&&":
            found = ClassMembers(common(found.ranges, each.ranges), found.texts & each.texts)
        else:
            found = ClassMembers(without(found.ranges, each.ranges), found.texts - each.texts)
    return found


def _ranged(reading: CharacterReader, low: ClassMembers, single: str | None) -> ClassMembers:
    """A range, where the operand is the lower end of one."""
    if not reading.peek("-") or reading.peek("--"):
        return low
    reading.at += 1
    high, end = _operand(reading)
    del high
    if single is None or end is None or single > end:
        raise InvalidPatternError("range out of order in character class")
    return ClassMembers(reading.kept(((ord(single), ord(end)),)))


def _operand(reading: CharacterReader) -> tuple[ClassMembers, str | None]:
    """A part of a class, and the character that it is, if it is one."""
    if reading.take("["):
        return set_class(reading), None
    if reading.take("\\q{"):
        return _texts(reading), None
    if reading.peek("\\"):
        reading.at += 1
        found = reading.shorthand()
        if found is not None:
            return ClassMembers(found), None
        reading.at -= 1
    char = _character(reading)
    return ClassMembers(reading.of_character(char)), char


def _texts(reading: CharacterReader) -> ClassMembers:
    texts = [""]
    while not reading.take("}"):
        if reading.take("|"):
            texts.append("")
        else:
            texts[-1] += _character(reading)
    single = [text for text in texts if len(text) == 1]
    return ClassMembers(united(*map(reading.of_character, single)), frozenset(text for text in texts if len(text) != 1))


def _character(reading: CharacterReader) -> str:
    if reading.at >= len(reading.text):
        raise InvalidPatternError("unterminated character class")
    if any(map(reading.peek, _RESERVED)):
        raise InvalidPatternError("invalid set operation in character class")
    char = reading.one()
    if char in _SYNTAX and char != "\\":
        raise InvalidPatternError(f"in a class with the flag v, {char} is written \\{char}")
    if char != "\\":
        return char
    if reading.take("b"):
        return "\b"
    if any(map(reading.peek, _PUNCTUATION)):
        return reading.one()
    return reading.character(in_class=True)
