"""Lines of YAML without a parser: indentation, dashes, comments."""

import re
from collections.abc import Sequence

from rubric_core.lazy_compilation import pattern

__all__ = [
    "BLANK",
    "BREAK",
    "CONFLICT_MARK",
    "DASHES",
    "FOREIGN_BLANKS",
    "KEY",
    "before",
    "body_end",
    "break_of",
    "columns",
    "content_of",
    "has_content",
    "indent_of",
]  # fmt: skip

#: A line break, which matches in one way only: where it may be repeated, a second way to read each of 30 empty lines (as two
#: breaks of one character) makes a pattern that fails take for ever.
BREAK = r"(?:\r\n|\r(?!\n)|\n)"
#: A line that is blank or a comment.
BLANK = rf"[ \t]*(?:#[^\r\n]*)?{BREAK}"

#: Space characters of web pages and word processors, which YAML does not treat as blanks.
FOREIGN_BLANKS = "\u00a0\u2007\u202f\u3000"

#: The indentation and the dashes of a line.
DASHES = r"[ \t]*(?:- +)*"
#: A key, in quotes or not.
KEY = r"(?:\"[^\"]*\"|'[^']*'|[A-Za-z_$][\w$.-]*)"
#: A mark that git leaves at the beginning of a line around and between both sides of a conflict.
CONFLICT_MARK = r"(?:<{7}[ \t]|={7}[ \t]*(?=[\r\n]|\Z)|>{7}[ \t])"
_COMMENT = pattern(r"(?:^|[ \t])#")
#: How many lines above a line are considered when choosing its column.
_ABOVE = 40


def before(lines: Sequence[str], line: int) -> int | None:
    """The closest line above that is neither blank nor a comment."""
    above = reversed(range(max(0, line - _ABOVE), line))
    return next((i for i in above if has_content(lines[i])), None)


def has_content(line: str) -> bool:
    """Whether the line is neither blank nor a comment."""
    return bool(line.strip()) and not line.lstrip().startswith("#")


def indent_of(line: str) -> int:
    """The number of leading blanks and tabs."""
    return len(line) - len(line.lstrip(" \t"))


def content_of(line: str) -> int:
    """The column after the dashes of a line."""
    dashes = re.match(DASHES, line)
    return dashes.end() if dashes else 0


def break_of(line: str) -> str:
    """The line break at the end."""
    return line[len(line.rstrip("\r\n")) :]


def body_end(line: str, start: int = 0) -> int:
    """The end of the line without its comment."""
    comment = _COMMENT.search(line, start)
    return len(line[: comment.start() if comment else len(line)].rstrip())


def columns(lines: Sequence[str], line: int) -> list[int]:
    """Columns at which the line could start to fit the lines above it, the likeliest first."""
    found: list[int] = []
    above = before(lines, line)
    lowest = len(lines[line])
    margin = " " * lowest
    for i in range(line - 1, -1, -1):
        # Farther up, only the parents of the nearby lines matter.
        near = line - i <= _ABOVE
        if not near and lines[i].startswith(margin):
            continue  # a long list is gone through for every repair that is tried
        indent = indent_of(lines[i])
        if not near and indent >= lowest:
            continue  # after tabs
        if not has_content(lines[i]) or "\t" in lines[i][:indent]:
            continue
        content = content_of(lines[i])
        if i == above:
            found.append(content + 2 if lines[i].rstrip().endswith((":", "|", ">")) else content)
            found.append(content if found[0] != content else content + 2)
        if near or indent < lowest:
            found += (c for c in (content, indent) if c not in found)
        if indent < lowest:
            lowest, margin = indent, " " * indent
        if indent == 0:
            break
    return found
