"""Reads single characters of a JavaScript regular expression, escapes included."""

import re

from rubric_core.js_regex.folding import fold_case, same, unfold_case
from rubric_core.js_regex.nodes import InvalidPatternError
from rubric_core.js_regex.properties import property_named
from rubric_core.js_regex.ranges import ALL as EVERY
from rubric_core.js_regex.ranges import Ranges, inverse, normal, of, united, without
from rubric_core.lazy_compilation import dataclass

__all__ = ["DIGITS", "LINE_ENDS", "SPACES", "WORDS", "CharacterReader", "Flags"]

LINE_ENDS = of("\n\r\u2028\u2029")
DIGITS: Ranges = ((0x30, 0x39),)
WORDS: Ranges = normal([(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)])
SPACES = normal([(9, 13), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF)])  # fmt: skip
_CLASSES = {"d": DIGITS, "s": SPACES, "w": WORDS}
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "v": "\v", "f": "\f"}
_SYNTAX = frozenset("^$\\.*+?()[]{}|/")
_PROPERTY = re.compile(r"\{([A-Za-z0-9_]+(?:=[A-Za-z0-9_]+)?)\}")
_LOW = re.compile(r"\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_LAST = 0x10FFFF


@dataclass(frozen=True, slots=True)
class Flags:
    """The flags that hold at a place: groups may change the first three."""

    ignore_case: bool
    multiline: bool
    dot_all: bool
    #: `u` or `v`.
    unicode: bool
    #: `v`.
    sets: bool


class CharacterReader:
    """Reads a pattern from left to right: characters, escapes and classes."""

    def __init__(self, pattern: str, modes: Flags) -> None:
        self.text = pattern
        self.at = 0
        self.modes = modes
        #: Whether any group is named, which gives `\k` a meaning.
        self.named = False

    def peek(self, text: str) -> bool:
        """Whether `text` comes next."""
        return self.text.startswith(text, self.at)

    def take(self, text: str) -> bool:
        """Step over `text`, if it comes next."""
        if self.peek(text):
            self.at += len(text)
            return True
        return False

    def matched(self, form: str) -> re.Match[str] | None:
        """Consume a match of this form, if there is one here."""
        found = re.compile(form).match(self.text, self.at)
        if found is not None:
            self.at = found.end()
        return found

    def one(self) -> str:
        """The next character. Raises InvalidPatternError at the end."""
        if self.at >= len(self.text):
            raise InvalidPatternError("the pattern ends too early")
        self.at += 1
        return self.text[self.at - 1]

    # Sets of characters

    def same(self, ranges: Ranges) -> Ranges:
        """The characters that match one of these."""
        return same(ranges, unicode=self.modes.unicode) if self.modes.ignore_case else ranges

    @property
    def words(self) -> Ranges:
        """The word characters."""
        return same(WORDS, unicode=True) if self.modes.ignore_case and self.modes.unicode else WORDS

    def kept(self, ranges: Ranges) -> Ranges:
        """A set as classes of the flag `v` work with it: with the flag `i` the foldings of its characters."""
        return unfold_case(ranges) if self.modes.sets and self.modes.ignore_case else ranges

    def others(self, ranges: Ranges) -> Ranges:
        """The complement of a set; with the flags `v` and `i` within folded characters."""
        if self.modes.sets and self.modes.ignore_case:
            return without(unfold_case(EVERY), ranges)
        return inverse(ranges)

    def shorthand(self) -> Ranges | None:
        """The set of a class escape such as that for digits, if there is one here; consumes it."""
        char = self.text[self.at : self.at + 1]
        if char and char in "dswDSW":
            self.at += 1
            found = self.words if char in "wW" else _CLASSES[char.lower()]
            return self.kept(found) if char.islower() else self.others(self.kept(found))
        if not self.modes.unicode or char not in ("p", "P"):
            return None
        self.at += 1
        named = self.matched(_PROPERTY.pattern)
        if named is None:
            raise InvalidPatternError("invalid property name")
        found = self.kept(property_named(named[1], sets=self.modes.sets and char == "p"))
        return found if char == "p" else self.others(found)

    # Escapes

    def character(self, *, in_class: bool) -> str:
        """The character of an escape; the position is after its backslash."""
        char = self.one()
        if char in _CONTROLS:
            return _CONTROLS[char]
        if char == "c":
            return self._control(in_class=in_class)
        coded = self._coded(char)
        if coded is not None:
            return coded
        if self.modes.unicode and char not in _SYNTAX and not (in_class and char == "-"):
            raise InvalidPatternError(f"invalid escape \\{char}")
        if char == "k" and self.named:
            raise InvalidPatternError("invalid named reference")
        return char

    def _control(self, *, in_class: bool) -> str:
        form = "[A-Za-z0-9_]" if in_class and not self.modes.unicode else "[A-Za-z]"
        found = self.matched(form)
        if found is not None:
            return chr(ord(found[0]) % 32)
        if self.modes.unicode:
            raise InvalidPatternError("invalid escape \\c")
        self.at -= 1  # the backslash stands for itself
        return "\\"

    def _coded(self, char: str) -> str | None:
        """The character of an escape by number: x41, u0041, u{41} or 101, if this is one."""
        if char == "x" and (found := self.matched("[0-9a-fA-F]{2}")):
            return chr(int(found[0], 16))
        if char == "u":
            if self.modes.unicode and (found := self.matched(r"\{([0-9a-fA-F]+)\}")):
                if int(found[1], 16) > _LAST:
                    raise InvalidPatternError("undefined code point")
                return chr(int(found[1], 16))
            if found := self.matched("[0-9a-fA-F]{4}"):
                return self._joined(int(found[0], 16))
        if char not in "01234567":
            return None
        if self.modes.unicode:
            return "\0" if char == "0" and not re.match("[0-9]", self.text[self.at : self.at + 1]) else None
        self.at -= 1
        octal = self.matched("[0-3][0-7]{0,2}|[4-7][0-7]?")
        return chr(int(octal[0], 8)) if octal else None

    def _joined(self, code: int) -> str:
        """The character of a code; with the flag `u`, a surrogate pair is joined."""
        low = _LOW.match(self.text, self.at) if self.modes.unicode and 0xD800 <= code < 0xDC00 else None
        if low is None:
            return chr(code)
        self.at = low.end()
        return chr(0x10000 + ((code - 0xD800) << 10) + int(low[1], 16) - 0xDC00)

    def of_character(self, char: str) -> Ranges:
        """The set of one character."""
        char = fold_case(char) if self.modes.sets and self.modes.ignore_case else char
        return ((ord(char), ord(char)),)

    # Classes without the flag v

    def character_class(self) -> Ranges:
        """A bracketed class, from after its opening bracket."""
        negated = self.take("^")
        found: list[Ranges] = []
        while not self.take("]"):
            found.append(self._class_item())
        ranges = self.same(united(*found))
        return inverse(ranges) if negated else ranges

    def _class_item(self) -> Ranges:
        low = self._class_atom()
        if not self.peek("-") or self.text[self.at + 1 : self.at + 2] in ("]", ""):
            return low if isinstance(low, tuple) else of(low)
        self.at += 1
        high = self._class_atom()
        if isinstance(low, str) and isinstance(high, str):
            if low > high:
                raise InvalidPatternError("range out of order in character class")
            return ((ord(low), ord(high)),)
        if self.modes.unicode:
            raise InvalidPatternError("invalid character class")
        return united(of("-"), *(each if isinstance(each, tuple) else of(each) for each in (low, high)))

    def _class_atom(self) -> str | Ranges:
        """One character, or the set of a class such as that of digits."""
        if self.at >= len(self.text):
            raise InvalidPatternError("unterminated character class")
        char = self.one()
        if char != "\\":
            return char
        if self.at >= len(self.text):
            raise InvalidPatternError("\\ at end of pattern")
        found = self.shorthand()
        if found is not None:
            return found
        return "\b" if self.take("b") else self.character(in_class=True)
