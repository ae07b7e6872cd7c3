"""Reads a JavaScript regular expression. Without `u` and `v` it is read unit by unit, as JavaScript has its texts."""

import re
from collections.abc import Iterator

from rubric_core.js_regex.character_reader import LINE_ENDS, CharacterReader, Flags
from rubric_core.js_regex.nodes import (  # fmt: skip
    Alternatives,
    Chars,
    Concatenation,
    Edge,
    Empty,
    Group,
    InvalidPatternError,
    Lookaround,
    Node,
    Quantified,
    Reference,
)
from rubric_core.js_regex.ranges import ALL, inverse, of
from rubric_core.js_regex.set_classes import set_class
from rubric_core.lazy_compilation import replace

__all__ = ["parse", "units"]

_FLAGS = frozenset("dgimsuvy")
_BRACES = re.compile(r"\{(\d+)(?:(,)(\d*))?\}")
_NAME = r"([^\W\d]|[$_])([\w$\u200c\u200d])*"
_ASTRAL = re.compile(r"[\U00010000-\U0010ffff]")


def units(text: str) -> str:
    """A text in which each character is one unit of UTF-16."""
    if not _ASTRAL.search(text):
        return text
    coded = text.encode("utf-16-le", "surrogatepass")
    return "".join(chr(coded[n] | coded[n + 1] << 8) for n in range(0, len(coded), 2))


def parse(pattern: str, flags: str = "") -> Node:
    """The syntax tree of `/pattern/flags`. Raises InvalidPatternError for a pattern that JavaScript rejects."""
    unknown = sorted(set(flags) - _FLAGS)
    if unknown or len(set(flags)) != len(flags) or {"u", "v"} <= set(flags):
        raise InvalidPatternError(f"invalid flags: {flags}")
    unicode = "u" in flags or "v" in flags
    modes = Flags("i" in flags, "m" in flags, "s" in flags, unicode, "v" in flags)
    reader = _Parser(pattern if unicode else units(pattern), modes)
    node = reader.disjunction()
    if reader.at < len(reader.text):
        raise InvalidPatternError("unmatched )")
    return node


def _groups(pattern: str) -> Iterator[str]:
    """The name of each group that captures, empty without one, in their order."""
    at, depth = 0, 0
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            at += 1
        elif char == "[":
            depth = 1
        elif char == "]":
            depth = 0
        elif char == "(" and not depth:
            if pattern[at + 1 : at + 2] != "?":
                yield ""
            elif found := re.compile(rf"\(\?<({_NAME})>").match(pattern, at):
                yield found[1]
        at += 1


