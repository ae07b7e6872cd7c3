"""Small pieces of Markdown."""

import re
from collections.abc import Iterable, Sequence

from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import pattern

__all__ = ["cell", "code", "code_cell", "heading", "plain", "plain_lines", "sentence", "table"]

#: What Markdown acts on inside of a line: emphasis, code, links, images, HTML, entities, and addresses that become links.
_SIGNS = pattern(r"[\\`*\[\]<~@|]|&(?=[#\w])|(?<![^\W_])_|_(?![^\W_])|:(?=//)|(?<=www)\.", re.IGNORECASE)
#: What is not a space, and yet parts words.
_BREAKS = pattern(r"[^\S ]+")
#: What makes a heading, a list, a quotation or a rule of a line that begins with it.
_FIRST = pattern(r"\A(?:([0-9]{1,9})([.)])(?=\s|\Z)|([#>+=:-]))")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; cells have no line breaks."""
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def cell(text: str) -> str:
    """`text` where a bar would end the cell."""
    return " ".join(text.split()).replace("|", "\\|")


def code(text: str) -> str:
    """The text on one line as code: neither links nor images nor addresses in it are rendered."""
    words = " ".join(text.split())
    ticks = "`" * max(1, *(len(found) + 1 for found in re.findall("`+", words)), 0)
    gap = " " if "`" in words else ""
    return f"{ticks}{gap}{words}{gap}{ticks}"


def plain(text: str) -> str:
    """The text on one line, escaped: no Markdown in it is rendered, no link or image is loaded. Fits into a table."""
    words = _SIGNS.sub(r"\\\g<0>", _BREAKS.sub(" ", text).strip())
    return _FIRST.sub(lambda m: f"{m[1]}\\{m[2]}" if m[1] else f"\\{m[3]}", words)


def plain_lines(text: str) -> str:
    """The same with the lines of the text; empty ones are left out."""
    return "  \n".join(plain(line) for line in text.splitlines() if line.strip())


def code_cell(text: str) -> str:
    """The same in a table."""
    return cell(code(text))


def heading(shape: type[Shape]) -> str:
    """The name of a shape, without its article."""
    words = shape.title().removeprefix("a ").removeprefix("an ")
    return words[:1].upper() + words[1:]


def sentence(shape: type[Shape]) -> str:
    """The purpose of a shape."""
    line = " ".join((shape.__doc__ or "").split("\n\n")[0].split())
    words = line.partition(": ")[2] or line
    return words[:1].upper() + words[1:]
