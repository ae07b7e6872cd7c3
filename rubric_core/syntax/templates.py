"""What is wrong with a template as it is written, told without rendering it: `{{ name }`, `{% if x %}` without an end, filters."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from rubric_core.text import Span

__all__ = ["Loose", "Unclosed", "filters_used", "loose_statements", "unclosed_references"]

#: `{{ name }` and `${{ NAME }`; behind it no third brace, and nothing that makes it LaTeX or code.
_HALF = re.compile(r"(?<![\\\w{^])\$?\{\{(?P<space>[ \t]*)(?P<name>[A-Za-z_][\w.]*)[ \t]*\}(?=[\s.,;:?!\"')\]]|\Z)")
#: A comment, a literal part, a statement, or the begin of one that does not end.
_STATEMENT = re.compile(
    r"\{#.*?#\}|\{%-?\s*(?P<literal>raw|verbatim)\s*-?%\}.*?\{%-?\s*end(?P=literal)\s*-?%\}"
    r"|\{%-?\s*(?P<word>\w*)(?P<rest>[^%]*?(?:%(?!\})[^%]*?)*?)-?%\}|\{%",
    re.DOTALL,
)
_ENDS = {
    "if": "endif", "for": "endfor", "asyncEach": "endeach", "asyncAll": "endall", "ifAsync": "endif", "macro": "endmacro", "call": "endcall",
    "filter": "endfilter", "block": "endblock", "switch": "endswitch", "raw": "endraw", "verbatim": "endverbatim", "set": "endset",
}  # fmt: skip
_EXPRESSION = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
_STRING = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'", re.DOTALL)
_FILTER = re.compile(r"(?<!\|)\|\s*([A-Za-z_]\w*)")


class Unclosed(NamedTuple):
    """A reference with one brace too few at its end."""

    span: Span
    name: str
    #: Whether it has blanks in its braces, as hardly anything else has.
    spaced: bool


class Loose(NamedTuple):
    """A statement without its counterpart: `word` is the one that is missing, empty for a `{%` that is not closed."""

    span: Span
    word: str
    #: Whether it is an end that nothing begins.
    is_end: bool = False


def unclosed_references(text: str, span: Span) -> Iterator[Unclosed]:
    """References in a part of `text` that are not closed."""
    for found in _HALF.finditer(text, *span):
        yield Unclosed(Span(*found.span()), found["name"], bool(found["space"]))


def loose_statements(text: str, span: Span) -> Iterator[Loose]:
    """Statements in a part of `text` that have no end, or no begin."""
    open_: list[tuple[str, Span]] = []
    for found in _STATEMENT.finditer(text, *span):
        at = Span(*found.span())
        word = found["word"]
        if found[0] == "{%":
            yield Loose(at, "")
        elif word in _ENDS and not (word == "set" and "=" in found["rest"]):
            open_.append((word, at))
        elif word in _ENDS.values():
            if not open_ or _ENDS[open_[-1][0]] != word:
                yield Loose(at, word, is_end=True)
            else:
                open_.pop()
    for word, at in open_:
        yield Loose(at, _ENDS[word])


def filters_used(text: str, span: Span) -> Iterator[tuple[str, Span]]:
    """The names of filters in a part of `text`, with their places."""
    for expression in _EXPRESSION.finditer(text, *span):
        bare = _STRING.sub(lambda m: " " * len(m[0]), expression[0])
        for found in _FILTER.finditer(bare):
            start = expression.start() + found.start(1)
            yield found[1], Span(start, start + len(found[1]))
