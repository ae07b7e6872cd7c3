"""Where a cursor is, from the lines around it alone: works in text that is no YAML yet.

The way from the root is read off indentation and dashes in block style, and off brackets in flow style, so that a key
that is being typed has a place before it has a colon.
"""

import re
from dataclasses import dataclass, field
from typing import Literal

from rubric_core.text import Span

__all__ = ["ITEM", "Cursor", "Step", "cursor_at"]

#: A step into a list; every other step is the name of a key.
ITEM = "[]"
Step = str

_LINE = re.compile(
    r"(?P<indent>[ \t]*)(?P<dashes>(?:-[ \t]+)*)(?:(?P<key>\"[^\"]*\"|'[^']*'|[^\s#:\-\[\]{},\"'&*!|>%@`][^#:{}\[\],]*?)[ \t]*:(?P<value>(?:[ \t].*)?)$)?"
)
_FARTHEST = 4_000


@dataclass(frozen=True, slots=True)
class Cursor:
    """What is being typed, and where in the document that is."""

    #: From the root to the mapping, list or value that the cursor is in.
    path: tuple[Step, ...]
    #: A key of a mapping, a value behind a colon, or the start of a list item.
    role: Literal["key", "value", "item"]
    #: What is typed already, up to the cursor.
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
    #: The quote that is open in front of the cursor, if any.
    quote: str = ""
    #: Whether nothing but white space follows on the line.
    ends_line: bool = True
    #: Whether a colon follows the token already.
    has_colon: bool = False


def cursor_at(text: str, offset: int) -> Cursor:
    """The cursor at `offset`; never raises."""
    start = _line_start(text, offset)
    end = _line_end(text, offset)
    flow = _open_flow(text, offset)
    if flow is not None:
        return _in_flow(text, offset, flow)
    return _in_block(text, offset, start, end)


def _line_start(text: str, offset: int) -> int:
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def _line_end(text: str, offset: int) -> int:
    found = re.compile(r"[\r\n]").search(text, offset)
    return found.start() if found else len(text)


def _token(text: str, offset: int, stops: str) -> tuple[Span, str]:
    """The run of characters around `offset` up to one of `stops`, and the quote in front of it."""
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


def _in_block(text: str, offset: int, start: int, end: int) -> Cursor:
    before = text[start:offset]
    behind = text[offset:end]
    found = _LINE.match(before)
    indent = len(before) - len(before.lstrip(" \t"))
    dashes = re.match(r"[ \t]*((?:-(?:[ \t]+|$))*)", before)
    lead = len(dashes[0]) if dashes else indent
    count = dashes[1].count("-") if dashes else 0
    if found is not None and found["key"] is not None:
        return _block_value(text, offset, start, found, behind, count)
    span, quote = _token(text, offset, " \t\r\n:#\"'" if before[lead:].find(" ") < 0 else "\r\n:#\"'")
    if span.start < start + lead:
        span = Span(start + lead, max(span.end, start + lead))
    typed = text[span.start : offset]
    path, siblings = _above(text, start, lead, count, indent)
    rest = text[span.end : end]
    role: Literal["key", "value", "item"] = (
        "item" if count and not typed and not rest.lstrip().startswith(":") else "key"
    )
    return Cursor(
        path,
        role,
        typed,
        span,
        siblings,
        lead,
        indent,
        False,
        quote,
        not rest.strip() or rest.lstrip().startswith("#"),
        rest.lstrip(" \"'").startswith(":"),
    )


def _block_value(text: str, offset: int, start: int, found: "re.Match[str]", behind: str, count: int) -> Cursor:
    key = found["key"].strip("\"'")
    value = found["value"]
    lead = len(found["indent"]) + len(found["dashes"])
    first = start + found.start("value") + len(value) - len(value.lstrip())
    quote = ""
    if first < offset and text[first] in "\"'":
        quote = text[first]
        first += 1
    end = offset + len(re.match(r"[^\s\"',#\]}]*", behind)[0])  # type: ignore[index]  # the pattern matches everywhere
    path, siblings = _above(text, start, lead, count, len(found["indent"]))
    rest = text[end : _line_end(text, offset)]
    return Cursor(
        (*path, key),
        "value",
        text[first:offset],
        Span(first, end),
        siblings,
        lead,
        len(found["indent"]),
        False,
        quote,
        not rest.strip("\"' \t"),
    )


