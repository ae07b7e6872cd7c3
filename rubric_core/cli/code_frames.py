"""A diagnostic as a code frame: the lines it is about, underlined, with reason and fix."""

from collections.abc import Iterator

from rubric_core.cli.terminal_style import TerminalStyle, visible, width, window
from rubric_core.control_characters import mask_name
from rubric_core.syntax.blocks import Document
from rubric_core.text import Position, Span
from rubric_core.validation.rule import Diagnostic

__all__ = ["frame"]

_FAR = 3
#: Columns of text where there is no terminal, and the fewest in a narrow one.
_LONGEST, _SHORTEST = 160, 20
#: Of a window, how much stands before what is underlined.
_BEFORE = 0.4

Mark = tuple[Span, str, str, str]


def frame(
    path: str, document: Document, diagnostic: Diagnostic, style: TerminalStyle, columns: int | None = None
) -> str:
    """The diagnostic with its place, for users at a terminal with that many columns; None: there is none."""
    return "\n".join(_lines(path, document, diagnostic, style, columns))


def _lines(
    path: str, document: Document, diagnostic: Diagnostic, style: TerminalStyle, columns: int | None
) -> Iterator[str]:
    start = document.position(diagnostic.span.start, "utf-32")
    severity = style.paint(f"{diagnostic.severity}[{diagnostic.code}]", diagnostic.severity)
    yield f"{style.paint(f'{mask_name(path)}:{start.line + 1}:{start.character + 1}', 'bold')} {severity} {diagnostic.message}"
    marks = [(related.span, "─", related.message, "dim") for related in diagnostic.related]
    marks.append((diagnostic.span, "^", "", diagnostic.severity))
    by_line: dict[int, list[Mark]] = {}
    for mark in marks:
        by_line.setdefault(document.position(mark[0].start).line, []).append(mark)
    gutter = len(str(max(by_line) + 1))
    room = _LONGEST if columns is None else max(_SHORTEST, min(_LONGEST, columns - gutter - len(" │ ")))
    bar = style.paint(f"{' ' * gutter} │", "dim")
    yield bar
    before: int | None = None
    for line in sorted(by_line):
        for between in _between(before, line):
            yield style.paint(f"{'…' if between is None else between + 1:>{gutter}} │", "dim") + (
                "" if between is None else f" {window(_text(document, between), 0, room)}"
            )
        for begin, shown in _views(document, line, by_line[line], room):
            yield f"{style.paint(f'{line + 1:>{gutter}} │', 'dim')} {window(_text(document, line), begin, room)}"
            for mark in shown:
                yield f"{bar} {_underline(document, line, mark, style, begin, room)}"
        before = line
    yield bar
    yield from _notes(gutter, diagnostic, style)


def _notes(gutter: int, diagnostic: Diagnostic, style: TerminalStyle) -> Iterator[str]:
    if diagnostic.consequence:
        yield f"{' ' * gutter} = {diagnostic.consequence}"
    explain = style.paint(f"rubric explain {diagnostic.code}", "dim")
    if diagnostic.untried:
        yield f"{' ' * gutter} = not every fix was tried, because that takes too long here; an editor tries the fixes of one line"
    if diagnostic.fixes:
        yield f"{' ' * gutter} = fix: {style.paint(diagnostic.fixes[0].title, 'good')}   {explain}"
    else:
        yield f"{' ' * gutter} = {explain}"


def _between(before: int | None, line: int) -> Iterator[int | None]:
    """Lines between two marks: all of a few, an ellipsis for many; one line of context above the first."""
    if before is None:
        yield from range(max(0, line - 1), line)
    elif line - before <= _FAR:
        yield from range(before + 1, line)
    else:
        yield None


def _line(document: Document, line: int) -> tuple[int, str]:
    start = document.offset(Position(line, 0))
    number = document.block_at(start)
    block = document.blocks[number]
    span = block.index.line_span(line - document.first_line(number))
    return start, block.text[span.start : span.end]


def _text(document: Document, line: int) -> str:
    return visible(_line(document, line)[1])


def _columns(document: Document, line: int, span: Span) -> tuple[int, int]:
    """The columns of a span in its first line: where it begins, and how many they are."""
    start, text = _line(document, line)
    begin = span.start - start
    end = max(begin + 1, min(span.end - start, len(text)))
    return width(visible(text[:begin])), max(1, width(visible(text[begin:end])))


def _views(document: Document, line: int, marks: list[Mark], room: int) -> Iterator[tuple[int, list[Mark]]]:
    """The windows in which a line is shown, by their first columns, with the marks in each; nearly always one."""
    whole = width(_text(document, line))
    if whole <= room:
        yield 0, marks
        return
    places = sorted(((*_columns(document, line, mark[0]), mark) for mark in marks), key=lambda place: place[:2])
    groups: list[list[tuple[int, int, Mark]]] = []
    for place in places:
        fits = groups and place[0] + place[1] - groups[-1][0][0] < room * (1 - _BEFORE)
        groups[-1:] = [[*groups[-1], place]] if fits else [*groups[-1:], [place]]
    for group in groups:
        first, last = group[0][0], max(before + length for before, length, _ in group)
        # Of a long one, the begin.
        lead = int(room * _BEFORE) if last - first < room * (1 - _BEFORE) else 2
        yield (0 if last < room else max(0, min(first - lead, whole - room))), [mark for *_, mark in group]


def _underline(document: Document, line: int, mark: Mark, style: TerminalStyle, begin: int, room: int) -> str:
    span, char, words, role = mark
    before, length = _columns(document, line, span)
    first = min(max(before - begin, 1 if begin else 0), room - 1)
    last = min(max(before + length - begin, first + 1), room)
    return " " * first + style.paint(char * (last - first) + (f" {words}" if words else ""), role)
