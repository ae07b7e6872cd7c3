"""Lines of a block collection lifted out, put elsewhere, or nested one level deeper, with their comments.

A piece is text without its own indentation: whole lines, each ended by a line break.
"""

import re

from rubric_core.syntax.edit import column_of
from rubric_core.syntax.tree import Scalar, SyntaxTree, walk
from rubric_core.text import Span

__all__ = ["comments_of", "dedent", "extent", "indent", "line_end", "line_start", "lines_of"]

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")
_COMMENT = re.compile(r"#[^\r\n]*")


def line_start(text: str, offset: int) -> int:
    """The start of the line of `offset`."""
    return offset - column_of(text, offset)


def line_end(text: str, offset: int) -> int:
    """The offset after the line break of the line that holds `offset`."""
    found = _LINE.match(text, offset)
    return found.end() if found else len(text)


def lines_of(piece: str) -> list[str]:
    """The lines of the text, each with its line break."""
    return [line for line in _LINE.findall(piece) if line]


def extent(text: str, start: int, end: int) -> Span:
    """The whole lines from `start` to `end`, with the comments right above and those indented below.

    If the first line is shared with a dash, they begin at `start` itself.
    """
    column = column_of(text, start)
    begin = line_start(text, start)
    if text[begin:start].strip():
        begin = start
    else:
        while begin and _is_comment(text, _line_before(text, begin), column):
            begin = _line_before(text, begin)
    stop = ahead = line_end(text, end)
    while ahead < len(text):
        line = _LINE.match(text, ahead)
        words = line[0].lstrip() if line else ""
        deeper = line is not None and len(line[0]) - len(words) > column
        if words and not (words.startswith("#") and deeper):
            break
        ahead = line_end(text, ahead)
        stop = ahead if words else stop
    return Span(begin, stop)


def _line_before(text: str, start: int) -> int:
    """The start of the line before the one at `start`."""
    return line_start(text, start - (2 if text[start - 2 : start] == "\r\n" else 1))


def _is_comment(text: str, start: int, column: int) -> bool:
    line = _LINE.match(text, start)
    words = line[0].lstrip(" ") if line else ""
    return line is not None and words.startswith("#") and len(line[0]) - len(words) == column


def dedent(piece: str, column: int, *, behind_dash: bool = False) -> str:
    """The lines without their first `column` blanks; a first line that followed a dash has none to remove."""
    lines = lines_of(piece)
    made = [line if behind_dash and not n else _without(line, column) for n, line in enumerate(lines)]
    return "".join(made)


def _without(line: str, column: int) -> str:
    blanks = len(line) - len(line.lstrip(" "))
    return line[min(blanks, column) :]


def indent(piece: str, column: int) -> str:
    """The lines indented by `column` more blanks; empty lines stay empty, and blanks of a scalar count."""
    return "".join(" " * column + line if line.strip("\r\n") else line for line in lines_of(piece))


def comments_of(text: str, tree: SyntaxTree) -> list[Span]:
    """Every comment of a text, in order."""
    scalars = sorted(
        node.span for node in walk(tree.root) if isinstance(node, Scalar) and node.span.start < node.span.end
    )
    found: list[Span] = []
    at = number = 0
    while (match := _COMMENT.search(text, at)) is not None:
        while number < len(scalars) and scalars[number].end <= match.start():
            number += 1
        inside = number < len(scalars) and scalars[number].start <= match.start()
        if inside:
            at = _behind_header(text, scalars[number], match.start(), found)
            continue
        if match.start() == 0 or text[match.start() - 1] in " \t\r\n":
            found.append(Span(match.start(), match.end()))
            at = match.end()
        else:
            at = match.start() + 1
    return found


def _behind_header(text: str, scalar: Span, hash_at: int, found: list[Span]) -> int:
    """Skip past a scalar; the header of a block scalar may contain a comment."""
    head_end = line_end(text, scalar.start)
    if text[scalar.start] in "|>" and hash_at < head_end:
        end = len(text[:head_end].rstrip("\r\n"))
        found.append(Span(hash_at, end))
    return scalar.end
