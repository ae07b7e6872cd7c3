"""Minimal edits of YAML text: one key, one value, one line. Comments, quotes, order and blank lines stay."""

import json
from collections.abc import Iterable, Iterator

from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.lines import content_of, has_content
from rubric_core.syntax.tree import Entry, Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit, Span

__all__ = [
    "add_entry",
    "as_mapping",
    "column_of",
    "deeper",
    "item_dash",
    "line_end",
    "newline_of",
    "plain_or_quoted",
    "quoted",
    "remove_entry",
    "remove_item",
    "rename_key",
    "replace_value",
    "wrap_in_list",
]

_PLAIN = pattern(r"(?:\.{0,2}/)?[A-Za-z_$](?:[\w$ ./()'+!?-]|(?<=\S):(?=\S))*\Z")
_COMMENT = pattern(r"(?<=[ \t])#")
_DASH = pattern(r"-[ \t]+\Z")
_BREAK = pattern(r"\r\n?|\n")
_RESERVED = pattern(r"(?i)(?:null|true|false|~)\Z")


def newline_of(text: str) -> str:
    """The line break that the text uses."""
    at = text.find("\n")
    return "\r\n" if at > 0 and text[at - 1] == "\r" else "\n"


def column_of(text: str, offset: int) -> int:
    """The number of characters before `offset` in its line."""
    return offset - max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) - 1


def quoted(value: str) -> str:
    """`value` in double quotes."""
    return json.dumps(value, ensure_ascii=False)


def plain_or_quoted(value: str) -> str:
    """`value` as a plain scalar if it certainly reads as the same string, else in quotes."""
    plain = _PLAIN.match(value) and not _RESERVED.match(value) and not value.endswith(" ")
    return value if plain else quoted(value)


def rename_key(entry: Entry, name: str) -> Edit:
    """Replace a key and keep the quotes around it."""
    start, end = entry.key.span
    if isinstance(entry.key, Scalar) and entry.key.is_quoted:
        start, end = start + 1, end - 1
    return Edit(Span(start, end), name)


def replace_value(node: Node, written: str) -> Edit:
    """Replace a value."""
    return Edit(node.span, written)


def add_entry(text: str, mapping: Mapping, name: str, value: str) -> Edit | None:
    """Insert `name: value` after the first entry of `mapping`; None if there is no safe place."""
    if not mapping.entries:
        inside = mapping.span.start + 1
        return Edit(Span(inside, inside), f"{name}: {value}") if mapping.flow else None
    first = mapping.entries[0]
    if mapping.flow:
        at = first.span.end
        return Edit(Span(at, at), f", {name}: {value}")
    if _explicit(text, first):
        return None
    column = column_of(text, first.key.whole.start)
    at = line_end(text, first.span.end)
    if isinstance(first.value, Scalar) and first.value.is_block:
        at = line_end(text, first.value.span.end)
    return Edit(Span(at, at), f"{newline_of(text)}{' ' * column}{name}: {value}")


def remove_entry(text: str, mapping: Mapping, entry: Entry) -> Edit | None:
    """Take an entry out, with its line or its comma; None for the only entry of a block, which would leave nothing."""
    number = mapping.position(entry)
    if number is None:
        return None
    if mapping.flow:
        if number + 1 < len(mapping.entries):
            return Edit(Span(entry.span.start, mapping.entries[number + 1].span.start), "")
        start = mapping.entries[number - 1].span.end if number else entry.span.start
        return Edit(Span(start, entry.span.end), "")
    if len(mapping.entries) == 1:
        return None
    start, end = entry.span.start - column_of(text, entry.span.start), line_end(text, entry.span.end)
    comment = _COMMENT.search(text, entry.span.end, end)
    if text[start : entry.span.start].strip():
        if number or _explicit(text, entry):
            return None
        # The first key shares its line with a dash: pull the next entry up to its place, unless comments stand between.
        following = mapping.entries[1].key.whole.start
        return Edit(Span(entry.span.start, entry.span.end if "#" in text[end:following] or comment else following), "")
    if comment is not None:
        return Edit(Span(entry.span.start, comment.start()), "")
    return Edit(Span(start, _behind_break(text, end)), "")


