"""Repairs of punctuation from other languages, word processors and Markdown that was used instead of YAML's."""

import re
from collections.abc import Iterator, Sequence

from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.failure import Failure
from rubric_core.syntax.lines import CONFLICT_MARK, DASHES, KEY, before, break_of, content_of, has_content, indent_of
from rubric_core.syntax.repair import Repair

__all__ = [
    "DASH_SIGNS", "SIGNS", "WHOLE_LINES", "block_opener", "conflict", "decorated", "double_dash", "fence", "foreign_colon", "foreign_dash", "half_quoted_key", "other_quote",
]  # fmt: skip

#: Characters used instead of a list dash, with the blanks after them.
DASH_SIGNS = r"(?:[–—−‐‑•·▪●◦*+]|--|\d{1,2}[.)])(?:[ \t]+|(?<=[–—−‐‑•·▪●◦]))"
#: For each kind of repair: its message, its fix, and whether no other meaning is possible.
SIGNS = {
    "foreign-dash": ("a list item begins with a hyphen, `-`", "write a hyphen", True),
    "double-dash": ("a second dash begins a nested list", "remove the second dash", False),
    "foreign-colon": ("a key needs a colon and a space before its value", "write a colon", True),
    "opener": ("nothing belongs between a key and the block below it", "keep only the colon", True),
    "decorated": ("a key is written as a plain word", "write only the key", True),
    "half-quoted-key": ("this quote starts a key and is never closed", "remove the quote", True),
    "other-quote": ("a text must end with the same quote that it starts with", "write the same quote", True),
    "conflict": ("git left a conflict here: keep one side", "keep the first side", False),
    "conflict-mark": ("git left this mark of a conflict: keep one side", "remove the mark", False),
    "fence": ("this is a Markdown fence; a YAML file has none", "remove the fences", True),
}
#: Kinds of repairs that take whole lines away.
WHOLE_LINES = frozenset({"conflict", "conflict-mark", "fence"})
_MARKS = pattern(CONFLICT_MARK)
_DASH = pattern(rf"([ ]*)({DASH_SIGNS})(?=\S)")
_KEY_BEHIND = pattern(rf"{KEY}[ \t]*:(?:\s|\Z)")
_DOUBLE = pattern(r"([ ]*- )(- +)(?=\S)")
_COLON = pattern(
    rf"({DASHES}{KEY})([ \t]*(?:=>|[=：∶]|:[\u00a0\u202f])[ \t]*|[ \t]*;[ \t]+|[ \t]+[-–—][ \t]+)(?=[^\s=>])"
)
_OPENER = pattern(rf"({DASHES}{KEY})([ \t]*(?:[;=：∶]|=>|:[ \t]*[,;=]|:[ \t]*[\[{{(]|:[ \t]*-))(?=[ \t]*(?:[\r\n]|\Z))")
_DECORATED = pattern(
    rf"({DASHES})(?:(?P<box>\[[ xX]?\][ \t]+)|(?P<sign>[*_`@%&!“”‘’]+))(?P<key>[A-Za-z][\w-]*(?![\w-]))(?P<behind>[*_`“”‘’]*)(?P<colon>[ \t]*:(?=\s|\Z)|:(?P<after>[*_`]+)(?=\s))"
)
_BOX = pattern(rf"({DASHES})(\[[ xX]?\][ \t]+)(?=\S)")
_HALF_QUOTED = pattern(rf"({DASHES})([\"'])(?=[A-Za-z_][\w-]*[ \t]*:[ \t])")
_OTHER = pattern(
    rf"{DASHES}(?:{KEY}[ \t]*:[ \t]+)?(?P<open>[\"'“‘«])[^\"'“”‘’«»\r\n]*(?P<close>[\"'”’»])(?=[ \t]*(?:[\r\n]|\Z))"
)
_FENCE = pattern(r"[ \t]*(?:```+|~~~+)[ \t]*(?:[\w-]+[ \t]*)?(?=[\r\n]|\Z)")


