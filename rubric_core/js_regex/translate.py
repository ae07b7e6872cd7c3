"""Translates a JavaScript regular expression to a Python one that matches the same texts.

Without the flags `u` and `v`, texts and patterns are matched by code unit, so a character beyond U+FFFF counts as two.
The engine is Python's own; only variable-length lookbehind, which it does not support, needs the package regex.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from rubric_core.js_regex.match_cost import most_steps
from rubric_core.js_regex.nodes import (  # fmt: skip
    Alternatives,
    Chars,
    Concatenation,
    Edge,
    Group,
    Lookaround,
    Node,
    Quantified,
    Reference,
    UnsupportedPatternError,
)
from rubric_core.js_regex.parse import parse, units
from rubric_core.js_regex.python_syntax import edge_of, set_of
from rubric_core.js_regex.references import GroupPlaces, places_of

__all__ = ["Translation", "translate"]

#: No answer is this long.
_LONGEST = 1_000_000_000


class Translation(NamedTuple):
    """A pattern for Python."""

    pattern: str
    #: `re`, or `regex` for the package of that name.
    engine: str
    #: Whether it must match at the start of the text (the flag `y`).
    sticky: bool
    #: Whether a text is matched by code unit.
    by_unit: bool
    #: The original pattern.
    node: Node

    def text(self, text: str) -> str:
        """A text in the form that the pattern expects."""
        return units(text) if self.by_unit else text

    def most_steps(self, text: str) -> float:
        """An upper bound for the steps of a match in a text, in the form that the pattern expects."""
        return most_steps(self.node, text, sticky=self.sticky)


@lru_cache(maxsize=512)  # as many as `re` caches: the cases of a suite share a few patterns
def translate(pattern: str, flags: str = "") -> Translation:
    """The Python form of `/pattern/flags`. Raises InvalidPatternError or UnsupportedPatternError."""
    try:
        node = parse(pattern, flags)
        written = _Writer(places_of(node)).of(node)
        engine = _engine(written)
    except RecursionError:
        raise UnsupportedPatternError("rubric cannot run this pattern: it is nested too deeply") from None
    return Translation(written, engine, "y" in flags, not {"u", "v"} & set(flags), node)


def _engine(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as error:
        if "look-behind" in str(error):
            return "regex"
        raise UnsupportedPatternError(f"rubric cannot run this pattern: {error}") from None
    except OverflowError as error:
        raise UnsupportedPatternError(f"rubric cannot run this pattern: {error}") from None
    return "re"


class _Writer:
    def __init__(self, places: GroupPlaces) -> None:
        self._places = places
        #: Groups without a reference need no number.
        self._numbers = {number: n for n, number in enumerate(sorted(places.needed), start=1)}

    def of(self, node: Node) -> str:
        """A part, grouped if it could merge with its neighbours."""
        if isinstance(node, Chars):
            return set_of(node.ranges)
        if isinstance(node, Edge):
            return edge_of(node)
        if isinstance(node, Group):
            inner = self.of(node.body)
            return f"({inner})" if node.number in self._numbers else f"(?:{inner})"
        if isinstance(node, Lookaround):
            return f"(?{'<' * node.behind}{'!' if node.negative else '='}{self.of(node.body)})"
        if isinstance(node, Quantified):
            return self._repeated(node)
        if isinstance(node, Reference):
            return self._reference(node)
        if isinstance(node, Concatenation):
            return "".join(self._apart(each) for each in node.items)
        if isinstance(node, Alternatives):
            return "|".join(self.of(each) for each in node.options)
        return "(?:)"

    def _apart(self, node: Node) -> str:
        return f"(?:{self.of(node)})" if isinstance(node, Alternatives) else self.of(node)

    def _repeated(self, node: Quantified) -> str:
        if node.low > _LONGEST:
            return "(?!)"
        high = "" if node.high is None or node.high > _LONGEST else str(node.high)
        if isinstance(node.body, Lookaround):  # once is as often as ever
            return f"(?:{self.of(node.body)})" if node.low else f"(?:{self.of(node.body)}|)"
        return f"(?:{self.of(node.body)}){{{node.low},{high}}}{'?' * node.lazy}"

    def _reference(self, node: Reference) -> str:
        numbers = [self._numbers[n] for n in self._places.filled(node)]
        # A group that did not take part matches nothing in JavaScript, and is not a failure.
        written = "".join(f"(?({n})\\{n})" for n in numbers)
        return f"(?i:{written})" if written and node.ignore_case else written or "(?:)"
