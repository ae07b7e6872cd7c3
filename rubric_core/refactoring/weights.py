"""Weights that add up to 1."""

from collections.abc import Iterator

from rubric_core.language.evaluators import Criterion, Evaluator
from rubric_core.language.shape import Shape
from rubric_core.refactoring.place import Refactoring, RefactoringPlace
from rubric_core.syntax.edit import add_entry
from rubric_core.syntax.tree import Mapping, Scalar
from rubric_core.text import Edit

__all__ = ["normalize_weights", "shares"]

#: The smallest step of a share.
_STEPS = 1000
Weighted = Criterion | Evaluator


def normalize_weights(spot: RefactoringPlace) -> Iterator[Refactoring]:
    """The weights of the list at the cursor as shares of 1."""
    for cls, what in ((Criterion, "criteria"), (Evaluator, "evaluators")):
        here: Shape | None = next(spot.around(cls), None)
        held = list(spot.holders(here)) if here is not None else []
        items = held[0][2] if held else []
        listed = [each for each in items if isinstance(each, Criterion | Evaluator)]
        # A plain string weighs 1 and has no room for anything else.
        if (
            len(listed) < 2
            or len(listed) != len(items)
            or any(isinstance(c, Criterion) and c.shorthand for c in listed)
        ):
            continue
        edits = _edits(spot, listed)
        if edits:
            yield from spot.made(f"Make the weights of these {what} add up to 1", "rewrite", edits)


def _edits(spot: RefactoringPlace, listed: list[Weighted]) -> list[Edit]:
    written = [each.weight for each in listed]
    if any(isinstance(w, bool) or not isinstance(w, int | float) or not 0 <= w < float("inf") for w in written):
        return []
    total = sum(written)
    if total <= 0 or abs(total - 1) < 1e-9:
        return []
    edits: list[Edit] = []
    for each, share in zip(listed, shares(written), strict=True):
        place = each.places.get("weight")
        if place is not None and isinstance(place.node, Scalar) and not place.borrowed:
            edits.append(Edit(place.node.span, f"{share:g}"))
        elif place is None and isinstance(each.node, Mapping) and not each.borrowed:
            name = spot.dialect.spelled(type(each), "weight")
            edit = add_entry(spot.text, each.node, name, f"{share:g}") if name is not None else None
            edits += [edit] if edit is not None else []
        if len(edits) == 0 or (place is not None and place.borrowed):
            return []
    return edits if len(edits) == len(listed) else []


def shares(written: list[float]) -> list[float]:
    """Each weight as a share of 1, in thousandths; the rounding error is distributed to the largest remainders."""
    total = sum(written)
    exact = [w / total * _STEPS for w in written]
    steps = [int(e) for e in exact]
    order = sorted(range(len(exact)), key=lambda n: steps[n] - exact[n])
    for number in order[: _STEPS - sum(steps)]:
        steps[number] += 1
    return [s / _STEPS for s in steps]