class _Parser(CharacterReader):
    def __init__(self, pattern: str, modes: Flags) -> None:
        super().__init__(pattern, modes)
        self._names = list(_groups(pattern))
        self.named = any(self._names)
        self._opened = 0
        #: The names in use, by the branches in which they are defined: another branch may reuse them.
        self._taken: list[set[str]] = [set()]

    def disjunction(self) -> Node:
        """Alternatives, up to `)` or the end."""
        outer = self.modes
        before, options = set(self._taken[-1]), [self._row()]
        taken = set(self._taken[-1])
        while self.take("|"):
            self._taken[-1] = set(before)
            options.append(self._row())
            taken |= self._taken[-1]
        self._taken[-1] = taken
        self.modes = outer
        return options[0] if len(options) == 1 else Alternatives(tuple(options))

    def _row(self) -> Node:
        items: list[Node] = []
        while self.at < len(self.text) and not self.peek("|") and not self.peek(")"):
            items.append(self._term())
        return items[0] if len(items) == 1 else Concatenation(tuple(items)) if items else Empty()

    def _term(self) -> Node:
        start = self.at
        node, repeatable = self._atom()
        quantifier = self._quantifier()
        if quantifier is None:
            return node
        if not repeatable:
            raise InvalidPatternError(f"nothing to repeat after {self.text[start : start + 3]}")
        return Quantified(node, *quantifier)

    def _quantifier(self) -> tuple[int, int | None, bool] | None:
        char = self.text[self.at : self.at + 1]
        low, high = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(char, (0, 0)) if char else (0, 0)
        if high == 0:
            braces = _BRACES.match(self.text, self.at)
            if braces is None:
                return None
            low = int(braces[1])
            high = int(braces[3]) if braces[3] else None if braces[2] else low
            if high is not None and low > high:
                raise InvalidPatternError("numbers out of order in {} quantifier")
            self.at = braces.end()
        else:
            self.at += 1
        return low, high, self.take("?")

    def _atom(self) -> tuple[Node, bool]:
        """A part, and whether it may be repeated."""
        char = self.one()
        if char in "^$":
            return self._edge(char), False
        if char == "(":
            return self._group()
        if char == "[":
            return self._class(), True
        if char == "\\":
            return self._escape()
        if char in "*+?" or (char == "{" and (self.modes.unicode or _BRACES.match(self.text, self.at - 1))):
            raise InvalidPatternError("nothing to repeat")
        if char in "]}" and self.modes.unicode:
            raise InvalidPatternError(f"lone {char}")
        if char == ".":
            return Chars(ALL if self.modes.dot_all else inverse(LINE_ENDS)), True
        return Chars(self.same(of(char))), True

    def _edge(self, kind: str) -> Edge:
        return Edge(kind, self.modes.multiline, self.words)

    def _class(self) -> Node:
        if not self.modes.sets:
            return Chars(self.character_class())
        found = set_class(self)
        chars = Chars(self.same(found.ranges))
        if not found.texts:
            return chars
        rows: list[Node] = [
            Concatenation(tuple(Chars(self.same(of(char))) for char in text)) if text else Empty()
            for text in sorted(found.texts, key=len, reverse=True)
        ]
        rows.insert(sum(len(text) > 1 for text in found.texts), chars)
        return Alternatives(tuple(rows))

    def _escape(self) -> tuple[Node, bool]:
        """An escape outside of a class, from after its backslash."""
        if self.at >= len(self.text):
            raise InvalidPatternError("\\ at end of pattern")
        for kind in "bB":
            if self.take(kind):
                return self._edge(kind), False
        found = self.shorthand()
        if found is not None:
            return Chars(self.same(found)), True
        if self.peek("k") and (self.named or self.modes.unicode):
            self.at += 1
            return self._named_reference(), True
        number = re.compile(r"[1-9]\d*").match(self.text, self.at)
        if number and (int(number[0]) <= len(self._names) or self.modes.unicode):
            if int(number[0]) > len(self._names):
                raise InvalidPatternError("invalid escape: there is no such group")
            self.at = number.end()
            return Reference((int(number[0]),), self.modes.ignore_case), True
        return Chars(self.same(of(self.character(in_class=False)))), True

    def _named_reference(self) -> Node:
        name = self._name() if self.take("<") else ""
        numbers = tuple(n for n, each in enumerate(self._names, start=1) if each == name and name)
        if not numbers:
            raise InvalidPatternError("invalid named reference")
        return Reference(numbers, self.modes.ignore_case)

    def _name(self) -> str:
        found = self.matched(rf"({_NAME})>")
        if found is None:
            raise InvalidPatternError("invalid capture group name")
        return found[1]

    def _group(self) -> tuple[Node, bool]:
        """A group, after its bracket."""
        if not self.take("?"):
            return self._captured(), True
        for mark, behind in (("=", False), ("!", False), ("<=", True), ("<!", True)):
            if self.take(mark):
                return Lookaround(self._inside(), behind, mark.endswith("!")), not (behind or self.modes.unicode)
        if self.take("<"):
            name = self._name()
            if name in self._taken[-1]:
                raise InvalidPatternError(f"the group name {name} is taken")
            self._taken[-1].add(name)
            return self._captured(), True
        if self.take(":"):
            return self._inside(), True
        return self._inside(self._modified()), True

    def _captured(self) -> Node:
        self._opened += 1
        number = self._opened
        return Group(number, self._inside())

    def _inside(self, modes: Flags | None = None) -> Node:
        outer, self.modes = self.modes, modes or self.modes
        node = self.disjunction()
        self.modes = outer
        if not self.take(")"):
            raise InvalidPatternError("unterminated group")
        return node

    def _modified(self) -> Flags:
        """The flags in a group such as `(?i-m:…)`."""
        found = self.matched(r"([ims]*)(?:(-)([ims]*))?:")
        added, removed = (found[1], found[3] or "") if found else ("", "")
        if found is None or len({*added, *removed}) < len(added + removed) or not added + removed:
            raise InvalidPatternError("invalid group")
        held = {"i": self.modes.ignore_case, "m": self.modes.multiline, "s": self.modes.dot_all}
        held |= dict.fromkeys(added, True) | dict.fromkeys(removed, False)
        return replace(self.modes, ignore_case=held["i"], multiline=held["m"], dot_all=held["s"])
