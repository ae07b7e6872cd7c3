"""Untrusted texts in Markdown: never rendered, and shortened."""

import json
import re
from collections.abc import Iterator

import yaml

from rubric_core.lazy_compilation import pattern

__all__ = ["beginning", "fenced", "shortened", "value_text", "without_tables"]

#: A table: its head, the line below it, and its rows.
_TABLE = pattern(r"^\|.*\|\n\|(?: *:?-+:? *\|)+(?:\n\|.*\|)*$", re.MULTILINE)
_BAR, _ESCAPED, _EMPHASIS = pattern(r"(?<!\\)\|"), pattern(r"\\([^\w\s])"), pattern(r"\*\*|`")
_LONGEST = 60
_MOST_LINES, _MOST_CHARACTERS = 30, 2_000


def fenced(text: str, language: str = "text") -> str:
    """The text in a fence longer than any in it, so that an image or link in it stays text."""
    fence = "`" * max(3, *(len(ticks) + 1 for ticks in re.findall("`+", text)), 0)
    return f"{fence}{language}\n{text}\n{fence}"


def value_text(value: object) -> str:
    """A value as an author would write it: texts unchanged, lists and mappings as YAML."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | dict):
        return yaml.safe_dump(value, allow_unicode=True, sort_keys=False, width=100).rstrip("\n")
    return json.dumps(value, default=str)


def beginning(text: str) -> str:
    """The first lines of a text, with a note if there are more."""
    lines = text[:_MOST_CHARACTERS].splitlines()
    if len(lines) <= _MOST_LINES and len(text) <= _MOST_CHARACTERS:
        return text.rstrip("\n")
    return "\n".join([*lines[:_MOST_LINES], "…"])


def shortened(text: str) -> str:
    """The text on one line, cut if it is long."""
    words = " ".join(text[: 10 * _LONGEST].split())
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"


def without_tables(text: str) -> str:
    """Markdown for editors that show a table as it is written: its cells are aligned in plain text."""
    return _TABLE.sub(lambda table: fenced("\n".join(_aligned(table[0].splitlines()))), text)


def _aligned(lines: list[str]) -> Iterator[str]:
    head, _, *rows = ([_cell(each) for each in _BAR.split(line)[1:-1]] for line in lines)
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=False)]
    for row in (head, *rows):
        yield "  ".join(cell + " " * (width - len(cell)) for cell, width in zip(row, widths, strict=False)).rstrip()


def _cell(written: str) -> str:
    """A cell without its markup."""
    return _ESCAPED.sub(r"\1", _EMPHASIS.sub("", written)).strip()
