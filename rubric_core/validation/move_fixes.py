"""Fixes that move keys to the right place: into a settings block, into the preceding item, under another key of the case."""

from collections.abc import Iterator

from rubric_core.language.dialect import SpellingStatus
from rubric_core.language.evaluators import LlmRubric
from rubric_core.language.model import Case
from rubric_core.language.shape import Shape
from rubric_core.loading.issues import UnknownKey
from rubric_core.loading.type_match import could_be
from rubric_core.syntax.edit import add_entry, column_of, line_end, newline_of, remove_entry
from rubric_core.syntax.reindent import begins_line, move_entry_lines, shift_lines
from rubric_core.syntax.tree import Entry, Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Fix

__all__ = ["as_rubric", "as_variable", "beside_fix", "into_last", "move_under", "under"]


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


def under(issue: UnknownKey, context: Context) -> Iterator[Fix]:
    """Move an entry into the sibling settings block that accepts it."""
    if not issue.borrowed and "." not in issue.inside:
        yield from move_under(issue.inside, issue.node, issue.entry, context, issue.meant)


def move_under(
    inside: str, node: Node | None, entry: Entry, context: Context, meant: str | None = None
) -> Iterator[Fix]:
    """Move an entry of `node` under its key `inside`, whose block may not be there yet, and call it `meant`."""
    text = context.text
    if not isinstance(node, Mapping):
        return
    title, name = f"move it under `{inside}`", meant or entry.name or ""
    written = (meant or text[entry.span.start : entry.key.span.end]) + text[entry.key.span.end : entry.span.end]
    block = node.get(inside)
    several = len(written.splitlines()) > 1
    if block is None:
        inner = shift_lines(written, 2)
        if several and not node.flow and inner is not None and begins_line(text, entry):
            blanks = " " * (column_of(text, entry.key.whole.start) + 2)
            yield Fix(title, (Edit(entry.span, f"{inside}:{newline_of(text)}{blanks}{inner}"),), safe=False)
        elif not several:
            # Of several such keys only one can begin the block.
            yield Fix(title, (Edit(entry.span, f"{inside}: {{{written}}}"),), safe=False)
        return
    gone = remove_entry(text, node, entry)
    if gone is None or not isinstance(block, Mapping) or block.get(name) is not None or not block.entries:
        return
    added = (
        _last(text, block, entry, written) if several else add_entry(text, block, name, text[slice(*entry.value.span)])
    )
    if added is not None:
        yield Fix(title, (gone, added), safe=not several and not meant)


def _last(text: str, block: Mapping, entry: Entry, written: str) -> Edit | None:
    """Append the entry to a block and indent its lines to match."""
    column = column_of(text, block.entries[0].key.whole.start)
    inner = shift_lines(written, column - column_of(text, entry.key.whole.start))
    if block.flow or inner is None or not begins_line(text, entry):
        return None
    at = line_end(text, block.entries[-1].span.end)
    return Edit(Span(at, at), f"{newline_of(text)}{' ' * column}{inner}")


def into_last(issue: UnknownKey, context: Context) -> Iterator[Fix]:
    """Move a key that is indented one level too little into the preceding item."""
    node, entry, text = issue.node, issue.entry, context.text
    if not isinstance(node, Mapping) or node.flow or issue.owner is None or not begins_line(text, entry):
        return
    number = node.position(entry)
    for shape in _last_shapes(issue.owner, node.entries[number - 1].value) if number else ():
        inner = shape.node
        if isinstance(inner, Mapping) and _takes(shape, inner, entry, context):
            by = column_of(text, inner.entries[0].key.whole.start) - column_of(text, entry.key.whole.start)
            if by > 0:
                yield Fix(
                    "indent it: it belongs to the item above", tuple(move_entry_lines(text, entry, by)), safe=False
                )
            return


def beside_fix(around: Node | None, name: str, entry: Entry, context: Context) -> tuple[Fix, ...]:
    """Move the last entry of the block `name` of a mapping out of it, beside it.

    Only if the result is certain: it is on lines of its own, after other entries, and there is no such key outside.
    """
    block = around.entry(name) if isinstance(around, Mapping) else None
    inner = block.value if block is not None else None
    if not isinstance(around, Mapping) or block is None or not isinstance(inner, Mapping) or inner.flow or inner.anchor:
        return ()
    is_last = len(inner.entries) > 1 and inner.entries[-1] is entry and inner.entries[0] is not entry
    if around.flow or not is_last or around.get(entry.name or "") is not None or not begins_line(context.text, entry):
        return ()
    by = column_of(context.text, block.key.whole.start) - column_of(context.text, entry.key.whole.start)
    edits = tuple(move_entry_lines(context.text, entry, by)) if by < 0 else ()
    lines = (context.text[edit.span.start : edit.span.end] for edit in edits)
    if not edits or any(line.strip(" ") for line in lines):
        return ()
    return (Fix(f"move it beside `{name}`", edits, safe=False),)


def _takes(shape: Shape, node: Mapping, entry: Entry, context: Context) -> bool:
    """Whether a shape accepts the entry in addition to those it has."""
    name = entry.name or ""
    known = context.dialect.table(type(shape)).get(name)
    if (
        known is None
        or known.fate is not SpellingStatus.CURRENT
        or shape.borrowed
        or node.flow
        or node.get(name) is not None
    ):
        return False
    return could_be(entry.value, type(shape).keys[known.field].kind)


def _last_shapes(owner: Shape, value: Node) -> Iterator[Shape]:
    """The last item of the list `value`, and the last shapes nested in it."""
    field = next((f for f, place in owner.places.items() if place.node is value), "")
    found = vars(owner).get(field)
    last = found[-1] if isinstance(found, list) and found else found
    if isinstance(last, Shape):
        yield last
        if isinstance(last.node, Mapping) and last.node.entries:
            yield from _last_shapes(last, last.node.entries[-1].value)
