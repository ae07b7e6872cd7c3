"""Finds the items of a case list by the lines of a text alone."""

import re
from collections.abc import Iterator
from functools import lru_cache

from rubric_core.lazy_compilation import dataclass, pattern
from rubric_core.syntax.lines import BLANK, BREAK, CONFLICT_MARK, FOREIGN_BLANKS
from rubric_core.syntax.parse import LARGEST
from rubric_core.syntax.tree import SyntaxFix, SyntaxProblem
from rubric_core.text import Edit, Span

__all__ = [
    "ROOT_LIST",
    "Items",
    "begins_item",
    "cut_items",
    "dedented_items",
    "find_items",
    "has_second_document",
    "leading_start",
]

#: Used instead of a key when the list is the whole text.
ROOT_LIST = "-"

_MARKER = pattern(r"^(?:---|\.\.\.)(?=[ \t\r\n]|\Z)", re.MULTILINE)
_ROOT_LIST = pattern(rf"\ufeff?(?:{BLANK}|---[ \t]*{BREAK})*( *)-(?=[ \t\r\n]|\Z)")
_FIRST_DASH = pattern(rf"(?:{BLANK})*( *)-(?=[ \t\r\n]|\Z)")
_MARKERS = r"(?:---|\.\.\.)(?=[ \t\r\n]|\Z)"
#: An item that begins with its id, and an item that has only an id.
_HEAD = pattern(r" *- +[\"']?id[\"']?[ \t]*:")
_LONE_HEAD = pattern(rf" *- +[\"']?id[\"']?[ \t]*:[^\r\n]*{BREAK}(?:{BLANK})*")
#: The beginning of a line that ends a list, as the marks of git do not: for any column of dashes, and for column 0, where a dash continues the list.
_STOP = rf"(?:(?![ \t\r\n#{FOREIGN_BLANKS}-]|{CONFLICT_MARK}|\Z)|{_MARKERS}|-(?=[ \t\r\n]|\Z))"
_STOP_AT_ZERO = rf"(?:(?![ \t\r\n#{FOREIGN_BLANKS}-]|{CONFLICT_MARK}|\Z)|{_MARKERS}|-(?![ \t\r\n]|\Z))"
#: An item in column 0, and a line that is neither blank nor a comment.
_DEDENTED = pattern(r"-(?=[ \t\r\n]|\Z)[^\r\n]*")
_WITH_CONTENT = pattern(r"(?:\A|(?<=[\r\n]))([^\r\n])(?=[^\r\n]*[^ \t\r\n]|(?<=[^ \t]))")


@dataclass(frozen=True, slots=True)
class Items:
    """The case list: its key, the column of its dashes, and the offsets of its blocks."""

    key: str
    column: int
    starts: tuple[int, ...]
    end: int


def begins_item(text: str, column: int) -> bool:
    """Whether the first line with content is an item of a list whose dashes are in `column`."""
    return re.match(rf"(?:{BLANK})*? {{{column}}}-(?=[ \t\r\n]|\Z)", text) is not None


#: The directive for all of a text, which is then read as a whole: a block of its own would lack it.
_OLDER = pattern(rf"\ufeff?(?:{BLANK})*%YAML[ \t]+1\.1\b")


def find_items(text: str, item_keys: frozenset[str]) -> Items | None:
    """The first list under one of `item_keys`, with ROOT_LIST among them also a text that is a list; None without one."""
    if not item_keys or len(text) > LARGEST or _OLDER.match(text):
        return None
    second = _second_document(text)
    for found in _key_of_items(item_keys).finditer(text, 0, second):
        first = _FIRST_DASH.match(text, found.end())
        if first is None or first.end() > second:
            continue
        column = len(first[1])
        dash = first.start(1)
        starts, end = cut_items(text, dash, column, second)
        start = leading_start(text, dash, column, found.end())
        return Items(found[1], column, (start, *starts[1:]), end)
    return _root_items(text, second) if ROOT_LIST in item_keys else None


@lru_cache(maxsize=8)
def _key_of_items(item_keys: frozenset[str]) -> re.Pattern[str]:
    keys = "|".join(sorted(map(re.escape, item_keys - {ROOT_LIST})))
    return re.compile(rf"(?:^|(?<=[\r\n]))(?:\ufeff)?(?:\"|'|)({keys})(?:\"|'|)[ \t]*:{BLANK}")