def remove_item(text: str, sequence: Sequence, item: Node) -> Edit | None:
    """Take an item out of a list, with its lines or its comma; None for the only one, which would leave nothing."""
    number = sequence.position(item)
    if number is None or len(sequence.items) == 1:
        return None
    if sequence.flow:
        if number + 1 < len(sequence.items):
            return Edit(Span(item.whole.start, sequence.items[number + 1].whole.start), "")
        return Edit(Span(sequence.items[number - 1].whole.end, item.whole.end), "")
    dash = text.rfind("-", 0, item.whole.start)
    start, end = dash - column_of(text, dash), line_end(text, max(dash + 1, item.whole.end))
    if text[start:dash].strip() or _COMMENT.search(text, start, end):
        return None
    return Edit(Span(start, _behind_break(text, end)), "")


def as_mapping(
    text: str, item: Scalar, name: str, before: Iterable[str] = (), behind: Iterable[str] = ()
) -> tuple[Edit, ...]:
    """Turn a text in a list into a mapping with the text under `name` and other entries before and after it."""
    begin, end = item.whole
    if item_dash(text, item) is None:
        lead = "".join(f"{entry}, " for entry in before)
        rest = "".join(f", {entry}" for entry in behind)
        return Edit(Span(begin, begin), f"{{{lead}{name}: "), Edit(Span(end, end), f"{rest}}}")
    if item.is_block:  # it has lines of its own, after which an insertion would go unnoticed
        before, behind = (*before, *behind), ()
    margin = newline_of(text) + " " * column_of(text, begin)
    lead, at = "".join(entry + margin for entry in before), line_end(text, end)
    rest = "".join(margin + entry for entry in behind)
    edits = [Edit(Span(begin, begin), f"{lead}{name}: "), *deeper(text, item.whole)]
    return tuple([*edits, Edit(Span(at, at), rest)] if rest else edits)


def wrap_in_list(text: str, mapping: Mapping) -> tuple[Edit, ...]:
    """Make a mapping the only item of a list.

    Brackets are put around it, or a dash before it; if there is no room for the dash, everything below is indented.
    """
    start, end = mapping.span
    if mapping.flow:
        return Edit(Span(start, start), "["), Edit(Span(end, end), "]")
    first = mapping.entries[0].key.whole.start
    column = column_of(text, first)
    if text[first - column : first].isspace() and _column_above(text, first - column) + 2 < column:
        return (Edit(Span(first - 2, first), "- "),)
    edits = [Edit(Span(first, first), "- ")]
    at = _behind_break(text, line_end(text, first))
    while at < mapping.entries[-1].span.end:
        following = line_end(text, at)
        if text[at:following].strip():
            edits.append(Edit(Span(at, at), "  "))
        at = _behind_break(text, following)
    return tuple(edits)


def line_end(text: str, offset: int) -> int:
    """The end of the line that holds `offset`, without its line break."""
    found = _BREAK.search(text, offset)
    return found.start() if found else len(text)


def item_dash(text: str, node: Node) -> int | None:
    """The offset of the dash of a block item; None for an item of a flow sequence or after an anchor."""
    start = node.whole.start - column_of(text, node.whole.start)
    found = _DASH.search(text, start, node.whole.start)
    return found.start() if found else None


def deeper(text: str, span: Span, by: int = 2) -> Iterator[Edit]:
    """Indent every line of a value but the first more deeply."""
    for found in _BREAK.finditer(text, span.start, span.end):
        at = found.end()
        if at < span.end and text[at : line_end(text, at)].strip():
            yield Edit(Span(at, at), " " * by)


def _column_above(text: str, start: int) -> int:
    """The column of the key on the last line with content above `start`."""
    for line in reversed(text[:start].splitlines()):
        if has_content(line):
            return content_of(line)
    return 0


def _explicit(text: str, entry: Entry) -> bool:
    """Whether the entry is written with an explicit key (`? key`)."""
    at = entry.key.whole.start
    while text.startswith(" ", at - 1) and at > 0:
        at -= 1
    return at > 0 and text[at - 1] == "?"


def _behind_break(text: str, offset: int) -> int:
    if text[offset : offset + 2] == "\r\n":
        return offset + 2
    return min(len(text), offset + 1)
