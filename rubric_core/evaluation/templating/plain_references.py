"""Fills in templates that are only texts and names, without the process that renders the others."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

__all__ = ["filled_in"]

#: A name in braces, with nothing else in them.
_NAME = re.compile(r"\{\{[ \t\n]*([A-Za-z_][A-Za-z0-9_]*)[ \t\n]*\}\}")
#: What else has a meaning in a text, and the line ends that rendering changes.
_OTHER = re.compile(r"\{[{%#]|\r")
#: Names that are words, constants or functions of the templates, or have a value of their own.
_TAKEN = frozenset({
    "and", "caller", "context", "cycler", "dict", "else", "env", "environment", "False", "false", "if", "in", "is", "joiner",
    "kwargs", "lipsum", "loop", "namespace", "None", "none", "not", "or", "range", "self", "super", "True", "true", "varargs",
})  # fmt: skip
#: The largest whole number that is the same in JavaScript.
_LARGEST_EXACT = 2**53
#: Characters of a rendered text, as in the process.
_LONGEST = 10_000_000


def filled_in(template: str, values: Mapping[str, Any]) -> str | None:
    """The template of Nunjucks with its values; None for one that needs to be rendered, or has other values than texts and numbers."""
    parts = _parts(template)
    if parts is None:
        return None
    made = list(parts)
    for at in range(1, len(made), 2):
        shown = _shown(values[made[at]]) if made[at] in values else None
        if shown is None:
            return None
        made[at] = shown
    text = "".join(made)
    return text if len(text) <= _LONGEST else None


@lru_cache(maxsize=500)
def _parts(template: str) -> tuple[str, ...] | None:
    """The texts between names and the names, in turn; None if there is anything else."""
    parts = tuple(_NAME.split(template))
    texts, names = parts[::2], parts[1::2]
    if any(_OTHER.search(each) for each in texts) or not _TAKEN.isdisjoint(names):
        return None
    # Three braces in a row are read as two and one, and which ones is not looked into here.
    is_clear = not any(each.endswith("{") for each in texts[:-1]) and not any(e.startswith("}") for e in texts[1:])
    return parts if is_clear else None


def _shown(value: Any) -> str | None:
    """A text, a truth value or a whole number as JavaScript writes it; None for anything else."""
    if type(value) is str:
        return value
    if type(value) is bool:
        return "true" if value else "false"
    return str(value) if type(value) is int and abs(value) <= _LARGEST_EXACT else None
