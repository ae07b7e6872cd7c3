"""Repairs that move lines: tabs, indentation, dashes that are missing."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile

from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.failure import Failure
from rubric_core.syntax.lines import DASHES, KEY, before, columns, content_of, has_content, indent_of
from rubric_core.syntax.repair import Repair

__all__ = ["indented", "missing_dash", "nudged", "orphaned", "overindented", "tabs"]

#: A line that begins with a key.
_KEY_LINE = pattern(rf"[ ]*{KEY}[ \t]*:(?=\s|\Z)")
#: This many keys in a column outweigh one at another column.
_SEVERAL = 2
#: A line with a key and its value.
_ENTRY = pattern(rf"{DASHES}{KEY}[ \t]*:[ \t]+[^\s#|>]")
#: An item that begins with a key.
_HEAD = pattern(rf"([ ]*)- +({KEY})[ \t]*:(?=\s|\Z)")
#: How many lines above a line are searched for a similar item.
_FARTHEST = 80
#: The largest number of columns by which a line is misplaced by accident.
_NUDGE = 2
#: How many of the nearest columns are tried; a line nested a thousand levels deep would have a thousand.
_MOST_COLUMNS = 20


def tabs(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """One line with its tabs replaced by the indentation of the line above, or every line with tabs of one width."""
    text, indent = lines[line], indent_of(lines[line])
    if "\t" not in text[:indent]:
        return
    # Behind spaces a tab may be the content of a block scalar.
    bad = [i for i, each in enumerate(lines) if i == line or (each.startswith("\t") and each.strip())]
    if len(bad) == 1:
        wide = [len(text[:indent].expandtabs(width)) for width in (4, 2, 8)]
        for column in sorted(columns(lines, line), key=lambda c: wide.index(c) if c in wide else len(wide)):
            yield Repair(line, " " * column + text[indent:], "tab", column - indent, column=text.index("\t"))
    for width in (2, 4, 8):
        new = {i: lines[i][: indent_of(lines[i])].expandtabs(width) + lines[i][indent_of(lines[i]) :] for i in bad}
        others = tuple((i, each, len(each) - len(lines[i])) for i, each in new.items() if i != bad[0])
        yield Repair(
            bad[0],
            new[bad[0]],
            "tab",
            len(new[bad[0]]) - len(lines[bad[0]]),
            column=lines[bad[0]].index("\t"),
            others=others,
        )


def nudged(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """The line and everything nested in it, moved by one or two columns."""
    yield from _indented(lines, line, lambda far: far <= _NUDGE)


def indented(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """The line and everything nested in it, moved by more than two columns."""
    yield from _indented(lines, line, lambda far: far > _NUDGE)


def overindented(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """The first key of a block that is indented more than several keys below it: it moves, with its content."""
    column = indent_of(lines[line])
    if lines[line].startswith("- ", column):
        yield from _first_item(lines, line, column)
        return
    if not _KEY_LINE.match(lines[line]) or len(_siblings(lines, line, column)) < _SEVERAL:
        return
    first = line
    while (above := before(lines, first)) is not None and indent_of(lines[above]) > column:
        first = above
    begin = indent_of(lines[first])
    between = [i for i in range(first, line) if lines[i].strip()]
    if first == line or not _KEY_LINE.match(lines[first]) or min(indent_of(lines[i]) for i in between) < begin:
        return
    if sum(indent_of(lines[i]) == begin and not lines[i].lstrip().startswith(("#", "- ")) for i in between) > 1:
        return
    yield _moved(lines, between, column)


def _moved(lines: Sequence[str], block: Sequence[int], column: int) -> Repair:
    """The lines of a block moved out so far that the first of them begins in a column."""
    by = column - indent_of(lines[block[0]])
    moved = [(i, " " * (indent_of(lines[i]) + by) + lines[i].lstrip(" \t"), by) for i in block]
    return Repair(block[0], moved[0][1], "overindent", by, others=tuple(moved[1:]), column=column)


def _first_item(lines: Sequence[str], line: int, column: int) -> Iterator[Repair]:
    """The first item of a list that is indented more than the items below it: it moves."""
    first = line
    while (above := before(lines, first)) is not None and indent_of(lines[above]) > column:
        first = above
    block = [i for i in range(first, line) if lines[i].strip()]
    if above is None or not block or not lines[above].rstrip().endswith(":"):
        return
    begin, outer = indent_of(lines[first]), content_of(lines[above])
    items = [i for i in block if indent_of(lines[i]) == begin and lines[i].startswith("- ", begin)]
    if items != [first] or min(map(indent_of, (lines[i] for i in block))) < begin or outer >= column:
        return
    rest = (each for each in lines[line : line + _FARTHEST] if has_content(each))
    alike = sum(each.startswith("- ", column) for each in takewhile(lambda each: indent_of(each) >= column, rest))
    # Of two items in two columns, the one in the usual column is right.
    if alike >= _SEVERAL or column - outer == _NUDGE:
        yield _moved(lines, block, column)


def _siblings(lines: Sequence[str], line: int, column: int) -> list[int]:
    """The keys at a column from a line on, up to one further left."""
    found: list[int] = []
    for number in range(line, min(len(lines), line + _FARTHEST)):
        if not has_content(lines[number]):
            continue
        if indent_of(lines[number]) < column:
            break
        if indent_of(lines[number]) == column and _KEY_LINE.match(lines[number]):
            found.append(number)
    return found


def orphaned(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """A list below a key that already has a value, so that the list belongs to nothing."""
    indent = indent_of(lines[line])
    above = before(lines, line)
    if not lines[line].lstrip().startswith("- ") or above is None or not _ENTRY.match(lines[above]):
        return
    if content_of(lines[above]) > indent:
        return
    end = next(
        (i for i in range(line, len(lines)) if has_content(lines[i]) and indent_of(lines[i]) < indent), len(lines)
    )
    blank = [re.sub(r"[^\r\n]", " ", each) for each in lines[line:end]]
    yield Repair(line, blank[0], "orphan", others=tuple((line + i, each, 0) for i, each in enumerate(blank) if i))


def _indented(lines: Sequence[str], line: int, wanted: Callable[[int], bool]) -> Iterator[Repair]:
    text, indent = lines[line], indent_of(lines[line])
    if "\t" in text[:indent]:
        return
    alike = _alike(lines, line)
    near = sorted(
        (c for c in columns(lines, line) if c != indent and wanted(abs(c - indent))),
        key=lambda c: (c not in alike, abs(c - indent)),
    )
    deeper = _deeper(lines, line, indent) if near else []
    for column in near[:_MOST_COLUMNS]:
        by = column - indent
        moved = [(i, " " * (inner + by) + content, by) for i, inner, content in deeper]
        yield Repair(line, " " * column + text[indent:], "indent", by, others=tuple(moved), column=column)
        if moved:
            yield Repair(line, " " * column + text[indent:], "indent", by, column=column)


def _alike(lines: Sequence[str], line: int) -> frozenset[int]:
    """The columns of preceding items that begin with the same key as this line."""
    head = _HEAD.match(lines[line])
    if head is None:
        return frozenset()
    above = (_HEAD.match(each) for each in lines[max(0, line - _FARTHEST) : line])
    return frozenset(found.end(1) for found in above if found is not None and found[2] == head[2])


def _deeper(lines: Sequence[str], line: int, indent: int) -> list[tuple[int, int, str]]:
    """The lines nested in this one, each with its indentation and its remaining text."""
    found: list[tuple[int, int, str]] = []
    for i in range(line + 1, len(lines)):
        if lines[i].strip():
            inner = indent_of(lines[i])
            if inner <= indent:
                break
            found.append((i, inner, lines[i][inner:]))
    return found


def missing_dash(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """An item of a list whose siblings have a dash: `role: user` above `  - role: assistant`."""
    indent = indent_of(lines[line])
    above = before(lines, line)
    if not lines[line].lstrip().startswith("- "):
        if above is not None and indent_of(lines[above]) + 2 == content_of(lines[above]) == indent:
            text = f"{lines[line][: indent - 2]}- {lines[line][indent:]}"
            yield Repair(line, text, "missing-dash", column=indent)
        return
    while above is not None and indent_of(lines[above]) >= indent + 2:
        parent = before(lines, above)
        if parent is None or (indent_of(lines[parent]) <= indent and lines[parent].rstrip().endswith(":")):
            if indent_of(lines[above]) == indent + 2 == content_of(lines[above]):
                text = f"{lines[above][:indent]}- {lines[above][indent + 2 :]}"
                yield Repair(above, text, "missing-dash", column=indent + 2)
            return
        above = parent
