"""The syntax tree of a JavaScript regular expression."""

from typing import TypeAlias

from rubric_core.js_regex.ranges import Ranges
from rubric_core.lazy_compilation import dataclass

__all__ = [
    "Alternatives",
    "Chars",
    "Concatenation",
    "Edge",
    "Empty",
    "Group",
    "InvalidPatternError",
    "Lookaround",
    "Node",
    "Quantified",
    "Reference",
    "UnsupportedPatternError",
]  # fmt: skip


class InvalidPatternError(ValueError):
    """A pattern that JavaScript rejects; the message says why."""


class UnsupportedPatternError(ValueError):
    """A pattern that JavaScript takes and rubric cannot run; the message names the part."""


@dataclass(frozen=True, slots=True)
class Empty:
    """Matches nothing, everywhere."""


@dataclass(frozen=True, slots=True)
class Chars:
    """One character of a set, in which the flag `i` is worked in."""

    ranges: Ranges


@dataclass(frozen=True, slots=True)
class Edge:
    """A place between characters: `^`, `$`, `b` or `B`."""

    kind: str
    multiline: bool
    #: What counts as a part of a word.
    word: Ranges


@dataclass(frozen=True, slots=True)
class Group:
    """A group that captures; groups are numbered from 1."""

    number: int
    body: "Node"


@dataclass(frozen=True, slots=True)
class Lookaround:
    """A lookahead or lookbehind, possibly negative."""

    body: "Node"
    behind: bool
    negative: bool


@dataclass(frozen=True, slots=True)
class Quantified:
    """A repetition; `high` is None without an upper bound."""

    body: "Node"
    low: int
    high: int | None
    lazy: bool


@dataclass(frozen=True, slots=True)
class Reference:
    """A backreference; for a name with several groups, the one that captured."""

    numbers: tuple[int, ...]
    ignore_case: bool


@dataclass(frozen=True, slots=True)
class Concatenation:
    """One after the other."""

    items: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Alternatives:
    """One of several, tried in their order."""

    options: tuple["Node", ...]


Node: TypeAlias = Empty | Chars | Edge | Group | Lookaround | Quantified | Reference | Concatenation | Alternatives
