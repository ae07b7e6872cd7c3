"""Fixes for lists written as something else: a mapping by name, one text, or items with characters that only look like dashes."""

import re
from collections.abc import Iterator

from rubric_core.language.shape_kinds import Shorthand
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.edit import column_of, newline_of, plain_or_quoted, replace_value
from rubric_core.syntax.foreign_sign_repairs import DASH_SIGNS
from rubric_core.syntax.parse import parse
from rubric_core.syntax.tree import Mapping, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Fix

__all__ = [
    "block_of_items",
    "foreign_dashes",
    "glued_dashes",
    "items_from_mapping",
    "lift_item",
    "of_one_text",
    "quoted_list",
]

#: A line that begins an item: a dash, a dash alone on a line, or a character that looks like a dash.
_ITEM = pattern(rf"(?:^|(?<=[\r\n]))[ \t]*(?P<sign>- +|-(?=[^\s-])|{DASH_SIGNS})(?=\S)")
_SPLIT = pattern(r"\r\n?|\n")
#: Other kinds of brackets, or only one bracket of a pair.
_ROUND = pattern(r"\s*(?:[\[(]|(?!\s))(?P<inner>[^\[\](){}]*[^\[\](){},\s])[\])]?\s*\Z")


def items_from_mapping(node: Mapping, naming: str, short: Shorthand | None, context: Context) -> Iterator[Fix]:
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


def quoted_list(node: Scalar) -> Sequence | None:
    """The list that was put in quotes: `"[refund, return]"`."""
    text = node.text.strip()
    if not (text.startswith("[") and text.endswith("]")):
        return None
    tree = parse(text)
    return tree.root if isinstance(tree.root, Sequence) and tree.root.items and not tree.problems else None


def of_one_text(node: Scalar, context: Context) -> Iterator[Fix]:
    """One text as a list: unquoted, split at its commas, or as the only item."""
    if quoted_list(node) is not None:
        yield Fix("remove the quotes around the list", (replace_value(node, node.text.strip()),))
        return
    inner = _ROUND.match(node.text)
    bare = inner is not None and inner["inner"].strip() != node.text.strip()
    words = [word.strip() for word in (inner["inner"] if inner is not None else node.text).split(",")]
    if (len(words) > 1 or bare) and all(words):
        written = f"[{', '.join(map(plain_or_quoted, words))}]"
        yield Fix(
            f"write {written}" if bare else f"make it a list of {len(words)}",
            (replace_value(node, written),),
            safe=False,
        )
        if bare:
            return
    only = context.written(node.span) if node.is_quoted else plain_or_quoted(node.text)
    yield Fix("make it a list", (replace_value(node, f"[{only}]"),), safe=len(words) == 1)


def block_of_items(node: Scalar, text: str) -> Edit | None:
    """Remove a block scalar indicator before lines that are list items; None if they are not."""
    lines = [line for line in _SPLIT.split(node.text) if line.strip()]
    margin = min((len(line) - len(line.lstrip(" ")) for line in lines), default=0)
    tops = [line for line in lines if not line[margin:].startswith(" ")]
    header = _SPLIT.split(text[slice(*node.span)], maxsplit=1)[0]
    behind = text.rfind(":", 0, node.span.start) + 1
    if (
        "#" in header
        or text[behind : node.span.start].strip()
        or not all(line[margin:].startswith("- ") for line in tops)
    ):
        return None
    return Edit(Span(behind, node.span.start + len(header)), "") if tops else None


def glued_dashes(node: Scalar, text: str) -> Iterator[Edit]:
    """Write `- ` for the first character of each line of a plain text, if every line begins an item."""
    lines = [line for line in _SPLIT.split(text[slice(*node.span)]) if line.strip()]
    if node.style != "plain" or not all(_ITEM.match(line) for line in lines):
        return
    start = node.span.start
    for found in _ITEM.finditer(text[slice(*node.span)]):
        if found["sign"].strip() != "-" or found["sign"] == "-":
            yield Edit(Span(start + found.start("sign"), start + found.end("sign")), "- ")


def foreign_dashes(node: Mapping) -> Iterator[Edit]:
    """Write `- ` in a mapping whose keys all begin with a character that looks like a dash: `– tool: search`."""
    signs = [_ITEM.match(entry.name or "") for entry in node.entries]
    if node.flow or not all(signs) or any(entry.name is None for entry in node.entries):
        return
    for entry, sign in zip(node.entries, signs, strict=True):
        at = entry.key.span.start
        if sign is not None and isinstance(entry.key, Scalar) and entry.key.style == "plain":
            yield Edit(Span(at + sign.start("sign"), at + sign.end("sign")), "- ")


def lift_item(item: Mapping, text: str) -> tuple[Edit, ...]:
    """Move the items of a nested list that is the only entry of its item to the outer list; nothing if that is unsafe."""
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
