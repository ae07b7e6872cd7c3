"""Tabs that YAML 1.2 allows but libyaml rejects, because they indent nothing."""

import re

from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.events import stumble
from rubric_core.syntax.failure import Failure
from rubric_core.syntax.stand_ins import TAB

__all__ = ["replace_idle_tabs"]

_BLANK_LINE = pattern(r"^ *\t[ \t]*(?=[\r\n]|\Z)", re.MULTILINE)
#: A tab before a comment, or between a dash and its value; a key after the tab would be indented by it.
_IDLE = pattern(r"([ \t]*)(?=#)|( *- *\t[ \t]*)(?=[\[{]|[^\s#-](?![^\r\n]*:(?:[ \t\r\n]|\Z)))")
#: The most such lines that are replaced: they are rare, and each requires reading the whole text again.
_MOST = 20


def replace_idle_tabs(text: str, failure: Failure) -> tuple[str, Failure | None]:
    """`text` with blanks in place of such tabs, offsets unchanged, and the error of libyaml then."""
    left: Failure | None = failure
    for _ in range(_MOST):
        if left is None or "\t" not in text:
            break
        text, again = _replaced(text, left.offset, left.problem)
        if not again:
            break
        left = stumble(text)
    return text, left


def _replaced(text: str, at: int, why: str) -> tuple[str, bool]:
    if "where an indentation space is expected" in why and text[at : at + 1] == "\t":
        # A block scalar whose first line begins with a tab: the tab is text unless it is in the place of required indentation.
        new = text[:at] + TAB + text[at + 1 :]
        left = stumble(new)
        return (new, True) if left is None or left.offset > at + len(text[at:].split("\n", 1)[0]) else (text, False)
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    if _BLANK_LINE.match(text, start):
        return _BLANK_LINE.sub(lambda m: " " * len(m[0]), text), True
    found = _IDLE.match(text, start)
    if found is None or "\t" not in found[0]:
        return text, False
    return text[:start] + found[0].replace("\t", " ") + text[found.end() :], True