def foreign_dash(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """`– type: contains`, `• Mentions it`, `1. Mentions it`: this line, and those of the same list that begin alike."""
    found = _DASH.match(lines[line])
    if found is None or not _is_item(lines, line, found):
        return
    column, sign = found.end(1), _sort(found[2])
    alike = [n for n in _siblings(lines, line, column) if (m := _DASH.match(lines[n])) and _sort(m[2]) == sign]
    new = {n: _with_dash(lines[n]) for n in alike}
    others = tuple((n, text, len(text) - len(lines[n])) for n, text in new.items() if n != line)
    yield Repair(line, new[line], "foreign-dash", len(new[line]) - len(lines[line]), column, column, others)


def _sort(sign: str) -> str:
    return re.sub(r"\d+", "1", sign.strip())


def _is_item(lines: Sequence[str], line: int, found: "re.Match[str]") -> bool:
    """Whether the line can be a list item: below a key, or after other items."""
    if _KEY_BEHIND.match(lines[line], found.end()):
        return True
    above = before(lines, line)
    column = found.end(1)
    if above is not None and lines[above].rstrip().endswith(":") and content_of(lines[above]) <= column:
        return True
    return any(lines[n].startswith(" " * column + "- ") for n in _siblings(lines, line, column))


def _siblings(lines: Sequence[str], line: int, column: int) -> Iterator[int]:
    """The lines indented by `column`, this one included, in both directions up to the first that is less indented."""
    for step in (-1, 1):
        number = line if step < 0 else line + 1
        while 0 <= number < len(lines):
            if has_content(lines[number]):
                if indent_of(lines[number]) < column:
                    break
                if indent_of(lines[number]) == column:
                    yield number
            number += step


def _with_dash(line: str) -> str:
    found = _DASH.match(line)
    return f"{found[1]}- {line[found.end() :]}" if found else line


def double_dash(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """`- - type: contains` above the other keys of the same item."""
    found = _DOUBLE.match(lines[line])
    below = next((text for text in lines[line + 1 :] if has_content(text)), "")
    if found and indent_of(below) == found.end(1) and not below.lstrip().startswith("- "):
        text = lines[line][: found.end(1)] + lines[line][found.end() :]
        yield Repair(line, text, "double-dash", -len(found[2]), found.end(1), column=found.end(1))


def foreign_colon(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """`target = default`, `target => default`, `target; default`, `target - default`, a wide colon."""
    found = _COLON.match(lines[line])
    if found:
        text = f"{found[1]}: {lines[line][found.end() :]}"
        yield Repair(line, text, "foreign-colon", 2 - len(found[2]), found.end(1), column=found.start(2))


def block_opener(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """`assertions =`, `assertions: [` and the like above lines that are no flow collection."""
    found = _OPENER.match(lines[line])
    below = next((text for text in lines[line + 1 :] if has_content(text)), "").rstrip()
    inside = indent_of(below) > content_of(lines[line]) or below[content_of(lines[line]) :].startswith("- ")
    if found and inside and not below.endswith((",", "]", "}")):
        text = f"{found[1]}:{lines[line][found.end() :]}"
        yield Repair(line, text, "opener", 1 - len(found[2]), found.end(1), column=found.start(2))


def decorated(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """`**type**: contains`, "`type`: contains", `- [ ] Mentions it`."""
    found = _DECORATED.match(lines[line])
    if found:
        text = f"{found[1]}{found['key']}:{lines[line][found.end() :]}"
        yield Repair(line, text, "decorated", len(text) - len(lines[line]), found.end(1), column=found.end(1))
    elif box := _BOX.match(lines[line]):
        text = box[1] + lines[line][box.end() :]
        yield Repair(line, text, "decorated", -len(box[2]), box.end(1), column=box.end(1))


def half_quoted_key(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """`"type: contains`."""
    found = _HALF_QUOTED.match(lines[line])
    if found and lines[line].count(found[2]) == 1:
        at = found.end(1)
        yield Repair(line, lines[line][:at] + lines[line][at + 1 :], "half-quoted-key", -1, at, column=at)


def other_quote(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """`"refund'`."""
    found = _OTHER.match(lines[line])
    if found and found["open"] in "\"'" and found["close"] != found["open"]:
        at = found.start("close")
        text = lines[line][:at] + found["open"] + lines[line][at + 1 :]
        yield Repair(line, text, "other-quote", column=at)


def fence(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """A text that was copied with its Markdown code fences."""
    if not _FENCE.match(lines[line]) or not lines[line].strip():
        return
    fences = [
        n
        for n, text in enumerate(lines)
        if text.strip() and _FENCE.match(text) and indent_of(text) == indent_of(lines[line])
    ]
    blank = {n: " " * len(lines[n].rstrip("\r\n")) + break_of(lines[n]) for n in (fences[0], fences[-1], line)}
    others = tuple((n, text, 0) for n, text in blank.items() if n != line)
    yield Repair(line, blank[line], "fence", column=0, others=others)


def conflict(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """The marks of git around both sides of a conflict: the first side is read, or the lines around a single mark."""
    if not _MARKS.match(lines[line]):
        return
    marks = [number for number, text in enumerate(lines) if _MARKS.match(text)]
    at = marks.index(line)
    begin = max((n for n in marks[: at + 1] if lines[n].startswith("<")), default=None)
    middle = next((n for n in marks if begin is not None and n > begin and lines[n].startswith("=")), None)
    end = next((n for n in marks if middle is not None and n > middle and lines[n].startswith(">")), None)
    if begin is None or middle is None or end is None or line > end:
        yield Repair(line, break_of(lines[line]), "conflict-mark", column=0)
        return
    others = tuple((n, break_of(lines[n]), 0) for n in range(middle, end + 1))
    yield Repair(begin, break_of(lines[begin]), "conflict", column=0, others=others)
