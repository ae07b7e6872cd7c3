"""Lists that were written as something else: as a mapping by names, or with dashes that are no dashes."""

import re
from collections.abc import Iterator

from rubric_core.language.kinds import Shorthand
from rubric_core.syntax.edit import column_of, newline_of
from rubric_core.syntax.tree import Mapping, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Fix

__all__ = ["glued_dashes", "lifted", "named"]

_GLUED = re.compile(r"(?:^|(?<=[\r\n]))[ \t]*-(?=[^\s-])")


def named(node: Mapping, naming: str, short: Shorthand | None, context: Context) -> Iterator[Fix]:
    """`greeting: {input: …}` as `- id: greeting` with the keys below it; `tone: Is polite` with the text below it.

    Args:
        node: The mapping.
        naming: The key for what is in front of the colon.
        short: What a plain text in the list stands for.
        context: Where it stands.
    """
    text = context.text
    if node.flow or not node.entries:
        return
    edits: list[Edit] = []
    for entry in node.entries:
        inner, key = entry.value, entry.key.whole
        if not text.startswith(":", key.end):
            return
        column = column_of(text, key.start)
        if isinstance(inner, Scalar) and isinstance(inner.value, str) and short is not None:
            field = context.dialect.spelled(short.shape, short.field)
            edits.append(Edit(key, f"- {naming}: {entry.name}{newline_of(text)}{' ' * (column + 2)}{field}"))
            continue
        if not isinstance(inner, Mapping) or inner.flow or not inner.entries or inner.get(naming) is not None:
            return
        if column_of(text, inner.entries[0].key.whole.start) != column + 2:
            return
        edits += (Edit(Span(key.start, key.start), f"- {naming}: "), Edit(Span(key.end, key.end + 1), ""))
    yield Fix(f"make it a list with these as `{naming}`", tuple(edits), safe=False)


def glued_dashes(node: Scalar, text: str) -> Iterator[Edit]:
    """A blank behind every dash that begins a line of what was read as one plain text."""
    if node.style == "plain" and node.text.startswith("-"):
        for found in _GLUED.finditer(text, *node.span):
            yield Edit(Span(found.end(), found.end()), " ")


def lifted(item: Mapping, text: str) -> tuple[Edit, ...]:
    """The items of a list that is the only entry of an item, as items of the list around it; nothing where that is unsafe."""
    inner = item.entries[0].value
    if not isinstance(inner, Sequence) or not inner.items or inner.anchor or item.anchor:
        return ()
    first, last = inner.items[0].whole.start, inner.items[-1].whole.end
    if item.flow or inner.flow:
        behind = text[last : inner.span.end - 1]
        if not (item.flow and inner.flow) or behind.strip() or "#" in text[item.span.start : first]:
            return ()
        return Edit(Span(item.span.start, first), ""), Edit(Span(last, item.span.end), "")
    dash, inner_dash = (text.rfind("-", 0, at) for at in (item.whole.start, first))
    by = column_of(text, inner_dash) - column_of(text, dash)
    if "#" in text[dash:inner_dash] or by < 0 or text[dash + 1 : item.whole.start].strip(" "):
        return ()
    lines = (found.end() for found in re.finditer(r"\r\n?|\n", text[:last]) if found.end() > inner_dash)
    moved = (Edit(Span(at, at + by), "") for at in lines if by and text[at : at + by] == " " * by)
    return Edit(Span(dash, inner_dash), ""), *moved