def _above(text: str, start: int, column: int, dashes: int, indent: int) -> tuple[tuple[Step, ...], dict[str, str]]:
    """The way to a line that starts at `start` with keys at `column`, and the keys beside it."""
    siblings: dict[str, str] = {}
    steps: list[Step] = [ITEM] * dashes
    limit = column if not dashes else indent
    if not dashes:
        _sideways(text, start, column, siblings, up=True)
    _sideways(text, start, column, siblings, up=False)
    at = start
    walked = 0
    open_column = limit
    listed = bool(dashes)
    while at > 0 and walked < _FARTHEST:
        end = at - 1
        if end > 0 and text[end] == "\n" and text[end - 1] == "\r":
            end -= 1
        at = _line_start(text, end)
        walked += 1
        line = text[at:end]
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        found = _LINE.match(line)
        if found is None:
            continue
        own = len(found["indent"])
        keyed = own + len(found["dashes"])
        if own > open_column or (own == open_column and not found["dashes"] and not listed):
            continue
        if own == open_column and listed and found["dashes"]:
            continue
        # The key of this line opens what the cursor is in, when it stands further left and has no value of its own.
        if found["key"] is not None and (
            keyed < open_column or (listed and keyed == open_column and not found["dashes"])
        ):
            if _opens(found["value"]):
                steps.append(found["key"].strip("\"'"))
                listed = False
                open_column = keyed
            elif keyed == open_column:
                continue
        if found["dashes"] and own < open_column:
            steps += [ITEM] * found["dashes"].count("-")
            open_column = own
            listed = True
        elif found["key"] is not None and keyed <= open_column and not found["dashes"]:
            open_column = min(open_column, keyed)
        if open_column == 0 and not listed:
            break
    return tuple(reversed(steps)), siblings


def _opens(value: str) -> bool:
    """Whether a key with this behind its colon has its value on the lines below."""
    return re.fullmatch(r"[ \t]*(?:[&!][^\s]+[ \t]*)*(?:#.*)?", value or "") is not None


def _sideways(text: str, start: int, column: int, siblings: dict[str, str], *, up: bool) -> None:
    """Collect the keys at `column` above or below, as long as nothing stands further left."""
    at = start
    for _ in range(_FARTHEST):
        if up:
            if at <= 0:
                return
            end = at - 1
            if end > 0 and text[end] == "\n" and text[end - 1] == "\r":
                end -= 1
            at = _line_start(text, end)
        else:
            end = _line_end(text, at)
            at = end + (2 if text[end : end + 2] == "\r\n" else 1)
            if at >= len(text):
                return
            end = _line_end(text, at)
        line = text[at:end]
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        found = _LINE.match(line)
        if found is None:
            continue
        own, keyed = len(found["indent"]), len(found["indent"]) + len(found["dashes"])
        if not up and (own < column):
            return
        if found["key"] is not None and keyed == column:
            siblings.setdefault(found["key"].strip("\"'"), found["value"].strip())
        if up and (own < column):
            return


# Flow style


