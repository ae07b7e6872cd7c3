"""A diagnostic as a code frame: the lines it is about, underlined, with reason and fix."""

from collections.abc import Iterator

from rubric_core.cli.style import Style, visible, width
from rubric_core.syntax.blocks import Document
from rubric_core.text import Position, Span
from rubric_core.validation.rule import Diagnostic

__all__ = ["frame"]

_FAR = 3
_LONGEST = 160


def frame(path: str, document: Document, diagnostic: Diagnostic, style: Style) -> str:
    """The diagnostic with its place, for a person at a terminal."""
    return "\n".join(_lines(path, document, diagnostic, style))


def _lines(path: str, document: Document, diagnostic: Diagnostic, style: Style) -> Iterator[str]:
    start = document.position(diagnostic.span.start, "utf-32")
    severity = style.paint(f"{diagnostic.severity}[{diagnostic.code}]", diagnostic.severity)
    yield f"{style.paint(f'{path}:{start.line + 1}:{start.character + 1}', 'bold')} {severity} {diagnostic.message}"
    marks = [(related.span, "─", related.message, "dim") for related in diagnostic.related]
    marks.append((diagnostic.span, "^", "", diagnostic.severity))
    by_line: dict[int, list[tuple[Span, str, str, str]]] = {}
    for mark in marks:
        by_line.setdefault(document.position(mark[0].start).line, []).append(mark)
    gutter = len(str(max(by_line) + 1))
    bar = style.paint(f"{' ' * gutter} │", "dim")
    yield bar
    before: int | None = None
    for line in sorted(by_line):
        for between in _between(before, line):
            yield style.paint(f"{'…' if between is None else between + 1:>{gutter}} │", "dim") + (
                "" if between is None else f" {_shown(document, between)}"
            )
        yield f"{style.paint(f'{line + 1:>{gutter}} │', 'dim')} {_shown(document, line)}"
        for mark in by_line[line]:
            yield f"{bar} {_underline(document, line, mark, style)}"
        before = line
    yield bar
    yield from _notes(gutter, diagnostic, style)


def _notes(gutter: int, diagnostic: Diagnostic, style: Style) -> Iterator[str]:
    if diagnostic.consequence:
        yield f"{' ' * gutter} = {diagnostic.consequence}"
    explain = style.paint(f"rubric explain {diagnostic.code}", "dim")
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


def _shown(document: Document, line: int) -> str:
    text = visible(_line(document, line)[1])
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _underline(document: Document, line: int, mark: tuple[Span, str, str, str], style: Style) -> str:
    span, char, words, role = mark
    start, text = _line(document, line)
    begin = span.start - start
    end = max(begin + 1, min(span.end - start, len(text)))
    before = width(visible(text[:begin]))
    length = max(1, width(visible(text[begin:end])))
    return " " * before + style.paint(char * length + (f" {words}" if words else ""), role)
