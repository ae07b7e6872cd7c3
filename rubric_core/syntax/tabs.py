"""Tabs that libyaml stumbles over and YAML 1.2 allows: where nothing is indented by them."""

import re

from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.events import Failure, stumble
from rubric_core.syntax.repair import TAB

__all__ = ["replace_idle_tabs"]

_BLANK_LINE = re.compile(r"^ *\t[ \t]*(?=[\r\n]|\Z)", re.MULTILINE)
#: In front of a comment, or between a dash and its value; a key behind the tab would be indented by it.
_IDLE = pattern(r"([ \t]*)(?=#)|( *- *\t[ \t]*)(?=[\[{]|[^\s#-](?![^\r\n]*:(?:[ \t\r\n]|\Z)))")
#: Lines of that kind are rare, and each takes another look at the whole text.
_MOST = 20


def replace_idle_tabs(text: str, failure: Failure) -> tuple[str, Failure | None]:
    """`text` with blanks in place of such tabs, every offset as it was, and where libyaml stumbles then."""
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
        # The first line of a block of text begins with a tab: that is text, unless it stands where blanks have to be.
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
