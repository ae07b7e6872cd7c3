"""Converts plain strings among evaluators into the rubric that they stand for."""

from collections.abc import Iterator

from rubric_core.language.evaluators import Criterion, Rubrics
from rubric_core.language.shape import Shape
from rubric_core.refactoring.place import Refactoring, RefactoringPlace
from rubric_core.syntax.collection_edits import dedent, extent, indent
from rubric_core.syntax.edit import column_of, item_dash
from rubric_core.syntax.tree import Mapping, Node, Sequence
from rubric_core.text import Edit, Span

__all__ = ["gather_plain_strings"]


def gather_plain_strings(spot: RefactoringPlace) -> Iterator[Refactoring]:
    """The strings of the list at the cursor as a rubric, or a rubric as strings."""
    if not spot.dialect.properties.string_assertions:
        return
    for cls in (Criterion, Rubrics):
        here: Shape | None = next(spot.around(cls), None)
        for holder, field, items in spot.holders(here) if here is not None else ():
            if isinstance(holder, Rubrics) or field == "rubrics":
                continue
            node = holder.places[field].node
            if isinstance(node, Sequence) and not node.flow and not holder.places[field].borrowed:
                if isinstance(here, Criterion) and here.shorthand:
                    yield from _gathered(spot, [c for c in items if isinstance(c, Criterion)])
                elif isinstance(here, Rubrics):
                    yield from _scattered(spot, here, items)


def _gathered(spot: RefactoringPlace, strings: list[Criterion]) -> Iterator[Refactoring]:
    name, key = spot.dialect.type_name(Rubrics), spot.dialect.spelled(Rubrics, "criteria")
    nodes = [c.node for c in strings if c.node is not None and not c.borrowed]
    dashes = [item_dash(spot.text, n) for n in nodes]
    if name is None or key is None or len(nodes) != len(strings) or None in dashes:
        return
    pieces = [_item(spot.text, dash or 0, node) for dash, node in zip(dashes, nodes, strict=True)]
    column = column_of(spot.text, dashes[0] or 0)
    count = len(strings) if spot.dialect.properties.strings_weigh_their_count else 1
    head = [f"- type: {name}", *([f"  weight: {count}"] if count > 1 else []), f"  {key}:"]
    lines = "".join(f"{' ' * column}{line}{spot.newline}" for line in head)
    body = "".join(indent(dedent(_ended(spot, span), column), column + 4) for span in pieces)
    made = lines + body
    if not _ends_line(spot.text, pieces[0]):
        made = made.rstrip("\r\n")
    edits = [Edit(pieces[0], made), *(Edit(span, "") for span in pieces[1:])]
    title = "Write these strings as a rubric" if len(strings) > 1 else "Write this string as a rubric"
    yield from spot.made(title, "rewrite", edits)


def _scattered(spot: RefactoringPlace, rubric: Rubrics, items: list[object]) -> Iterator[Refactoring]:
    """Write a rubric as plain strings, if it contains only strings and there are no others in the list."""
    criteria = rubric.criteria or []
    node, place = rubric.node, rubric.places.get("criteria")
    listed = place.node if place is not None else None
    count = len(criteria) if spot.dialect.properties.strings_weigh_their_count else 1
    plain = bool(criteria) and all(isinstance(c, Criterion) and c.shorthand for c in criteria)
    more = set(rubric.places) - {"type", "criteria", "weight"}
    others = any(isinstance(each, Criterion) for each in items)
    if not plain or more or others or rubric.weight != count or not isinstance(node, Mapping) or node.flow:
        return
    dash = item_dash(spot.text, node)
    if dash is None or not isinstance(listed, Sequence) or listed.flow or listed.anchor or node.anchor:
        return
    spans = [_item(spot.text, d, n) for n in listed.items if (d := item_dash(spot.text, n)) is not None]
    if len(spans) != len(listed.items):
        return
    whole = _item(spot.text, dash, node)
    inner = column_of(spot.text, item_dash(spot.text, listed.items[0]) or 0)
    above = spot.text[whole.start : spans[0].start] + spot.text[spans[-1].end : whole.end]
    if "#" in above:
        return
    made = "".join(indent(dedent(_ended(spot, s), inner), column_of(spot.text, dash)) for s in spans)
    if not _ends_line(spot.text, whole):
        made = made.rstrip("\r\n")
    yield from spot.made("Write its criteria as plain strings", "rewrite", [Edit(whole, made)])


def _item(text: str, dash: int, node: Node) -> Span:
    """The lines of an item, with its dash and the comments above it."""
    return extent(text, dash, node.whole.end)


def _ended(spot: RefactoringPlace, span: Span) -> str:
    piece = spot.text[span.start : span.end]
    return piece if piece.endswith(("\n", "\r")) else piece + spot.newline


def _ends_line(text: str, span: Span) -> bool:
    return text[span.start : span.end].endswith(("\n", "\r"))
