"""The parents of a line in block style, by indentation and dashes alone: works in text that is not valid YAML yet."""

import re
from collections.abc import Iterator

from rubric_core.lazy_compilation import dataclass, pattern

__all__ = ["ITEM", "LINE", "Step", "key_above", "line_end", "line_start", "siblings", "way"]

#: A step into a list; every other step is the name of a key.
ITEM = "[]"
Step = str

LINE = pattern(
    r"(?P<indent>[ \t]*)(?P<dashes>(?:-(?:[ \t]+|$))*)(?:(?P<key>\"[^\"]*\"|'[^']*'|[^\s#:\-\[\]{},\"'&*!|>%@`][^#:{}\[\],]*(?<![ \t]))[ \t]*:(?P<value>(?:[ \t].*)?)$)?"
)
_BREAK = pattern(r"[\r\n]")
_OPENS = pattern(r"[ \t]*(?:[&!]\S+(?:[ \t]+|\Z))*(?:#.*)?")
#: Lines further away than this are never searched.
_FARTHEST = 4_000


def line_start(text: str, offset: int) -> int:
    """The offset at which the line that holds `offset` starts."""
    above = text.rfind("\n", 0, offset) + 1
    # Only within the line: a text without such a break would be searched to its beginning.
    return max(above, text.rfind("\r", above, offset) + 1)


def line_end(text: str, offset: int) -> int:
    """The offset at which the line that holds `offset` ends, without its line break."""
    found = _BREAK.search(text, offset)
    return found.start() if found else len(text)


def way(text: str, start: int, column: int, dashes: int, indent: int) -> tuple[Step, ...]:
    """The steps from the root to a line that starts at `start`, is indented so far, and has keys at `column`."""
    found = _Way([ITEM] * dashes, indent if dashes else column, listed=dashes > 0)
    for line in _above(text, start):
        if found.column == 0 and not found.listed:
            break
        found.pass_by(line)
    return tuple(reversed(found.steps))


def siblings(text: str, start: int, column: int, dashes: int) -> dict[str, str]:
    """The other keys of the mapping that the line at `start` belongs to, with their values as written."""
    found: dict[str, str] = {}
    if not dashes:  # with a dash before it, nothing above belongs to the same mapping
        for line in _above(text, start):
            _note(line, column, found)
            if len(line["indent"]) < column:
                break
    for line in _below(text, start):
        if len(line["indent"]) < column:
            break
        _note(line, column, found)
    return found


def key_above(text: str, start: int, column: int, dashes: int) -> str:
    """The preceding key of the mapping that the line at `start` belongs to; empty for the first key."""
    found: dict[str, str] = {}
    for line in _above(text, start) if not dashes else ():
        _note(line, column, found)
        if found or len(line["indent"]) < column:
            break
    return next(iter(found), "")


def _note(line: re.Match[str], column: int, found: dict[str, str]) -> None:
    if line["key"] is not None and line.end("dashes") == column:
        found.setdefault(line["key"].strip("\"'"), line["value"].strip())


@dataclass(slots=True)
class _Way:
    """The path from a line to the root, collected line by line upward."""

    #: The keys and lists entered so far, the innermost first.
    steps: list[Step]
    #: The column of the current part; only parts further left can contain it.
    column: int
    #: Whether that is a list item: then the list's key may be at the same column.
    listed: bool

    def pass_by(self, line: re.Match[str]) -> None:
        """Add the key or list that the line opens, if the starting line is nested in it."""
        own, keyed, dashed = line.end("indent"), line.end("dashes"), bool(line["dashes"])
        if own > self.column or (own == self.column and dashed == self.listed):
            return
        if line["key"] is not None and (keyed < self.column or (self.listed and keyed == self.column and not dashed)):
            if _OPENS.fullmatch(line["value"]) is not None:
                self.steps.append(line["key"].strip("\"'"))
                self.column, self.listed = keyed, False
            elif keyed == self.column:
                return
        if dashed and own < self.column:
            self.steps += [ITEM] * line["dashes"].count("-")
            self.column, self.listed = own, True
        elif line["key"] is not None and not dashed:
            self.column = min(self.column, keyed)


def _above(text: str, start: int) -> Iterator[re.Match[str]]:
    """The lines above a line, the nearest first, skipping blank lines and comments."""
    at = start
    for _ in range(_FARTHEST):
        if at <= 0:
            return
        end = at - 1
        if end > 0 and text[end] == "\n" and text[end - 1] == "\r":
            end -= 1
        at = line_start(text, end)
        yield from _read(text[at:end])


def _below(text: str, start: int) -> Iterator[re.Match[str]]:
    """The lines below a line, skipping blank lines and comments."""
    at = start
    for _ in range(_FARTHEST):
        end = line_end(text, at)
        at = end + (2 if text[end : end + 2] == "\r\n" else 1)
        if at >= len(text):
            return
        yield from _read(text[at : line_end(text, at)])


def _read(line: str) -> Iterator[re.Match[str]]:
    found = LINE.match(line)
    if found is not None and line.strip() and not line.lstrip().startswith("#"):
        yield found
