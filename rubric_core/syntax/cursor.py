"""The place of a cursor, from the lines around it alone: works in text that is not valid YAML yet.

The path from the root follows from indentation and dashes in block style, and from brackets in flow style, so that a
key has a place before its colon is typed.
"""

import re
from dataclasses import dataclass, field
from typing import Literal

from rubric_core.syntax.ancestors import ITEM, LINE, Step, key_above, line_end, line_start, siblings, way
from rubric_core.syntax.flow import Flow, open_flow
from rubric_core.text import Span

__all__ = ["ITEM", "Cursor", "Role", "Step", "cursor_at"]

Role = Literal["key", "value", "item"]


@dataclass(frozen=True, slots=True)
class Cursor:
    """The text being typed, and its place in the document."""

    #: From the root to the mapping, list or value that the cursor is in.
    path: tuple[Step, ...]
    #: A key of a mapping, a value after a colon, or the start of a list item.
    role: Role
    #: The part of the token before the cursor.
    typed: str
    #: The whole token around the cursor.
    span: Span
    #: The keys of the mapping that the cursor is in, with their values as written on one line.
    siblings: dict[str, str] = field(default_factory=dict)
    #: The column at which keys of that mapping start.
    column: int = 0
    #: The column of the first character of the line that is no white space.
    margin: int = 0
    flow: bool = False
    #: The open quote before the cursor, if any.
    quote: str = ""
    #: Whether nothing but white space follows on the line.
    ends_line: bool = True
    #: Whether a colon follows the token already.
    has_colon: bool = False
    #: The preceding key in the same mapping.
    before: str = ""


def cursor_at(text: str, offset: int) -> Cursor:
    """The cursor at `offset`; never raises."""
    first = open_flow(text, offset)
    flow = Flow(text, first, offset) if first is not None else None
    if first is None or flow is None or not flow.levels:  # all brackets are closed: not flow style
        return _in_block(text, offset)
    return _in_flow(text, offset, flow, _in_block(text, first))


def _token(text: str, offset: int, stops: str) -> tuple[Span, str]:
    """The run of characters around `offset` up to one of `stops`, and the quote before it."""
    start = offset
    while start > 0 and not _stops(text, start - 1, stops):
        start -= 1
    end = offset
    while end < len(text) and not _stops(text, end, stops):
        end += 1
    quote = text[start - 1] if start > 0 and text[start - 1] in "\"'" else ""
    return Span(start, end), quote


def _stops(text: str, at: int, stops: str) -> bool:
    """Whether a token ends at that character; a colon ends none when more of a word follows, as in an address."""
    return text[at] in stops and not (text[at] == ":" and text[at + 1 : at + 2] not in ("", " ", "\t", "\r", "\n"))


def _in_block(text: str, offset: int) -> Cursor:
    start, end = line_start(text, offset), line_end(text, offset)
    before = text[start:offset]
    indent = len(before) - len(before.lstrip(" \t"))
    dashes = re.match(r"[ \t]*((?:-(?:[ \t]+|$))*)", before)
    lead = len(dashes[0]) if dashes else indent
    count = dashes[1].count("-") if dashes else 0
    found = LINE.match(before)
    if found is not None and found["key"] is not None:
        return _block_value(text, offset, found, count)
    span, quote = _token(text, offset, " \t\r\n:#\"'" if before[lead:].find(" ") < 0 else "\r\n:#\"'")
    if span.start < start + lead:
        span = Span(start + lead, max(span.end, start + lead))
    typed = text[span.start : offset]
    rest = text[span.end : end]
    return Cursor(
        way(text, start, lead, count, indent),
        "item" if count and not typed and not rest.lstrip().startswith(":") else "key",
        typed,
        span,
        siblings(text, start, lead, count),
        lead,
        indent,
        quote=quote,
        ends_line=not rest.strip() or rest.lstrip().startswith("#"),
        has_colon=rest.lstrip(" \"'").startswith(":"),
        before=key_above(text, start, lead, count),
    )


def _block_value(text: str, offset: int, found: re.Match[str], count: int) -> Cursor:
    """The cursor after the colon of the key matched by `found`, which follows `count` dashes."""
    start, value = line_start(text, offset), found["value"]
    indent, lead = found.end("indent"), found.end("dashes")
    first = start + found.start("value") + len(value) - len(value.lstrip())
    quote = ""
    if first < offset and text[first] in "\"'":
        quote = text[first]
        first += 1
    end = _word_end(text, offset, r"[^\s\"',#\]}]*")
    return Cursor(
        (*way(text, start, lead, count, indent), found["key"].strip("\"'")),
        "value",
        text[first:offset],
        Span(first, end),
        siblings(text, start, lead, count),
        lead,
        indent,
        quote=quote,
        ends_line=not text[end : line_end(text, offset)].strip("\"' \t"),
    )


def _in_flow(text: str, offset: int, flow: Flow, outer: Cursor) -> Cursor:
    """The cursor inside brackets; `outer` is the offset of the outermost one."""
    path = list(outer.path)
    for level in flow.levels:
        if level.bracket == "[":
            path.append(ITEM)
        elif level.key is not None:
            path.append(level.key)
    here = flow.levels[-1]
    token = text[flow.token_start : offset]
    begin = flow.token_start + len(token) - len(token.lstrip())
    end = _word_end(text, offset, r"[^\s\"',:#\]}]*")
    return Cursor(
        tuple(path),
        "item" if here.bracket == "[" else "value" if here.key is not None else "key",
        text[begin:offset],
        Span(begin, end),
        _keys_behind(text, end) | here.keys,
        outer.column,
        outer.margin,
        flow=True,
        quote=flow.quote,
        has_colon=text[end : end + 3].lstrip(" \"'").startswith(":"),
        before=next(reversed(here.keys), ""),
    )


def _keys_behind(text: str, at: int) -> dict[str, str]:
    """The keys after the cursor on the same line and inside the same brackets."""
    rest = text[at : line_end(text, at)]
    inside = re.split(r"[\]}]", rest, maxsplit=1)[0]
    return dict.fromkeys(re.findall(r"[,]\s*[\"']?([\w$.-]+)[\"']?\s*:", inside), "")


def _word_end(text: str, offset: int, pattern: str) -> int:
    """The end of the run of such characters that contains `offset`."""
    found = re.compile(pattern).match(text, offset)
    return found.end() if found else offset
