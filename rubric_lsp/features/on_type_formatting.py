"""Edits while the user types: a new list line starts like the item above it, an empty item ends the list.

Editors know lines by patterns alone, and indent after a colon in texts, too: there, a new line starts like the line above it.
"""

import re

from rubric_core.analysis import Analysis
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Scalar, walk
from rubric_core.text import Edit, Span

__all__ = ["TRIGGERS", "format_on_type"]

TRIGGERS = ("\n", "-")
_ITEM = pattern(r"(?P<indent> *)-(?P<gap> +)(?P<rest>\S.*)?\Z")
_ENTRY = pattern(r"(?:[\w$.-]+|\"[^\"]*\"|'[^']*')[ \t]*:(?:[ \t]|\Z)")
#: A line of a program, below which an editor indents.
_CODE = pattern(r"\s*(?:async|class|def|elif|else|except|finally|for|if|match|case|try|while|with)\b.*:\s*\Z")


def format_on_type(analysis: Analysis, offset: int, character: str) -> list[Edit]:
    """The edits after `character` was typed before `offset`."""
    if analysis.kind.is_text:
        return []
    document = analysis.document
    number = document.block_at(offset)
    block, start = document.blocks[number], document.start(number)
    line = block.index.line_of(offset - start)
    here = block.index.line_span(line)
    above = _line_above(analysis, start + here.start)
    text = block.text[here.start : here.end]
    if _in_text(analysis, above[0] + len(above[1])):
        return _unindented(above[1], text, start + here.start) if character == "\n" else []
    if character == "-":
        return _aligned(above, text, start + here.start)
    return _continued(above, text, Span(start + here.start, start + here.end))


def _in_text(analysis: Analysis, offset: int) -> bool:
    """Whether the end of a line is in a scalar that began on an earlier line, where a dash is text."""
    local = analysis.local(offset)
    inside = (
        n for n in walk(local.tree.root) if isinstance(n, Scalar) and n.span.start < local.offset <= n.span.end + 1
    )
    return any("\n" in local.text[n.span.start : local.offset] for n in inside)


def _unindented(above: str, text: str, start: int) -> list[Edit]:
    """Move an empty line below a colon back to the column of the line above."""
    margin = above[: len(above) - len(above.lstrip(" "))]
    if text.strip(" ") or len(text) <= len(margin) or not above.rstrip().endswith(":") or _CODE.match(above):
        return []
    return [Edit(Span(start, start + len(text)), margin)]


def _line_above(analysis: Analysis, line_start: int) -> tuple[int, str]:
    """The start of the line above, and its text."""
    document = analysis.document
    if line_start == 0:
        return 0, ""
    number = document.block_at(line_start - 1)
    block, start = document.blocks[number], document.start(number)
    span = block.index.line_span(block.index.line_of(line_start - 1 - start))
    return start + span.start, block.text[span.start : span.end]


def _continued(above: tuple[int, str], text: str, here: Span) -> list[Edit]:
    """After a line break: another dash under a plain item, no dash under an empty one."""
    start, line = above
    item = _ITEM.match(line) or (re.match(r"(?P<indent> *)-(?P<gap>)(?P<rest>)\Z", line))
    if item is None or text.strip():
        return []
    if not item["rest"]:
        # Return on an empty item ends the list.
        return [Edit(Span(start, start + len(line)), ""), Edit(here, item["indent"][:-2])]
    if _ENTRY.match(item["rest"]) or item["rest"][0] in "&*!|>#" or _is_open(item["rest"]):
        return []
    return [Edit(here, f"{item['indent']}-{item['gap']}")]


def _is_open(value: str) -> bool:
    """Whether a bracketed value continues below."""
    opened, closed = sum(map(value.count, "{[")), sum(map(value.count, "}]"))
    return value[0] in "{[" and (opened != closed or value.rstrip()[-1] not in "}]")


def _aligned(above: tuple[int, str], text: str, start: int) -> list[Edit]:
    """Move the first dash of a line that is one column off to the column of its list."""
    item = _ITEM.match(above[1])
    indent = len(text) - len(text.lstrip(" "))
    if item is None or text.strip() != "-" or abs(indent - len(item["indent"])) != 1:
        return []
    return [Edit(Span(start, start + indent), item["indent"])]
