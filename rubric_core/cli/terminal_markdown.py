"""Renders Markdown in a terminal: only the syntax that rule pages use."""

import re
from collections.abc import Iterator, Sequence
from textwrap import wrap

from rubric_core.cli.terminal_style import TerminalStyle, width

__all__ = ["render_markdown"]

_MARKER = re.compile(r"#? *(?:\^+|~+) (error|warning|information|hint|note)\b")
_INLINE = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*")
_ITEM = re.compile(r"(?:[-*]|\d+\.) ")
_WIDEST = 100
_SPACE = "\ue000"


def render_markdown(markdown: str, style: TerminalStyle, columns: int) -> str:
    """The page in `columns` columns, or fewer to keep lines readable."""
    lines = markdown.rstrip().split("\n")
    return "\n".join(_Page(lines, style, min(columns, _WIDEST)).lines())


class _Page:
    def __init__(self, source: Sequence[str], style: TerminalStyle, columns: int) -> None:
        self.source = source
        self.style = style
        self.columns = columns
        self.at = 0

    def lines(self) -> Iterator[str]:
        while self.at < len(self.source):
            line = self.source[self.at]
            if line.startswith("```"):
                yield from self._code()
            elif line.startswith("|"):
                yield from self._table()
            elif line.startswith("#"):
                self.at += 1
                yield self.style.paint(line.lstrip("# "), "bold")
            elif not line.strip():
                self.at += 1
                yield ""
            else:
                yield from self._paragraph()

    def _take_while(self, wanted: "re.Pattern[str]") -> list[str]:
        """The following lines that match."""
        start = self.at
        while self.at < len(self.source) and wanted.match(self.source[self.at]):
            self.at += 1
        return list(self.source[start : self.at])

    def _code(self) -> Iterator[str]:
        self.at += 1
        for line in self._take_while(re.compile(r"(?!```)")):
            marker = _MARKER.match(line)
            # The `#` of a marker line is for YAML; the marker below a text is aligned with the text.
            text = line.replace("#", " ", 1) if marker and line.startswith("#") else line
            role = "" if marker is None else "dim" if marker[1] == "note" else marker[1]
            yield f"{self.style.paint('│', 'dim')} {self.style.paint(text, role)}".rstrip()
        self.at += 1

    def _table(self) -> Iterator[str]:
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in self._take_while(re.compile(r"\|"))]
        rows = [row for row in rows if set("".join(row)) - set("-: ")]
        widths = [
            max(width(_bare(row[n], self.style)) for row in rows if n < len(row)) for n in range(max(map(len, rows)))
        ]
        for number, row in enumerate(rows):
            cells = [
                self._inline(cell) + " " * (w - width(_bare(cell, self.style)))
                for cell, w in zip(row, widths, strict=False)
            ]
            line = "  ".join(cells).rstrip()
            yield self.style.paint(line, "dim") if number == 0 else line

    def _paragraph(self) -> Iterator[str]:
        first, *rest = self._take_while(re.compile(r"(?!```|\||#)."))
        items = [first]
        for line in rest:
            if _ITEM.match(line):
                items.append(line)
            else:
                items[-1] += " " + line.strip()
        for item in items:
            found = _ITEM.match(item)
            indent = " " * len(found[0]) if found else ""
            # Code is not broken at the end of a line.
            whole = _INLINE.sub(lambda m: m[0].replace(" ", _SPACE), item)
            wrapped = wrap(
                whole, self.columns, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
            )
            yield from (self._inline(line.replace(_SPACE, " ")) for line in wrapped)

    def _inline(self, text: str) -> str:
        if not self.style.colour:
            return text
        return _INLINE.sub(lambda m: self.style.paint(m[1] or m[2], "code" if m[1] else "bold"), text)


def _bare(text: str, style: TerminalStyle) -> str:
    """`text` as it is displayed, to measure its width."""
    return _INLINE.sub(lambda m: m[1] or m[2], text) if style.colour else text
