"""A picture of a terminal: ANSI text, such as `tmux capture-pane -pe` gives, to SVG.

Usage: python tests/editors/screenshot.py SCREEN.ansi PICTURE.svg [TITLE]
"""

import re
import sys
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path

CELL_WIDTH, CELL_HEIGHT, FONT_SIZE, MARGIN, BAR = 8.4, 18, 14, 12, 30
BACKGROUND, FOREGROUND, BAR_COLOUR, TITLE_COLOUR = "#14161b", "#e0e2ea", "#2c2e33", "#9b9ea4"
DARK = ("#2c2e33", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#c4c6cd")
BRIGHT = ("#5c6370", "#ff7a85", "#b3f6c0", "#fce094", "#a6dbff", "#ffcaff", "#8cf8f7", "#eef1f8")
PALETTE = DARK + BRIGHT
#: The colours of a light window.
LIGHT = {BACKGROUND: "#e0e2ea", BAR_COLOUR: "#c4c6cd", TITLE_COLOUR: "#4f5258"}
FONT = "'JetBrains Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace"
NO_BREAK = "\u00a0"  # an ordinary space next to another is dropped by SVG
#: The pieces of a frame as paths through the middle (x, y) of their cell.
FRAME = {
    "│": "M{x:.1f} {top} V{bottom}",
    "─": "M{left:.1f} {y} H{right:.1f}",
    "╭": "M{right:.1f} {y} Q{x:.1f} {y} {x:.1f} {bottom}",
    "╮": "M{left:.1f} {y} Q{x:.1f} {y} {x:.1f} {bottom}",
    "╰": "M{right:.1f} {y} Q{x:.1f} {y} {x:.1f} {top}",
    "╯": "M{left:.1f} {y} Q{x:.1f} {y} {x:.1f} {top}",
}
#: Filled cells, with their opacity.
BLOCKS = {"█": 1, "░": 0.25}
SEQUENCE = re.compile(r"\x1b\[([0-9;:]*)m|\x1b[^\[].?|\x1b\[[^a-zA-Z]*[a-zA-Z]")


@dataclass(frozen=True)
class Style:
    """How a cell is drawn."""

    colour: str | None = None
    behind: str | None = None
    bold: bool = False
    italic: bool = False
    underline: bool = False
    reverse: bool = False
    faint: bool = False
    strike: bool = False

    @property
    def ink(self) -> str:
        return (self.behind or BACKGROUND) if self.reverse else (self.colour or FOREGROUND)

    @property
    def paper(self) -> str | None:
        return (self.colour or FOREGROUND) if self.reverse else self.behind


SWITCHES: dict[int, dict[str, bool]] = {
    1: {"bold": True},
    2: {"faint": True},
    3: {"italic": True},
    4: {"underline": True},
    7: {"reverse": True},
    9: {"strike": True},
    22: {"bold": False, "faint": False},
    23: {"italic": False},
    24: {"underline": False},
    27: {"reverse": False},
    29: {"strike": False},
}


def svg(ansi: str, title: str = "", *, light: bool = False) -> str:
    """The picture; `light` for a program with dark text on a light ground."""
    rows = [list(_runs(line)) for line in _styled(ansi.rstrip("\n"))]
    columns = max((start + _width(text) for row in rows for start, text, _ in row), default=1)
    width, height = columns * CELL_WIDTH + 2 * MARGIN, len(rows) * CELL_HEIGHT + 2 * MARGIN + BAR
    frame = "\n".join(_frame(width, height, title))
    if light:  # the program itself says the colours of what it shows
        frame = re.sub("|".join(LIGHT), lambda colour: LIGHT[colour[0]], frame)
    return "\n".join([frame, *_drawn(rows), "</g>", "</svg>", ""])


def _styled(ansi: str) -> Iterator[list[tuple[str, Style]]]:
    """Each line as characters with their styles."""
    style = Style()
    for line in ansi.split("\n"):
        cells: list[tuple[str, Style]] = []
        end = 0
        for sequence in SEQUENCE.finditer(line):
            cells += [(character, style) for character in line[end : sequence.start()]]
            end = sequence.end()
            if sequence[1] is not None:
                style = _changed(style, sequence[1])
        yield cells + [(character, style) for character in line[end:]]


def _changed(style: Style, parameters: str) -> Style:
    """`style` after a Select Graphic Rendition sequence."""
    codes = [code.split(":") for code in parameters.split(";")]
    while codes:
        head, *details = codes.pop(0)
        code = int(head or 0)
        if code == 0:
            style = Style()
        elif code in (38, 48, 58):
            colour = _colour([int(part) for part in details if part] or _taken(codes))
            name = {38: "colour", 48: "behind"}.get(code)
            style = replace(style, **{name: colour}) if name else style  # type: ignore[arg-type]
        elif code == 4 and details == ["0"]:
            style = replace(style, underline=False)
        elif code in SWITCHES:
            style = replace(style, **SWITCHES[code])  # type: ignore[arg-type]
        else:
            style = _basic(style, code)
    return style


def _taken(codes: list[list[str]]) -> list[int]:
    """The parameters of an extended colour, removed from `codes`."""
    count = 2 if codes and codes[0] == ["5"] else 4
    return [int(codes.pop(0)[0] or 0) for _ in range(min(count, len(codes)))]


def _colour(parts: list[int]) -> str | None:
    match parts:
        case [5, number]:
            return _indexed(number)
        case [2, *rest] if len(rest) >= 3:
            return "#{:02x}{:02x}{:02x}".format(*rest[-3:])
    return None


def _indexed(number: int) -> str:
    """A colour of the 256."""
    if number < 16:
        return PALETTE[number]
    if number >= 232:
        return "#" + f"{8 + 10 * (number - 232):02x}" * 3
    steps = (0, 95, 135, 175, 215, 255)
    red, green, blue = (steps[(number - 16) // divisor % 6] for divisor in (36, 6, 1))
    return f"#{red:02x}{green:02x}{blue:02x}"


def _basic(style: Style, code: int) -> Style:
    """One of the sixteen named colours, or back to the default."""
    for base, bright in ((30, 0), (90, 8)):
        if base <= code < base + 8:
            return replace(style, colour=PALETTE[code - base + bright])
        if base + 10 <= code < base + 18:
            return replace(style, behind=PALETTE[code - base - 10 + bright])
    return {39: replace(style, colour=None), 49: replace(style, behind=None)}.get(code, style)


def _runs(cells: list[tuple[str, Style]]) -> Iterator[tuple[int, str, Style]]:
    """Neighbouring characters of one style, each run with its column."""
    column = start = 0
    text, style = "", Style()
    for character, its in cells:
        if its != style or _width(character) != 1 or not character.isascii():
            if text:
                yield start, text, style
            start, text, style = column, "", its
        text += character
        column += _width(character)
        if not character.isascii():  # drawn alone, so that a font without it cannot shift its neighbours
            yield start, text, style
            start, text = column, ""
    if text:
        yield start, text, style


def _width(text: str) -> int:
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _frame(width: float, height: float, title: str) -> Iterator[str]:
    size = f'width="{width:.0f}" height="{height:.0f}"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width:.0f} {height:.0f}">'
    yield f"<title>{escape(title or 'terminal')}</title>"
    yield f'<rect {size} rx="8" fill="{BACKGROUND}"/>'
    yield f'<path d="M0 {BAR} V8 a8 8 0 0 1 8 -8 H{width - 8:.0f} a8 8 0 0 1 8 8 V{BAR} Z" fill="{BAR_COLOUR}"/>'
    for number, colour in enumerate(("#ff5f57", "#febc2e", "#28c840")):
        yield f'<circle cx="{18 + 18 * number}" cy="{BAR / 2:.0f}" r="5.5" fill="{colour}"/>'
    yield (
        f'<text x="{width / 2:.0f}" y="{BAR / 2 + 5:.0f}" text-anchor="middle" font-family="sans-serif"'
        f' font-size="13" fill="{TITLE_COLOUR}">{escape(title)}</text>'
    )
    yield f'<g font-family="{FONT}" font-size="{FONT_SIZE}">'


def _drawn(rows: list[list[tuple[int, str, Style]]]) -> Iterator[str]:
    for number, row in enumerate(rows):
        top = BAR + MARGIN + number * CELL_HEIGHT
        for start, text, style in row:
            left, width = MARGIN + start * CELL_WIDTH, _width(text) * CELL_WIDTH
            if style.paper not in (None, BACKGROUND):
                place = f'x="{left:.1f}" y="{top}" width="{width:.1f}" height="{CELL_HEIGHT}"'
                yield f'<rect {place} fill="{style.paper}"/>'
            if text in FRAME:
                yield _line(text, style, left, top)
            elif text in BLOCKS:
                place = f'x="{left:.1f}" y="{top + 2}" width="{CELL_WIDTH + 0.2:.1f}" height="{CELL_HEIGHT - 4}"'
                yield f'<rect {place} fill="{style.ink}" opacity="{BLOCKS[text]}"/>'
            elif words := text.strip(" "):
                left += (len(text) - len(text.lstrip(" "))) * CELL_WIDTH
                yield _text(words, style, left, top + 13.5)


def _line(part: str, style: Style, left: float, top: float) -> str:
    """A piece of a frame, which joins the next one whatever the font."""
    x, y, right, bottom = left + CELL_WIDTH / 2, top + CELL_HEIGHT / 2, left + CELL_WIDTH, top + CELL_HEIGHT
    path = FRAME[part].format(left=left, top=top, right=right, bottom=bottom, x=x, y=y)
    return f'<path d="{path}" stroke="{style.ink}" fill="none"/>'


def _text(text: str, style: Style, left: float, base: float) -> str:
    lines = [name for name, on in (("underline", style.underline), ("line-through", style.strike)) if on]
    attributes = [
        f'x="{left:.1f}" y="{base:.1f}" fill="{style.ink}"',
        f'textLength="{_width(text) * CELL_WIDTH:.1f}" lengthAdjust="spacingAndGlyphs"' if len(text) > 1 else "",
        'font-weight="bold"' if style.bold else "",
        'font-style="italic"' if style.italic else "",
        'opacity="0.6"' if style.faint else "",
        f'text-decoration="{" ".join(lines)}"' if lines else "",
    ]
    return f"<text {' '.join(part for part in attributes if part)}>{escape(text.replace(' ', NO_BREAK))}</text>"


def main(argv: list[str]) -> int:
    if len(argv) not in (2, 3):
        sys.stderr.write(f"{__doc__}\n")
        return 2
    source, target, *title = argv
    picture = svg(Path(source).read_text(encoding="utf-8"), *title)
    Path(target).write_text(picture, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
