"""Backreferences in a JavaScript pattern, where Python's engines behave differently.

JavaScript resets the captures of inner groups at each repetition, and a reference to a group without a capture matches
the empty string; so a reference inside of its own group, or before it, always matches the empty string.
"""

from rubric_core.js_regex.nodes import (
    Alternatives,
    Concatenation,
    Group,
    Lookaround,
    Node,
    Quantified,
    Reference,
    UnsupportedPatternError,
)
from rubric_core.lazy_compilation import dataclass, field

__all__ = ["GroupPlaces", "places_of"]


@dataclass
class GroupPlaces:
    """The places of groups and references in a pattern."""

    #: The groups that are referred to, and can have captured something.
    needed: set[int] = field(default_factory=set)
    _filled: dict[int, list[int]] = field(default_factory=dict)

    def note(self, reference: Reference, numbers: list[int]) -> None:
        """Record the groups of a reference."""
        self._filled[id(reference)] = numbers
        self.needed |= {*numbers}

    def filled(self, reference: Reference) -> list[int]:
        """The groups of a reference that can have captured something at its place."""
        return self._filled.get(id(reference), [])


@dataclass(frozen=True)
class _Around:
    """The ancestors of a part, the outermost first: groups, lookarounds, repetitions, alternatives."""

    parts: tuple[Node, ...] = ()

    def inside(self, node: Node) -> "_Around":
        return _Around((*self.parts, node))


def places_of(node: Node) -> GroupPlaces:
    """The places of groups and references. Raises UnsupportedPatternError if Python's engines keep captures too long."""
    walk = _Walk()
    walk.of(node, _Around())
    places = GroupPlaces()
    for reference, around, closed, opened in walk.references:
        numbers = [n for n in reference.numbers if walk.can_be_filled(n, around, closed, opened)]
        places.note(reference, numbers)
    return places


class _Walk:
    def __init__(self) -> None:
        self.groups: dict[int, _Around] = {}
        self.references: list[tuple[Reference, _Around, frozenset[int], frozenset[int]]] = []
        self._closed: set[int] = set()
        self._opened: set[int] = set()

    def of(self, node: Node, around: _Around) -> None:
        if isinstance(node, Reference):
            self.references.append((node, around, frozenset(self._closed), frozenset(self._opened)))
        elif isinstance(node, Group):
            self.groups[node.number] = around
            self._opened.add(node.number)
            self.of(node.body, around.inside(node))
            self._opened.discard(node.number)
            self._closed.add(node.number)
        elif isinstance(node, Lookaround | Quantified):
            self.of(node.body, around.inside(node))
        elif isinstance(node, Concatenation):
            for each in node.items:
                self.of(each, around)
        elif isinstance(node, Alternatives):
            for each in node.options:
                self.of(each, around.inside(Alternatives((each,))))

    def can_be_filled(self, number: int, around: _Around, closed: frozenset[int], opened: frozenset[int]) -> bool:
        """Whether a group can have captured something at a reference. Raises UnsupportedPatternError."""
        group = self.groups[number]
        if number in opened:
            return False
        apart = [p for p in group.parts if not any(p is each for each in around.parts)]
        if any(isinstance(p, Lookaround) and p.negative for p in apart):
            return False
        if any(isinstance(p, Lookaround) and p.behind for p in around.parts):
            raise UnsupportedPatternError("rubric cannot run a reference inside lookbehind")
        if number not in closed:
            return False
        if _may_be_old(group.parts, around.parts):
            raise UnsupportedPatternError(
                "rubric cannot run a reference to a group that a repetition may pass by, such as (?:(a)|b)*\\1"
            )
        return True


def _may_be_old(parts: tuple[Node, ...], shared: tuple[Node, ...]) -> bool:
    """Whether a repetition may continue without the group, whose earlier capture Python then keeps."""
    repeated = False
    for part in parts:
        known = any(part is each for each in shared)
        if (
            repeated
            and not known
            and (isinstance(part, Alternatives) or (isinstance(part, Quantified) and part.low == 0))
        ):
            return True
        repeated = repeated or (isinstance(part, Quantified) and (part.high is None or part.high > 1))
    return False
