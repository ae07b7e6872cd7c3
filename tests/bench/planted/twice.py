"""Things that are there twice."""

import random
from itertools import pairwise

from planted.suite import LOST, Plant, Planted, Suite, replaced
from rubric_core.language.evaluators import Criterion, Evaluator
from rubric_core.language.model import Case
from rubric_core.language.shape import Shape
from rubric_core.syntax.tree import Scalar

__all__ = ["KINDS"]


def twice(shape_type: type[Shape], attribute: str) -> Plant:
    def plant(suite: Suite, rng: random.Random) -> Planted | None:
        found = [
            (s, o)
            for s, o in suite.of(shape_type, attribute)
            if isinstance(s.places[attribute].node, Scalar) and s.places[attribute].node.style == "plain"
        ]
        if not found:
            return None
        shape, offset = rng.choice(found)
        place = shape.places[attribute]
        start = place.key.start + offset
        column = start - suite.text.rfind("\n", 0, start) - 1
        end = suite.text.find("\n", place.node.span.end + offset)
        if end < 0:
            return None
        return replaced(suite, end, end, f"\n{' ' * column}{place.name}: {place.node.text or 'x'}", end + 1)

    return plant


def same(shape_type: type[Shape], attribute: str) -> Plant:
    """Give a shape the value that the one before it in the same list has."""

    def plant(suite: Suite, rng: random.Random) -> Planted | None:
        pairs = []
        for holder, offset in suite.shapes:
            for items in vars(holder).values():
                if isinstance(items, list):
                    good = [
                        i
                        for i in items
                        if isinstance(i, shape_type)
                        and i.has(attribute)
                        and isinstance(i.places[attribute].node, Scalar)
                        and not i.places[attribute].borrowed
                        and not getattr(i, "shorthand", False)
                    ]
                    pairs += [(a, b, offset) for a, b in pairwise(good)]
        if shape_type is Case:
            good = suite.of(Case, attribute)
            pairs = [(a, b, o) for (a, _), (b, o) in pairwise(good)]
        if not pairs:
            return None
        first, second, offset = rng.choice(pairs)
        node = second.places[attribute].node
        start, end = node.span.start + offset, node.span.end + offset
        return replaced(suite, start, end, str(getattr(first, attribute)), right=LOST)

    return plant


KINDS: dict[str, Plant] = {
    "case key twice": twice(Case, "id"),
    "criterion key twice": twice(Criterion, "id"),
    "evaluator key twice": twice(Evaluator, "type"),
    "case id twice": same(Case, "id"),
    "criterion id twice": same(Criterion, "id"),
    "evaluator name twice": same(Evaluator, "name"),
}
