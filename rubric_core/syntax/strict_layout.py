"""Layout that libyaml accepts but the engine's parser refuses: lines of a value too far left, comments without a blank before them."""

import re
from collections.abc import Iterator

from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Mapping, Node, Sequence, SyntaxFix, SyntaxProblem
from rubric_core.text import Edit, Span

__all__ = ["misplaced_lines"]

_LINE = pattern(r"(?:\r\n?|\n)( *)([^\r\n]*)")


def misplaced_lines(
    text: str, value: Span, parent: Node | None, key: Node | None, *, flow: bool
) -> Iterator[SyntaxProblem]:
    """What is wrong with the layout of `value`: text in quotes, or a collection in brackets when it is a `flow`.

    Args:
        text: The whole text.
        value: Where it stands in the text.
        parent: The collection that it belongs to, when that is not in brackets.
        key: Its key in that.
        flow: Whether it is a collection.
    """
    if text[value.end : value.end + 1] == "#":
        mend = SyntaxFix("add the space", (Edit(Span(value.end, value.end), " "),), safe=True)
        yield SyntaxProblem(
            "syntax", Span(value.end, value.end + 1), "a comment needs a space in front of its `#`", mend
        )
    column = _column(text, value.start, parent, key)
    if column is None:
        return
    wrong = [found for found in _LINE.finditer(text, value.start, value.end) if _too_far_left(found, column, flow=flow)]
    if wrong:
        span = Span(wrong[0].start(2), wrong[0].start(2) + len(wrong[0][2].rstrip()))
        blanks = " " * (column + 2)
        mend = SyntaxFix("indent it", tuple(Edit(Span(*found.span(1)), blanks) for found in wrong))
        least = f"at least {column + 1} space" + ("s" if column else "")
        yield SyntaxProblem("syntax", span, f"this line continues the value above; it needs {least} in front", mend)


def _column(text: str, start: int, parent: Node | None, key: Node | None) -> int | None:
    """The column that every line of the value must be indented beyond."""
    if isinstance(parent, Mapping) and key is not None:
        at = key.whole.start
    elif isinstance(parent, Sequence):
        at = len(text[:start].rstrip()) - 1
        if at < 0 or text[at] != "-":
            return None  # a comment or an anchor stands in between
    else:
        return None
    return at - max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) - 1


def _too_far_left(line: "re.Match[str]", column: int, *, flow: bool) -> bool:
    indent, rest = len(line[1]), line[2]
    if indent > column or not rest.strip():
        return False
    # The last bracket may stand below the key, and comments anywhere.
    return not (flow and (rest.startswith("#") or (indent == column and rest[0] in "]}")))
