"""Layout that libyaml accepts but the parser of an engine refuses: lines and brackets too far left, comments without a blank before them."""

import re
from collections.abc import Iterator

from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Mapping, Node, Sequence, SyntaxFix, SyntaxProblem, walk
from rubric_core.text import Edit, Span

__all__ = ["low_brackets", "marked_beginning", "misplaced_lines"]

_LINE = pattern(r"(?:\r\n?|\n)( *)([^\r\n]*)")
#: A character that some editors write at the beginning of a file.
_MARK = "\ufeff"
#: A line that begins with a closing bracket.
_CLOSING = pattern(r"(?:\r\n?|\n) *[\]}]")


def misplaced_lines(
    text: str, value: Span, parent: Node | None, key: Node | None, *, flow: bool
) -> Iterator[SyntaxProblem]:
    """The error in the layout of `value`: a quoted text, or with `flow` a collection in brackets.

    Args:
        text: The whole text.
        value: Its span in the text.
        parent: Its parent collection, if that is not in brackets.
        key: Its key in the parent.
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
        least = f"at least {_spaces(column + 1)}"
        yield SyntaxProblem("syntax", span, f"this line continues the value above; it needs {least} in front", mend)


def marked_beginning(text: str, root: Node | None) -> Iterator[SyntaxProblem]:
    """A byte order mark before keys or items: for a strict parser it indents the first line by one."""
    if not text.startswith(_MARK):
        return
    is_block = isinstance(root, Mapping | Sequence) and not root.flow and "\n" in text.strip()
    # Of a list whose items are read one by one, only the mark is left.
    if is_block or (root is None and text.strip() == _MARK):
        mend = SyntaxFix("remove it", (Edit(Span(0, 1), ""),), safe=True)
        words = "an invisible character, a byte order mark, precedes the first line, which is indented with it"
        yield SyntaxProblem("syntax", Span(0, 1), words, mend)


def low_brackets(text: str, root: Node | None) -> Iterator[SyntaxProblem]:
    """Brackets that close a collection in the column of its key, as in JSON: only a strict parser rejects them."""
    if _CLOSING.search(text) is None:
        return
    for parent in walk(root):
        if isinstance(parent, Mapping) and not parent.flow:
            values: list[tuple[Node | None, Node]] = [(entry.key, entry.value) for entry in parent.entries]
        elif isinstance(parent, Sequence) and not parent.flow:
            values = [(None, item) for item in parent.items]
        else:
            continue
        for key, value in values:
            if isinstance(value, Mapping | Sequence) and value.flow:
                yield from _low(text, value, _column(text, value.span.start, parent, key))


def _low(text: str, value: Node, column: int | None) -> Iterator[SyntaxProblem]:
    found = [line for line in _LINE.finditer(text, *value.span) if len(line[1]) == column and line[2][:1] in ("]", "}")]
    if not found:
        return
    blanks = " " * (len(found[0][1]) + 2)
    mend = SyntaxFix("indent it", tuple(Edit(Span(*line.span(1)), blanks) for line in found), safe=True)
    at = found[0].start(2)
    words = (
        f"this bracket must be further in than the key it belongs to: at least {_spaces(len(found[0][1]) + 1)} in front"
    )
    yield SyntaxProblem("syntax", Span(at, at + 1), words, mend)


def _spaces(count: int) -> str:
    return f"{count} space" + ("s" if count != 1 else "")


def _column(text: str, start: int, parent: Node | None, key: Node | None) -> int | None:
    """The column that every line of the value must be indented beyond."""
    if isinstance(parent, Mapping) and key is not None:
        at = key.whole.start
    elif isinstance(parent, Sequence):
        at = len(text[:start].rstrip()) - 1
        if at < 0 or text[at] != "-":
            return None  # a comment or an anchor is in between
    else:
        return None
    return at - max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) - 1


def _too_far_left(line: "re.Match[str]", column: int, *, flow: bool) -> bool:
    indent, rest = len(line[1]), line[2]
    if indent > column or not rest.strip():
        return False
    # The last bracket may stand below the key, and comments anywhere.
    return not (flow and (rest.startswith("#") or (indent == column and rest[0] in "]}")))
