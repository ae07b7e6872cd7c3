"""Characters and assertions of a JavaScript pattern in the syntax of Python's engines."""

import re

from rubric_core.js_regex.character_reader import LINE_ENDS
from rubric_core.js_regex.nodes import Edge
from rubric_core.js_regex.ranges import ALL, Ranges

__all__ = ["edge_of", "set_of"]


def edge_of(node: Edge) -> str:
    """A place between characters."""
    if node.kind in "^$" and not node.multiline:
        return "\\A" if node.kind == "^" else "\\Z"
    if node.kind in "^$":
        ends = set_of(LINE_ENDS)
        return f"(?:\\A|(?<={ends}))" if node.kind == "^" else f"(?:\\Z|(?={ends}))"
    word = set_of(node.word)
    if node.kind == "b":
        return f"(?:(?<={word})(?!{word})|(?<!{word})(?={word}))"
    return f"(?:(?<={word})(?={word})|(?<!{word})(?!{word}))"


def set_of(ranges: Ranges) -> str:
    """One character of a set."""
    if not ranges:
        return "(?!)"
    if ranges == ALL:
        return "[\\s\\S]"
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return re.escape(chr(ranges[0][0]))
    return f"[{''.join(_code(low) if low == high else f'{_code(low)}-{_code(high)}' for low, high in ranges)}]"


def _code(code: int) -> str:
    return (
        f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
    )  # two, four, eight digits
