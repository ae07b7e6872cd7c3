"""How many steps a match by backtracking may take at most in a text: a bound that always holds."""

import math
import re

from rubric_core.evaluation.code.js_characters import set_of
from rubric_core.javascript.nodes import (
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

__all__ = ["most_steps"]

#: Beyond so many repetitions powers are not computed; what can match in several ways takes for ever then.
_MANY = 1000


def most_steps(node: Node, text: str, *, sticky: bool) -> float:
    """The most steps that a search takes; infinite where it cannot be bounded."""
    try:
        each = _Costs(text).of(node).steps
    except RecursionError:
        return math.inf
    return each if sticky else len(text) + 1 + _starts(node, text) * each


def _starts(node: Node, text: str) -> int:
    """At how many places more than the first character is looked at."""
    while isinstance(node, Concatenation | Group) and (not isinstance(node, Concatenation) or node.items):
        node = node.items[0] if isinstance(node, Concatenation) else node.body
    if isinstance(node, Quantified) and node.low:
        node = node.body
    if isinstance(node, Chars):
        return len(re.findall(set_of(node.ranges), text))
    return 1 if isinstance(node, Edge) and node.kind == "^" and not node.multiline else len(text) + 1


class _Cost:
    """What matching a part from one place may take: in how many ways it can match, and the steps to try all of them."""

    def __init__(self, ways: float, steps: float) -> None:
        self.ways, self.steps = ways, steps


class _Costs:
    def __init__(self, text: str) -> None:
        self._text = text

    def of(self, node: Node) -> _Cost:
        if isinstance(node, Group):
            return self.of(node.body)
        if isinstance(node, Lookaround):  # once it holds, nothing in it is tried again
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
        """How often a part can follow itself."""
        if isinstance(body, Chars):
            return max(map(len, re.findall(f"(?:{set_of(body.ranges)})+", self._text)), default=0)
        return len(self._text)


def _row(parts: list[_Cost]) -> _Cost:
    """Every way to match what stands before is a place at which a part is tried."""
    ways = steps = 1.0
    for part in parts:
        steps += ways * part.steps
        ways *= part.ways
    return _Cost(ways, steps)


def _repeated(body: _Cost, node: Quantified, longest: int) -> _Cost:
    """A repetition that matches nothing is not gone on with, so only `low` may be more than there are characters."""
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
