"""Criteria as plain strings, and as objects with room for weights, ids and bands."""

from collections.abc import Iterator

from rubric_core.language.evaluators import Criterion, Rubric
from rubric_core.language.model import Case
from rubric_core.loading.grading import required
from rubric_core.refactoring.place import Refactoring, RefactoringPlace, has_comment
from rubric_core.syntax.edit import as_mapping, column_of, line_end
from rubric_core.syntax.tree import Entry, Mapping, Scalar
from rubric_core.text import Edit, Span

__all__ = ["convert_criteria", "string_edits"]


def convert_criteria(spot: RefactoringPlace) -> Iterator[Refactoring]:
    """The criterion at the cursor, or all of its list, in the other form."""
    here = next(spot.around(Criterion), None)
    if here is None:
        return
    held = [(h, items) for h, field, items in spot.holders(here) if _is_rubric(h, field)]
    if not held:
        return
    others = [c for c in held[0][1] if isinstance(c, Criterion)]
    if here.shorthand:
        yield from spot.made("Write this criterion as an object", "rewrite", _object(spot, here))
        strings = [c for c in others if c.shorthand]
        if len(strings) > 1:
            edits = [e for c in strings for e in _object(spot, c)]
            yield from spot.made(f"Write all {len(strings)} criteria as objects", "rewrite", edits)
        return
    objects = [c for c in others if not c.shorthand]
    plain = [(c, string_edits(spot, c)) for c in objects]
    for criterion, found in plain:
        if criterion is here and found is not None:
            yield from spot.made("Write this criterion as a plain string", "rewrite", found)
    if len(plain) > 1 and all(edits is not None for _, edits in plain):
        every = [e for _, edits in plain for e in edits or ()]
        yield from spot.made(f"Write all {len(plain)} criteria as plain strings", "rewrite", every)


def _is_rubric(holder: object, field: str) -> bool:
    return (isinstance(holder, Rubric) and field == "criteria") or (isinstance(holder, Case) and field == "rubrics")


def _object(spot: RefactoringPlace, criterion: Criterion) -> list[Edit]:
    """The edits that write a criterion in a string as an object.

    A string gates. An object gates if it says so, or by default in some dialects.
    """
    node, spelled = criterion.node, spot.dialect.spelled
    outcome, gate = spelled(Criterion, "outcome"), spelled(Criterion, "required")
    needs = not spot.dialect.properties.object_required_default
    if not isinstance(node, Scalar) or criterion.borrowed or outcome is None or (needs and gate is None):
        return []
    return list(as_mapping(spot.text, node, outcome, behind=[f"{gate}: true"] if needs else ()))


def string_edits(spot: RefactoringPlace, criterion: Criterion) -> list[Edit] | None:
    """The edits that reduce a criterion to its text; None if it has other settings, or comments on them."""
    node = criterion.node
    if not isinstance(node, Mapping) or criterion.borrowed or node.anchor or not required(criterion, spot.dialect):
        return None
    if set(criterion.places) - {"outcome", "required"} or len(node.entries) != len(criterion.places):
        return None
    place = criterion.places.get("outcome")
    text = next((e for e in node.entries if place is not None and e.value is place.node), None)
    if text is None or not isinstance(text.value, Scalar) or not isinstance(text.value.value, str):
        return None
    others = [e for e in node.entries if e is not text]
    cut = [Span(node.whole.start, text.value.whole.start), *_behind(spot, node, text, others)]
    if any(has_comment(spot.text, span, *(e.value for e in others)) for span in cut):
        return None
    return [Edit(span, "") for span in cut]


def _behind(spot: RefactoringPlace, node: Mapping, text: Entry, others: list[Entry]) -> Iterator[Span]:
    """The text after a criterion."""
    if node.flow:
        yield Span(text.value.whole.end, node.whole.end)
        return
    for entry in others:
        if entry.span.start > text.span.start:
            start = entry.span.start - column_of(spot.text, entry.span.start)
            start -= 2 if spot.text[start - 2 : start] == "\r\n" else 1
            yield Span(start, line_end(spot.text, entry.span.end))