def _root_items(text: str, second: int) -> Items | None:
    """The items of a list that is the whole text."""
    first = _ROOT_LIST.match(text)
    if first is None or first.end() > second:
        return None
    column = len(first[1])
    starts, end = cut_items(text, first.start(1), column, second)
    if end < second:
        return None
    return Items(ROOT_LIST, column, (leading_start(text, first.start(1), column), *starts[1:]), end)


def has_second_document(text: str) -> bool:
    """Whether a second document starts in the text."""
    return _second_document(text) < len(text)


def _second_document(text: str) -> int:
    """The start of a second document, or the end of the text."""
    if "---" not in text and "..." not in text:
        return len(text)  # searching at the start of each line would take a hundred times as long
    seen = False
    for found in _MARKER.finditer(text):
        if (
            text[found.start()] == "-"
            and not seen
            and not re.sub(r"(?m)^[ \t]*(?:#.*|%.*)?$|\ufeff", "", text[: found.start()]).strip()
        ):
            seen = True
            continue
        return found.start()
    return len(text)


def cut_items(text: str, begin: int, column: int, limit: int | None = None) -> tuple[list[int], int]:
    """Offsets of the items from `begin` on, comments before an item included, and where the list ends."""
    limit = len(text) if limit is None else limit
    end = next(_lines(_STOP_AT_ZERO if column == 0 else _STOP, text, begin, limit), limit)
    starts: list[int] = []
    head = 0
    for at in _lines(rf" {{{column}}}-(?=[ \t\r\n]|\Z)", text, begin, end):
        if starts and _LONE_HEAD.fullmatch(text, head, at) and not _HEAD.match(text, at):
            # The text after the next dash most likely belongs to this item, so both form one block.
            head = at
            continue
        head = at
        starts.append(leading_start(text, at, column, starts[-1] + 1 if starts else begin))
    return starts, end


def dedented_items(text: str, column: int) -> SyntaxProblem | None:
    """The error if a list with its dashes in `column` has ended, and `text` continues with dashes in column 0; None if it does not.

    Parsed without the items above, these would be a valid list; a parser of the whole file rejects it.
    """
    first = _DEDENTED.match(text) if column > 0 else None
    if first is None:
        return None
    end = next(_lines(_STOP_AT_ZERO, text, 0, len(text)), len(text))
    # Not inserted before the first character, which would end the list there.
    edits = (Edit(Span(*found.span(1)), " " * column + found[1]) for found in _WITH_CONTENT.finditer(text, 0, end))
    mend = SyntaxFix(f"indent it by {column}", tuple(edits))
    words = f"this line is indented by 0, which matches nothing above it; {column} would"
    return SyntaxProblem("syntax", Span(0, len(first[0].rstrip())), words, mend)


def _lines(pattern: str, text: str, begin: int, limit: int) -> Iterator[int]:
    """The starts of the lines with this prefix, from the line at `begin` on."""
    if re.compile(pattern).match(text, begin, limit):
        yield begin
    # A search for line breaks is one for a character; to try at each character whether a line begins there takes long.
    below = re.compile(("[\\r\\n]" if "\r" in text else "\\n") + pattern)
    for found in below.finditer(text, begin, limit):
        yield found.start() + 1


def leading_start(text: str, dash_line: int, column: int, floor: int = 0) -> int:
    """The start of the comment lines directly above `dash_line`; only those no deeper than the dash, so never scalar content."""
    at = dash_line
    while at > floor:
        end = at - 1 if text[at - 1] in "\r\n" else at
        if end > floor and text[end] == "\n" and text[end - 1] == "\r":
            end -= 1
        # A search for a line break that the text does not have would go back to its beginning, for each item.
        low = max(0, floor - 1)
        start = max(text.rfind("\n", low, end), text.rfind("\r", low, end)) + 1
        if start == 0 < low:
            break
        line = text[start:end]
        body = line.lstrip(" ")
        if start < floor or not body.startswith("#") or len(line) - len(body) > column:
            break
        at = start
    return at
