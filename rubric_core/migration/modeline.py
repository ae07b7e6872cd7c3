"""The line that says which dialect a text is in, where the text itself does not."""

import re

from rubric_core.language.detect_dialect import modeline
from rubric_core.text import Edit, Span, apply_edits

__all__ = ["add_modeline"]

_MODELINE = re.compile(r"^[ \t]*#[ \t]*rubric:[^\r\n]*?\bdialect[ \t]*=[ \t]*(?P<name>[\w.-]+)", re.MULTILINE)


def add_modeline(text: str, name: str, newline: str) -> str:
    """The text with a modeline that names a dialect; one that is there says the new name."""
    found = _MODELINE.search(text)
    if found is not None and modeline(text) == found["name"]:
        return apply_edits(text, [Edit(Span(*found.span("name")), name)])
    return f"# rubric: dialect={name}{newline}{text}"
