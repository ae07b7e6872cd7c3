"""JavaScript regular expressions, as Python ones that match the same texts.

Strings are compared character by character, also without the `u` flag, where JavaScript would look at halves of
characters beyond U+FFFF.
"""

import re
from typing import NamedTuple

__all__ = ["InvalidPatternError", "Translation", "UnsupportedPatternError", "translate"]

_LINE_ENDS = "\\n\\r\\u2028\\u2029"
_CLASSES = {
    "d": "0-9",
    "w": "A-Za-z0-9_",
    "s": "\\t-\\r \\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff",
    "D": "\\x00-/:-\\U0010ffff",
    "W": "\\x00-/:-@\\[-\\^`{-\\U0010ffff",
    "S": "\\x00-\\x08\\x0e-\\x1f!-\\x9f\\xa1-\\u167f\\u1681-\\u1fff\\u200b-\\u2027\\u202a-\\u202e\\u2030-\\u205e\\u2060-\\u2fff\\u3001-\\ufefe\\uff00-\\U0010ffff",
}
_WORD = "[A-Za-z0-9_]"
_BOUNDARY = f"(?:(?<={_WORD})(?!{_WORD})|(?<!{_WORD})(?={_WORD}))"
_INSIDE = f"(?:(?<={_WORD})(?={_WORD})|(?<!{_WORD})(?!{_WORD}))"
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "v": "\v", "f": "\f"}
_SYNTAX = frozenset("^$\\.*+?()[]{}|/")
_QUANTIFIER = re.compile(r"\{(\d+)(?:(,)(\d*))?\}")
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_FLAGS = frozenset("dgimsuvy")
_MANY = 10


class InvalidPatternError(ValueError):
    """A pattern that JavaScript refuses; the message says why."""


class UnsupportedPatternError(ValueError):
    """A pattern that JavaScript takes and rubric cannot run; the message names the part."""


class Translation(NamedTuple):
    """A pattern for Python's `re`."""

    pattern: str
    flags: int
    #: Whether it has to match at the start of the text (the flag `y`).
    sticky: bool
    #: How many repetitions without an upper bound it has.
    unbounded: int
    #: Whether one repetition stands inside another, so that a match may take exponential time.
    nested: bool


def translate(pattern: str, flags: str = "") -> Translation:
    """The Python form of `/pattern/flags`. Raises InvalidPatternError or UnsupportedPatternError."""
    unknown = sorted(set(flags) - _FLAGS)
    if unknown or len(set(flags)) != len(flags) or {"u", "v"} <= set(flags):
        raise InvalidPatternError(f"invalid flags: {flags}")
    reader = _Reader(pattern, flags)
    python = reader.disjunction()
    if reader.at < len(pattern):
        raise InvalidPatternError("unmatched )")
    options = re.IGNORECASE if "i" in flags else re.RegexFlag(0)
    try:
        re.compile(python, options)
    except (re.error, OverflowError, RecursionError) as error:
        raise UnsupportedPatternError(f"rubric cannot run this pattern: {error}") from None
    return Translation(python, int(options), "y" in flags, reader.unbounded, reader.nested)


