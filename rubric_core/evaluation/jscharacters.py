"""Single characters and classes of them in a JavaScript regular expression."""

import re

from rubric_core.evaluation.jsproperties import property_ranges

__all__ = ["CLASSES", "LINE_ENDS", "Characters", "InvalidPatternError", "UnsupportedPatternError"]

#: The characters that end a line.
LINE_ENDS = "\\n\\r\\u2028\\u2029"
#: What `\\d` and its like stand for, as ranges inside of brackets.
CLASSES = {
    "d": "0-9",
    "w": "A-Za-z0-9_",
    "s": "\\t-\\r \\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff",
    "D": "\\x00-/:-\\U0010ffff",
    "W": "\\x00-/:-@\\[-\\^`{-\\U0010ffff",
    "S": "\\x00-\\x08\\x0e-\\x1f!-\\x9f\\xa1-\\u167f\\u1681-\\u1fff\\u200b-\\u2027\\u202a-\\u202e\\u2030-\\u205e\\u2060-\\u2fff\\u3001-\\ufefe\\uff00-\\U0010ffff",
}
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "v": "\v", "f": "\f"}
_PROPERTY = re.compile(r"\{([A-Za-z_]+(?:=[A-Za-z_]+)?)\}")
_SYNTAX = frozenset("^$\\.*+?()[]{}|/")


class InvalidPatternError(ValueError):
    """A pattern that JavaScript refuses; the message says why."""


class UnsupportedPatternError(ValueError):
    """A pattern that JavaScript takes and rubric cannot run; the message names the part."""


class Characters:
    """Reads a pattern from left to right, as far as it is about characters."""

    def __init__(self, pattern: str, *, unicode: bool) -> None:
        self.text = pattern
        self.at = 0
        #: Whether the flag `u` or `v` is set, which refuses what nobody can have meant.
        self.unicode = unicode

    def peek(self, text: str) -> bool:
        """Whether `text` comes next."""
        return self.text.startswith(text, self.at)

    def take(self, text: str) -> bool:
        """Step over `text`, if it comes next."""
        if self.peek(text):
            self.at += len(text)
            return True
        return False

    def shorthand(self) -> str | None:
        """The ranges of a class such as that of digits, if one comes next behind a backslash; steps over it."""
        char = self.text[self.at : self.at + 1]
        if char and char in CLASSES:
            self.at += 1
            return CLASSES[char]
        if not self.unicode or char not in ("p", "P"):
            return None
        named = _PROPERTY.match(self.text, self.at + 1)
        if named is None:
            raise InvalidPatternError("invalid property name")
        self.at = named.end()
        found = property_ranges(named[1], inverse=char == "P")
        if found is None:
            raise UnsupportedPatternError(
                f"rubric cannot run \\{char}{{{named[1]}}}, only general categories such as \\p{{L}}"
            )
        return found

    def character(self) -> str:
        """The one character that an escape stands for; the place is behind its backslash."""
        char = self.text[self.at]
        self.at += 1
        if char in _CONTROLS:
            return _CONTROLS[char]
        if char == "c" and re.match("[A-Za-z]", self.text[self.at : self.at + 1]):
            self.at += 1
            return chr(ord(self.text[self.at - 1]) % 32)
        coded = self._coded(char)
        if coded is not None:
            return coded
        if self.unicode and char not in _SYNTAX and char != "-":
            raise InvalidPatternError("invalid escape")
        return char

    def _coded(self, char: str) -> str | None:
        """The character of an escape by number: x41, u0041, u{41} or 101, if this is one."""
        for mark, form in (
            ("x", r"([0-9a-fA-F]{2})"),
            ("u", r"\{([0-9a-fA-F]+)\}" if self.unicode else r"(?!)"),
            ("u", r"([0-9a-fA-F]{4})"),
        ):
            found = re.match(form, self.text[self.at :]) if char == mark else None
            if found:
                self.at += found.end()
                return self._joined(int(found[1], 16))
        octal = re.match(r"[0-3]?[0-7]{0,2}", self.text[self.at - 1 :]) if char in "01234567" else None
        if octal and not (self.unicode and octal[0] != "0"):
            self.at += len(octal[0]) - 1
            return chr(int(octal[0], 8))
        return None

    def _joined(self, code: int) -> str:
        """The character of a code; two halves of one are put together."""
        low = re.match(r"\\u([dD][c-fC-F][0-9a-fA-F]{2})", self.text[self.at :]) if 0xD800 <= code < 0xDC00 else None
        if low:
            self.at += low.end()
            return chr(0x10000 + ((code - 0xD800) << 10) + int(low[1], 16) - 0xDC00)
        if code > 0x10FFFF:
            raise InvalidPatternError("undefined code point")
        return chr(code)

    def character_class(self) -> str:
        """A class in brackets, in the form that Python takes."""
        self.at += 1
        negated = self.take("^")
        pieces: list[str] = []
        while not self.take("]"):
            if self.at >= len(self.text):
                raise InvalidPatternError("unterminated character class")
            pieces.append(self._class_item())
        if not pieces:
            return "[\\s\\S]" if negated else "(?!)"
        return f"[{'^' if negated else ''}{''.join(pieces)}]"

    def _class_item(self) -> str:
        low = self._class_atom()
        if not self.peek("-") or self.text[self.at + 1 : self.at + 2] in ("]", ""):
            return low if len(low) > 1 else _in_class(low)
        self.at += 1
        high = self._class_atom()
        if len(low) > 1 or len(high) > 1:
            if self.unicode:
                raise InvalidPatternError("invalid character class")
            return "".join(p if len(p) > 1 else _in_class(p) for p in (low, "-", high))
        if low > high:
            raise InvalidPatternError("range out of order in character class")
        return f"{_in_class(low)}-{_in_class(high)}"

    def _class_atom(self) -> str:
        """One character, or what stands for a class such as that of digits, which is longer."""
        char = self.text[self.at]
        self.at += 1
        if char != "\\":
            return char
        if self.at >= len(self.text):
            raise InvalidPatternError("\\ at end of pattern")
        ranges = self.shorthand()
        if ranges is not None:
            return ranges
        if self.take("b"):
            return "\b"
        return self.character()


def _in_class(char: str) -> str:
    return f"\\{char}" if char in "\\]^-[&~|" else char
