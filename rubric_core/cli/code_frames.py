"""A diagnostic as a code frame: its lines, underlined, with reason and fix."""

from collections.abc import Iterator, Sequence

from rubric_core.cached_properties import cached_property
from rubric_core.cli.hide_secrets import hidden_spans, with_hidden
from rubric_core.cli.terminal_style import TerminalStyle, visible, width, window
from rubric_core.control_characters import mask_name
from rubric_core.syntax.blocks import Document
from rubric_core.text import Position, Span
from rubric_core.validation.rule import Diagnostic

__all__ = ["FramedFile", "frame"]

_FAR = 3
#: The columns of text without a terminal, and the minimum in a narrow one.
_LONGEST, _SHORTEST = 160, 20
#: From this length on, only the part of a line near a finding is examined: a line may have megabytes, and a finding per
#: word.
_STRETCH = 400
#: The share of a window before the underlined part.
_BEFORE = 0.4

Mark = tuple[Span, str, str, str]


class FramedFile:
    """A file with findings.

    Args:
        path: Its name.
        document: Its text.
        hidden: What is masked in it; None if that was not looked up yet.
    """

    def __init__(self, path: str, document: Document, hidden: Sequence[Span] | None = None) -> None:
        self.path = path
        self.document = document
        self._hidden = hidden

    @cached_property
    def shown(self) -> str:
        """Its text with secrets masked; offsets are unchanged."""
        text = self.document.text
        return with_hidden(text, hidden_spans(text) if self._hidden is None else self._hidden)


def frame(source: FramedFile, diagnostic: Diagnostic, style: TerminalStyle, columns: int | None = None) -> str:
    """The diagnostic with the code around it. `columns` is the width of the terminal; None without a terminal."""
    return "\n".join(_lines(source, diagnostic, style, columns))


def _lines(source: FramedFile, diagnostic: Diagnostic, style: TerminalStyle, columns: int | None) -> Iterator[str]:
    document = source.document
    start = document.position(diagnostic.span.start, "utf-32")
    severity = style.paint(f"{diagnostic.severity}[{diagnostic.code}]", diagnostic.severity)
    yield f"{style.paint(f'{mask_name(source.path)}:{start.line + 1}:{start.character + 1}', 'bold')} {severity} {diagnostic.repeated}"
    marks = [(related.span, "─", related.message, "dim") for related in diagnostic.related]
    marks.append((diagnostic.span, "^", "", diagnostic.severity))
    by_stretch: dict[tuple[int, int], list[Mark]] = {}
    for mark in marks:
        by_stretch.setdefault(_place(document, mark[0].start), []).append(mark)
    gutter = len(str(max(by_stretch)[0] + 1))
    room = _LONGEST if columns is None else max(_SHORTEST, min(_LONGEST, columns - gutter - len(" │ ")))
    bar = style.paint(f"{' ' * gutter} │", "dim")
    yield bar
    before: int | None = None
    for line, number in sorted(by_stretch):
        for between in _between(before, line):
            yield style.paint(f"{'…' if between is None else between + 1:>{gutter}} │", "dim") + (
                "" if between is None else f" {window(_Stretch(source, between).shown, 0, room)}"
            )
        stretch = _Stretch(source, line, number)
        for begin, shown in _views(stretch, by_stretch[line, number], room):
            yield f"{style.paint(f'{line + 1:>{gutter}} │', 'dim')} {window(stretch.shown, begin, room)}"
            for mark in shown:
                yield f"{bar} {_underline(stretch, mark, style, begin, room)}"
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
        yield f"{' ' * gutter} = fix: {style.paint(diagnostic.advice, 'good')}   {explain}"
    else:
        yield f"{' ' * gutter} = {explain}"


def _between(before: int | None, line: int) -> Iterator[int | None]:
    """The lines between two marks: all of a few, an ellipsis for many; one line of context above the first."""
    if before is None:
        yield from range(max(0, line - 1), line)
    elif line - before <= _FAR:
        yield from range(before + 1, line)
    else:
        yield None


def _place(document: Document, offset: int) -> tuple[int, int]:
    """The line of an offset, and the number of the section in it: long lines are shown in sections, others have one."""
    line = document.line_of(offset)
    return line, (offset - _bounds(document, line).start) // _STRETCH


def _bounds(document: Document, line: int) -> Span:
    """The span of a line without its break."""
    number = document.block_at(document.offset(Position(line, 0)))
    return document.blocks[number].index.line_span(line - document.first_line(number)).moved(document.start(number))


class _Stretch:
    """A line as it is shown; of a very long one, the part near one place."""

    def __init__(self, source: FramedFile, line: int, number: int = 0) -> None:
        whole = _bounds(source.document, line)
        self._start = whole.start + max(0, number - 1) * _STRETCH
        self._written = source.shown[self._start : min(whole.end, self._start + 3 * _STRETCH)]
        self.shown = visible(self._written)

    def columns(self, span: Span) -> tuple[int, int]:
        """The start and length in columns of a span in its first line."""
        begin = span.start - self._start
        end = max(begin + 1, min(span.end - self._start, len(self._written)))
        return width(visible(self._written[:begin])), max(1, width(visible(self._written[begin:end])))


def _views(stretch: _Stretch, marks: list[Mark], room: int) -> Iterator[tuple[int, list[Mark]]]:
    """The windows of a line, by their first columns, each with its marks; nearly always one."""
    whole = width(stretch.shown)
    if whole <= room:
        yield 0, marks
        return
    places = sorted(((*stretch.columns(mark[0]), mark) for mark in marks), key=lambda place: place[:2])
    groups: list[list[tuple[int, int, Mark]]] = []
    for place in places:
        fits = groups and place[0] + place[1] - groups[-1][0][0] < room * (1 - _BEFORE)
        groups[-1:] = [[*groups[-1], place]] if fits else [*groups[-1:], [place]]
    for group in groups:
        first, last = group[0][0], max(before + length for before, length, _ in group)
        # The beginning of a long one.
        lead = int(room * _BEFORE) if last - first < room * (1 - _BEFORE) else 2
        yield (0 if last < room else max(0, min(first - lead, whole - room))), [mark for *_, mark in group]


def _underline(stretch: _Stretch, mark: Mark, style: TerminalStyle, begin: int, room: int) -> str:
    span, char, words, role = mark
    before, length = stretch.columns(span)
    first = min(max(before - begin, 1 if begin else 0), room - 1)
    last = min(max(before + length - begin, first + 1), room)
    return " " * first + style.paint(char * (last - first) + (f" {words}" if words else ""), role)