class _Reader:
    """Reads a pattern from left to right."""

    def __init__(self, pattern: str, flags: str) -> None:
        self.text = pattern
        self.at = 0
        self.unicode = "u" in flags or "v" in flags
        self.multiline = "m" in flags
        self.dot_all = "s" in flags
        self.groups = len(
            re.findall(
                r"(?<!\\)\((?!\?)|\(\?<(?![=!])",
                re.sub(r"\\.|\[(?:[^\]\\]|\\.)*\]", "", pattern, flags=re.DOTALL),
            )
        )
        self.named = "(?<" in re.sub(r"\(\?<[=!]", "", pattern)
        self.unbounded = 0
        self.nested = False
        #: Whether the group that is being read repeats or chooses something, from the outermost in.
        self._busy = [False]

    def _peek(self, text: str) -> bool:
        return self.text.startswith(text, self.at)

    def _take(self, text: str) -> bool:
        if self._peek(text):
            self.at += len(text)
            return True
        return False

    def disjunction(self) -> str:
        """Alternatives, up to `)` or the end."""
        pieces: list[str] = []
        while self.at < len(self.text) and not self._peek(")"):
            if self._take("|"):
                self._busy[-1] = True
                pieces.append("|")
            else:
                pieces.append(self._term())
        return "".join(pieces)

    def _term(self) -> str:
        char = self.text[self.at]
        assertion = self._assertion(char)
        if assertion:
            if self._quantifier() is not None:
                raise InvalidPatternError("nothing to repeat")
            return assertion
        atom, repeatable, busy = self._atom(char)
        quantifier = self._quantifier()
        if quantifier is None:
            return atom
        if not repeatable:
            raise InvalidPatternError("nothing to repeat")
        self._count(quantifier, busy)
        if self._quantifier() is not None:
            raise InvalidPatternError("nothing to repeat")
        return atom + quantifier

    def _assertion(self, char: str) -> str:
        if char == "^":
            self.at += 1
            return f"(?:\\A|(?<=[{_LINE_ENDS}]))" if self.multiline else "\\A"
        if char == "$":
            self.at += 1
            return f"(?=[{_LINE_ENDS}]|\\Z)" if self.multiline else "\\Z"
        if self._take("\\b"):
            return _BOUNDARY
        return _INSIDE if self._take("\\B") else ""

    def _atom(self, char: str) -> tuple[str, bool, bool]:
        """An atom, whether it may be repeated, and whether it repeats or chooses something inside."""
        if char == "(":
            return self._group()
        if char == "[":
            return self._class(), True, False
        if char == "\\":
            self.at += 1
            return self._escape(), True, False
        if char in "*+?" or (char == "{" and (self.unicode or _QUANTIFIER.match(self.text, self.at))):
            raise InvalidPatternError("nothing to repeat")
        if char in "]}" and self.unicode:
            raise InvalidPatternError(f"lone {char}")
        self.at += 1
        if char == ".":
            return ("[\\s\\S]" if self.dot_all else f"[^{_LINE_ENDS}]"), True, False
        return re.escape(char), True, False

    def _quantifier(self) -> str | None:
        start = self.at
        if self.at < len(self.text) and self.text[self.at] in "*+?":
            self.at += 1
        else:
            braces = _QUANTIFIER.match(self.text, self.at)
            if braces is None:
                return None
            if braces[3] and int(braces[1]) > int(braces[3]):
                raise InvalidPatternError("numbers out of order in {} quantifier")
            self.at = braces.end()
        self._take("?")
        return self.text[start : self.at]

    def _count(self, quantifier: str, busy: bool) -> None:
        braces = _QUANTIFIER.match(quantifier)
        endless = quantifier[0] in "*+" or (braces is not None and braces[2] is not None and not braces[3])
        often = endless or (braces is not None and int(braces[3] or braces[1]) > _MANY)
        self.unbounded += endless
        self.nested = self.nested or (often and busy)
        self._busy[-1] = True

    def _group(self) -> tuple[str, bool, bool]:
        self.at += 1
        opening, repeatable = self._opening()
        self._busy.append(False)
        inside = self.disjunction()
        if not self._take(")"):
            raise InvalidPatternError("unterminated group")
        busy = self._busy.pop()
        self._busy[-1] = self._busy[-1] or busy
        return f"{opening}{inside})", repeatable, busy

    def _opening(self) -> tuple[str, bool]:
        if not self._take("?"):
            return "(", True
        for mark, repeatable in (
            (":", True),
            ("=", not self.unicode),
            ("!", not self.unicode),
            ("<=", False),
            ("<!", False),
        ):
            if self._take(mark):
                return f"(?{mark}", repeatable
        if self._take("<"):
            return f"(?P<{self._name()}>", True
        if re.match(r"[ims]*(-[ims]*)?:", self.text[self.at :]):
            raise UnsupportedPatternError("rubric cannot run groups with flags of their own, such as (?i: )")
        raise InvalidPatternError("invalid group")

    def _name(self) -> str:
        found = _NAME.match(self.text, self.at)
        if found is None or not self.text.startswith(">", found.end()):
            raise InvalidPatternError("invalid capture group name")
        self.at = found.end() + 1
        return found[0].replace("$", "_")

    def _escape(self) -> str:
        """What stands behind a backslash, outside of a class."""
        if self.at >= len(self.text):
            raise InvalidPatternError("\\ at end of pattern")
        char = self.text[self.at]
        if char in _CLASSES:
            self.at += 1
            return f"[{_CLASSES[char]}]"
        if char == "k" and (self.named or self.unicode):
            self.at += 1
            if not self._take("<"):
                raise InvalidPatternError("invalid named reference")
            name = self._name()
            return f"(?({name})(?P={name}))"
        number = re.match(r"[1-9]\d*", self.text[self.at :])
        if number and (int(number[0]) <= self.groups or self.unicode):
            if int(number[0]) > self.groups:
                raise InvalidPatternError("invalid escape")
            self.at += len(number[0])
            # A group that did not take part matches nothing in JavaScript, and is no failure.
            return f"(?({number[0]})\\{number[0]})"
        return re.escape(self._character())

    def _character(self) -> str:
        """The one character that an escape stands for."""
        char = self.text[self.at]
        self.at += 1
        if char in _CONTROLS:
            return _CONTROLS[char]
        if char in "pP" and self.unicode:
            raise UnsupportedPatternError(f"rubric cannot run \\{char}{{…}}; write the characters as a class")
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

    def _class(self) -> str:
        self.at += 1
        negated = self._take("^")
        pieces: list[str] = []
        while not self._take("]"):
            if self.at >= len(self.text):
                raise InvalidPatternError("unterminated character class")
            pieces.append(self._class_item())
        if not pieces:
            return "[\\s\\S]" if negated else "(?!)"
        return f"[{'^' if negated else ''}{''.join(pieces)}]"

    def _class_item(self) -> str:
        low = self._class_atom()
        if not self._peek("-") or self.text[self.at + 1 : self.at + 2] in ("]", ""):
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
        if self.text[self.at] in _CLASSES:
            self.at += 1
            return _CLASSES[self.text[self.at - 1]]
        if self._take("b"):
            return "\b"
        return self._character()


def _in_class(char: str) -> str:
    return f"\\{char}" if char in "\\]^-[&~|" else char
