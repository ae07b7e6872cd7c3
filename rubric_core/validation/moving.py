"""Keys of a case that the newest dialect has elsewhere, moved there."""

from collections.abc import Iterator

from rubric_core.language.evaluators import LlmRubric
from rubric_core.language.model import Case
from rubric_core.syntax.edit import add_entry, column_of, newline_of, remove_entry
from rubric_core.syntax.tree import Entry, Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Fix

__all__ = ["as_rubric", "as_variable"]


def as_variable(case: Case, entry: Entry, context: Context) -> Iterator[Fix]:
    """`input: hi` is `vars: {input: hi}`, for the prompts to ask with."""
    key, place, name = context.dialect.spelled(Case, "vars"), case.places.get("vars"), entry.name or ""
    if key is None or not isinstance(case.node, Mapping) or not _on_one_line(entry.value, context):
        return
    written = context.written(entry.value.whole)
    if place is None:
        edit = Edit(entry.span, f"{key}: {{{name}: {written}}}")
        yield from [Fix(f"move it to `{key}`", (edit,), safe=False)] if "#" not in written else []
        return
    gone = remove_entry(context.text, case.node, entry)
    if gone is None or place.borrowed or not isinstance(place.node, Mapping):
        return
    if place.node.get(name) is not None:
        yield Fix(f"remove it: `{key}` has one", (gone,), safe=False)
        return
    put = add_entry(context.text, place.node, name, written)
    if put is not None:
        yield Fix(f"move it to `{key}`", (gone, put), safe=False)


def as_rubric(case: Case, entry: Entry, context: Context) -> Iterator[Fix]:
    """`rubrics` of a case is a rubric among its assertions."""
    key, kind = context.dialect.spelled(Case, "assertions"), context.dialect.type_name(LlmRubric)
    value, place = entry.value, case.places.get("assertions")
    inner = context.dialect.spelled(LlmRubric, "criteria")
    if key is None or kind is None or not isinstance(case.node, Mapping) or not isinstance(value, Sequence):
        return
    if value.anchor or case.node.flow or not value.flow:
        return
    newline, written = newline_of(context.text), context.written(value.span)
    if place is None:
        blanks = " " * column_of(context.text, entry.key.whole.start)
        lines = (f"{key}:", f"{blanks}  - type: {kind}", f"{blanks}    {inner}: {written}")
        yield Fix(f"make it the first of `{key}`", (Edit(entry.span, newline.join(lines)),), safe=False)
        return
    items, gone = place.node, remove_entry(context.text, case.node, entry)
    if gone is None or place.borrowed or not isinstance(items, Sequence) or not items.items:
        return
    first = items.items[0].whole.start
    if items.flow:
        made = Edit(Span(first, first), f"{{type: {kind}, {inner}: {written}}}, ")
    else:
        dash = context.text.rindex("-", 0, first)
        blanks = " " * column_of(context.text, dash)
        text = f"- type: {kind}{newline}{blanks}  {inner}: {written}{newline}{blanks}"
        made = Edit(Span(dash, dash), text)
    yield Fix(f"make it the first of `{key}`", (gone, made), safe=False)


def _on_one_line(node: Node, context: Context) -> bool:
    plain = isinstance(node, Scalar) and not node.is_block
    return (plain or getattr(node, "flow", False)) and "\n" not in context.written(node.whole) and not node.anchor
