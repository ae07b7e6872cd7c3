"""Errors of a template, found without rendering it: `{{ name }`, `{% if x %}` without an end, unknown filters."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from rubric_core.lazy_compilation import pattern
from rubric_core.text import Span

__all__ = [
    "ANY_VARIABLE",
    "ENVIRONMENT_ACCESS",
    "NUNJUCKS_FILTERS",
    "STATEMENTS",
    "UnclosedReference",
    "UnmatchedStatement",
    "environment_read",
    "filters_used",
    "loose_statements",
    "statement_words",
    "unclosed_references",
]

#: The filters of Nunjucks, and one that the engines add.
NUNJUCKS_FILTERS = frozenset({
    "abs", "batch", "capitalize", "center", "d", "default", "dictsort", "dump", "e", "escape", "first", "float", "forceescape", "groupby",
    "indent", "int", "join", "last", "length", "list", "load", "lower", "nl2br", "random", "reject", "rejectattr", "replace", "reverse",
    "round", "safe", "select", "selectattr", "slice", "sort", "string", "striptags", "sum", "title", "trim", "truncate", "upper", "urlencode",
    "urlize", "wordcount",
})  # fmt: skip

#: `{{ name }` and `${{ NAME }`; no third brace follows, and nothing that makes it LaTeX or code.
_HALF = pattern(r"(?<![\\\w{^])\$?\{\{(?P<space>[ \t]*)(?P<name>[A-Za-z_][\w.]*)[ \t]*\}(?=[\s.,;:?!\"')\]]|\Z)")
_LITERAL = pattern(r"\{%-?\s*(raw|verbatim)\s*-?%\}")
_WORD = pattern(r"\{%-?\s*(\w*)")
#: The text after `set` if a body gives the value.
_NAMES = pattern(r"\s+\w+(?:\s*,\s*\w+)*\s*-?%\}")
#: The opening delimiters, and the closing delimiter of each.
_CLOSERS = {"{{": "}}", "{%": "%}", "{#": "#}"}
_STATEMENT, _EXPRESSION = re.compile(r"\{[#%]"), re.compile(r"\{[{%]")
_ENDS = {
    "if": "endif", "for": "endfor", "asyncEach": "endeach", "asyncAll": "endall", "ifAsync": "endif", "macro": "endmacro", "call": "endcall",
    "filter": "endfilter", "block": "endblock", "switch": "endswitch", "raw": "endraw", "verbatim": "endverbatim", "set": "endset",
}  # fmt: skip
#: The words with which statements of Nunjucks begin.
STATEMENTS = frozenset(
    {*_ENDS, *_ENDS.values(), "case", "default", "elif", "else", "elseif", "extends", "from", "import", "include"}
)
_STRING = pattern(r"(?<!\\)(?:\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')", re.DOTALL)
_FILTER = pattern(r"(?<!\|)\|\s*([A-Za-z_]\w*)")
#: `${{ NAME }}`.
_REFERENCE = pattern(r"\$\{\{-?\s*(?:env\s*\.\s*)?([A-Za-z_]\w*)\s*-?\}\}")
#: `env`, `env.NAME` or `env['NAME']` inside an expression; the name is the group `key` or `item`.
ENVIRONMENT_ACCESS = pattern(
    r"(?<![\w.])env\b(?:\s*\.\s*(?P<key>[A-Za-z_]\w*)|\s*\[\s*(?P<quote>['\"])(?P<item>[A-Za-z_]\w*)(?P=quote)\s*\])?"
)
#: `env.get('NAME')` reads that name; any other method or call may read any variable.
_CALL = pattern(r"\s*\(")
_NAMED_CALL = pattern(r"\s*\(\s*(['\"])([A-Za-z_]\w*)\1\s*[,)]")
#: Stands for a variable name that is only known when the template is rendered.
ANY_VARIABLE = "*"


class UnclosedReference(NamedTuple):
    """A reference with one brace too few at its end."""

    span: Span
    name: str
    #: Whether it has blanks inside its braces, which is rare in anything but a template.
    spaced: bool


class UnmatchedStatement(NamedTuple):
    """A statement without its counterpart.

    `word` is the end tag that is missing or, with `is_end`, the one that has no start tag; empty for a `{%` without
    `%}`.
    """

    span: Span
    word: str
    #: Whether it is an end tag without a matching start tag.
    is_end: bool = False


def unclosed_references(text: str, span: Span) -> Iterator[UnclosedReference]:
    """The unclosed references in a part of `text`."""
    for found in _HALF.finditer(text, *span):
        yield UnclosedReference(Span(*found.span()), found["name"], bool(found["space"]))


def loose_statements(text: str, span: Span) -> Iterator[UnmatchedStatement]:
    """The statements in a part of `text` that have no matching end or start tag."""
    open_: list[tuple[str, Span]] = []
    for at, closed in _enclosed(text, span, _STATEMENT):
        begun = _WORD.match(text, *at)
        word = begun[1] if begun is not None else ""
        if begun is None:
            continue  # a comment
        if not closed:
            yield UnmatchedStatement(at, "")
        elif word in _ENDS and (word != "set" or _NAMES.match(text, begun.end(), at.end) is not None):
            open_.append((word, at))
        elif word in _ENDS.values():
            if not open_ or _ENDS[open_[-1][0]] != word:
                yield UnmatchedStatement(at, word, is_end=True)
            else:
                open_.pop()
    for word, at in open_:
        yield UnmatchedStatement(at, _ENDS[word])


def statement_words(text: str, span: Span) -> Iterator[tuple[str, Span]]:
    """The words with which the statements in a part of `text` begin, with their places."""
    for at, closed in _enclosed(text, span, _STATEMENT):
        begun = _WORD.match(text, *at) if closed else None
        if begun is not None and begun[1]:
            yield begun[1], Span(*begun.span(1))


def filters_used(text: str, span: Span) -> Iterator[tuple[str, Span]]:
    """The names of filters in a part of `text`, with their places."""
    for at, closed in _enclosed(text, span, _EXPRESSION):
        bare = _STRING.sub(lambda m: " " * len(m[0]), text[at.start : at.end]) if closed else ""
        for found in _FILTER.finditer(bare):
            start = at.start + found.start(1)
            yield found[1], Span(start, start + len(found[1]))


def environment_read(text: str) -> Iterator[tuple[str, Span]]:
    """The environment variables that a template reads, by name, each with its places."""
    if "{{" not in text and "{%" not in text:
        return
    for found in _REFERENCE.finditer(text):
        yield found[1], Span(*found.span())
    for at, closed in _enclosed(text, Span(0, len(text)), _EXPRESSION):
        if not closed or (at.start and text.startswith("$", at.start - 1)):
            continue
        for found in ENVIRONMENT_ACCESS.finditer(text[at.start : at.end]):
            start = at.start + found.start()
            name, end = found["key"] or found["item"] or ANY_VARIABLE, at.start + found.end()
            if hasattr(dict, name) or _CALL.match(text, end, at.end):
                named = _NAMED_CALL.match(text, end, at.end)
                name, end = (named[2], named.end()) if named is not None else (ANY_VARIABLE, end)
            yield name, Span(start, end)


def _enclosed(text: str, span: Span, opener: re.Pattern[str]) -> Iterator[tuple[Span, bool]]:
    """The content of braces, and whether it ends; of an unclosed statement only its start. Raw blocks are skipped.

    A missing end is not searched again: each of many openers would scan to the end.
    """
    place, missing = span.start, set[str]()
    while (begun := opener.search(text, place, span.end)) is not None:
        start, closer = begun.start(), _CLOSERS[begun[0]]
        literal = _LITERAL.match(text, start, span.end) if opener is _STATEMENT else None
        after = _end_of_literal(text, literal, span.end, missing) if literal is not None else None
        stop = -1 if closer in missing else text.find(closer, begun.end(), span.end)
        if after is not None:
            place = after
        elif stop >= 0:
            place = stop + len(closer)
            yield Span(start, place), True
        else:
            missing.add(closer)
            place = begun.end() if closer == "%}" and opener is _STATEMENT else start + 1
            if closer == "%}":
                yield Span(*begun.span()), False


def _end_of_literal(text: str, literal: re.Match[str], end: int, missing: set[str]) -> int | None:
    """The end of a raw or comment part, which is not rendered; None if it is not closed."""
    word = literal[1]
    found = None if word in missing else re.compile(rf"\{{%-?\s*end{word}\s*-?%\}}").search(text, literal.end(), end)
    if found is None:
        missing.add(word)
        return None
    return found.end()
