"""JavaScript regular expressions, as Python ones that match the same texts.

Strings are compared character by character, also without the `u` flag, where JavaScript would look at halves of
characters beyond U+FFFF.
"""

import re
from typing import NamedTuple

from rubric_core.evaluation.jscharacters import (
    LINE_ENDS,
    Characters,
    InvalidPatternError,
    UnsupportedPatternError,
)

__all__ = ["InvalidPatternError", "Translation", "UnsupportedPatternError", "translate"]

_WORD = "[A-Za-z0-9_]"
_BOUNDARY = f"(?:(?<={_WORD})(?!{_WORD})|(?<!{_WORD})(?={_WORD}))"
_INSIDE = f"(?:(?<={_WORD})(?={_WORD})|(?<!{_WORD})(?!{_WORD}))"
_QUANTIFIER = re.compile(r"\{(\d+)(?:(,)(\d*))?\}")
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_FLAGS = frozenset("dgimsuvy")
_MANY = 10


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


class _Reader(Characters):
    """Reads a pattern from left to right."""

    def __init__(self, pattern: str, flags: str) -> None:
        super().__init__(pattern, unicode="u" in flags or "v" in flags)
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

    def disjunction(self) -> str:
        """Alternatives, up to `)` or the end."""
        pieces: list[str] = []
        while self.at < len(self.text) and not self.peek(")"):
            if self.take("|"):
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
            return f"(?:\\A|(?<=[{LINE_ENDS}]))" if self.multiline else "\\A"
        if char == "$":
            self.at += 1
            return f"(?=[{LINE_ENDS}]|\\Z)" if self.multiline else "\\Z"
        if self.take("\\b"):
            return _BOUNDARY
        return _INSIDE if self.take("\\B") else ""

    def _atom(self, char: str) -> tuple[str, bool, bool]:
        """An atom, whether it may be repeated, and whether it repeats or chooses something inside."""
        if char == "(":
            return self._group()
        if char == "[":
            return self.character_class(), True, False
        if char == "\\":
            self.at += 1
            return self._escape(), True, False
        if char in "*+?" or (char == "{" and (self.unicode or _QUANTIFIER.match(self.text, self.at))):
            raise InvalidPatternError("nothing to repeat")
        if char in "]}" and self.unicode:
            raise InvalidPatternError(f"lone {char}")
        self.at += 1
        if char == ".":
            return ("[\\s\\S]" if self.dot_all else f"[^{LINE_ENDS}]"), True, False
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
        self.take("?")
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
        if not self.take(")"):
            raise InvalidPatternError("unterminated group")
        busy = self._busy.pop()
        self._busy[-1] = self._busy[-1] or busy
        return f"{opening}{inside})", repeatable, busy

    def _opening(self) -> tuple[str, bool]:
        if not self.take("?"):
            return "(", True
        for mark, repeatable in (
            (":", True),
            ("=", not self.unicode),
            ("!", not self.unicode),
            ("<=", False),
            ("<!", False),
        ):
            if self.take(mark):
                return f"(?{mark}", repeatable
        if self.take("<"):
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
        ranges = self.shorthand()
        if ranges is not None:
            return f"[{ranges}]"
        char = self.text[self.at]
        if char == "k" and (self.named or self.unicode):
            self.at += 1
            if not self.take("<"):
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
        return re.escape(self.character())
