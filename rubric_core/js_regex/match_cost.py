"""An upper bound for the steps that a backtracking match may take in a text."""

import math
import re

from rubric_core.js_regex.nodes import (
    Alternatives,
    Chars,
    Concatenation,
    Edge,
    Group,
    Lookaround,
    Node,
    Quantified,
    Reference,
)
from rubric_core.js_regex.python_syntax import set_of

__all__ = ["most_steps"]

#: Above this bound, nested alternatives may backtrack exponentially, and powers are not computed.
_MANY = 1000


def most_steps(node: Node, text: str, *, sticky: bool) -> float:
    """The maximum number of steps of a search; infinite without a bound."""
    try:
        each = _Costs(text).of(node).steps
    except RecursionError:
        return math.inf
    return each if sticky else len(text) + 1 + _starts(node, text) * each


def _starts(node: Node, text: str) -> int:
    """The number of places at which more than the first character is tried."""
    while isinstance(node, Concatenation | Group) and (not isinstance(node, Concatenation) or node.items):
        node = node.items[0] if isinstance(node, Concatenation) else node.body
    if isinstance(node, Quantified) and node.low:
        node = node.body
    if isinstance(node, Chars):
        return len(re.findall(set_of(node.ranges), text))
    return 1 if isinstance(node, Edge) and node.kind == "^" and not node.multiline else len(text) + 1


class _Cost:
    """The cost of matching a part at one place: the number of ways to match, and the steps to try all of them."""

    def __init__(self, ways: float, steps: float) -> None:
        self.ways, self.steps = ways, steps


class _Costs:
    def __init__(self, text: str) -> None:
        self._text = text

    def of(self, node: Node) -> _Cost:
        if isinstance(node, Group):
            return self.of(node.body)
        if isinstance(node, Lookaround):  # once it matches, nothing in it is tried again
            return _Cost(1, self.of(node.body).steps + 1)
        if isinstance(node, Reference):
            return _Cost(1, len(self._text) + 1)
        if isinstance(node, Alternatives):
            parts = [self.of(each) for each in node.options]
            return _Cost(sum(p.ways for p in parts), sum(p.steps for p in parts) + 1)
        if isinstance(node, Concatenation):
            return _row([self.of(each) for each in node.items])
        if isinstance(node, Quantified):
            return _repeated(self.of(node.body), node, self._longest(node.body))
        return _Cost(1, 1)

    def _longest(self, body: Node) -> int:
        """The maximum repetitions of a part."""
        if isinstance(body, Chars):
            return max(map(len, re.findall(f"(?:{set_of(body.ranges)})+", self._text)), default=0)
        return len(self._text)


def _row(parts: list[_Cost]) -> _Cost:
    """The cost of a sequence: each way to match its beginning is a place at which the next part is tried."""
    ways = steps = 1.0
    for part in parts:
        steps += ways * part.steps
        ways *= part.ways
    return _Cost(ways, steps)


def _repeated(body: _Cost, node: Quantified, longest: int) -> _Cost:
    """The cost of a repetition: an empty match ends it, so only `low` may exceed the number of characters."""
    most = max(node.low, longest + 1 if node.high is None else min(node.high, longest + 1))
    if body.ways <= 1:
        return _Cost(most - node.low + 1, (most + 1) * (body.steps + 1))
    if most > _MANY:
        return _Cost(math.inf, math.inf)
    try:
        tried = (body.ways ** (most + 1) - 1) / (body.ways - 1)
    except OverflowError:
        return _Cost(math.inf, math.inf)
    return _Cost(tried, tried * (body.steps + 1))