def _open_flow(text: str, offset: int) -> int | None:
    """The offset of the outermost bracket that is open at `offset`, looking back a few lines at most."""
    start = offset
    for _ in range(30):
        if start == 0:
            break
        start = _line_start(text, start - 1)
        line = text[start : _line_end(text, start)]
        if re.match(r"[ \t]*(?:- +)*[\w$\"'-]+[ \t]*:", line) or re.match(r"[ \t]*-[ \t]", line):
            break
    stack: list[int] = []
    quote = ""
    for i in range(start, offset):
        char = text[i]
        if quote:
            if char == quote:
                quote = ""
        elif char in "\"'" and (i == start or text[i - 1] in " [{,:\t"):
            quote = char
        elif char == "#" and i > start and text[i - 1] in " \t\n":
            return stack[0] if stack else None
        elif char in "[{" and (stack or _value_starts(text, start, i)):
            stack.append(i)
        elif char in "]}" and stack:
            stack.pop()
    return stack[0] if stack else None


def _value_starts(text: str, line: int, at: int) -> bool:
    """Whether a bracket at `at` begins a value, rather than standing inside a plain one."""
    before = text[_line_start(text, at) : at]
    return (
        re.fullmatch(r"[ \t]*(?:- +)*(?:[\w$\"'.-]+[ \t]*:[ \t]+(?:[&!]\S+[ \t]+)*)?", before) is not None or line == at
    )


class _Level:
    """One open bracket while flow text is read."""

    def __init__(self, bracket: str) -> None:
        self.bracket = bracket
        self.keys: dict[str, str] = {}
        self.key: str | None = None
        self.token = ""


def _in_flow(text: str, offset: int, first: int) -> Cursor:
    start = _line_start(text, first)
    outer = _in_block(text, first, start, _line_end(text, first))
    path = list(outer.path)
    levels: list[_Level] = []
    quote, token_start = "", first
    for i in range(first, offset):
        char = text[i]
        level = levels[-1] if levels else None
        if quote:
            quote = "" if char == quote else quote
        elif level is not None and char in "\"'" and not level.token.strip():
            quote, token_start = char, i + 1
        elif char in "[{":
            levels.append(_Level(char))
            token_start = i + 1
        elif char in "]}" and levels:
            levels.pop()
            token_start = i + 1
            continue
        elif (
            level is not None
            and char == ":"
            and level.bracket == "{"
            and level.key is None
            and text[i + 1 : i + 2] in (" ", "", "\n", "\r", "\t")
        ):
            level.key = level.token.strip().strip("\"'")
            level.token = ""
            token_start = i + 1
            continue
        elif level is not None and char == ",":
            if level.key is not None:
                level.keys[level.key] = level.token.strip().strip("\"'")
            level.key, level.token = None, ""
            token_start = i + 1
            continue
        if level is not None and levels and levels[-1] is level:
            level.token += char
    if not levels:
        # Every bracket is closed again: what looked like flow style is text.
        return _in_block(text, offset, _line_start(text, offset), _line_end(text, offset))
    for level in levels:
        if level.bracket == "[":
            path.append(ITEM)
        elif level.key is not None:
            path.append(level.key)
    return _flow_cursor(text, offset, levels, path, token_start, quote, outer)


def _flow_cursor(
    text: str, offset: int, levels: list[_Level], path: list[Step], token_start: int, quote: str, outer: Cursor
) -> Cursor:
    here = levels[-1]
    begin = token_start + len(text[token_start:offset]) - len(text[token_start:offset].lstrip())
    end = offset + len(re.match(r"[^\s\"',:#\]}]*", text[offset:])[0])  # type: ignore[index]  # the pattern matches everywhere
    role: Literal["key", "value", "item"] = (
        "item" if here.bracket == "[" else "value" if here.key is not None else "key"
    )
    siblings = dict(here.keys)
    behind = re.match(r"[^\]}\r\n]*", text[end:])
    for found in re.finditer(r"[,]\s*[\"']?([\w$.-]+)[\"']?\s*:", behind[0] if behind else ""):
        siblings.setdefault(found[1], "")
    rest = text[end : end + 3].lstrip(" \"'")
    return Cursor(
        tuple(path),
        role,
        text[begin:offset],
        Span(begin, end),
        siblings,
        outer.column,
        outer.margin,
        True,
        quote,
        True,
        rest.startswith(":"),
    )
