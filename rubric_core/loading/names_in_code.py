"""Finds the variables of promptfoo that JavaScript and Python read by name (issue 18, section 2)."""

from collections.abc import Iterator
from typing import NamedTuple

from rubric_core.lazy_compilation import pattern
from rubric_core.text import Span

__all__ = ["ReadName", "names_read", "read_by_code"]

#: Quotes, which YAML may escape or double.
_QUOTE = r"\\?[\"']{1,2}"
#: `vars.name`, `vars["name"]` and `vars.get("name")`; what follows tells calls and assignments.
_READ = pattern(
    r"(?P<of>(?:\b|(?<=\\[nrt]))context\b\s{0,3}[^\s;,\w]{1,4}(?:get\([^\s;,\w]{1,3})?)?\b(?:vars|other_?[vV]ars)"
    rf"(?:{_QUOTE}(?:\]|\)|,\s{{0,3}}\{{\}}\)))?"
    r"(?:\??\.(?!get\b)(?P<member>[A-Za-z_]\w{0,60})"
    rf"|(?:\??\.)?(?:\[|get\()\s{{0,3}}{_QUOTE}(?P<item>[A-Za-z_]\w{{0,60}}){_QUOTE}[\])]?)"
    r"(?P<after>\s{0,9}(?:\(|=(?![=>])))?"
)
#: `const {name, other: renamed} = context.vars`.
_TAKEN_APART = pattern(
    r"\{(?P<names>[^{}()]{1,999})\}\s{0,9}=\s{0,9}(?P<of>context\s{0,3}\??\.\s{0,3})?vars\b(?!\s{0,9}[.?\[(])"
)
#: `anything.get("name")`.
_TAKEN_FROM_ANY = pattern(r"\.get\(\s{0,9}['\"]([^'\"\n]{1,99})['\"]")
_TAKEN = pattern(
    r"(?:\A|,)\s{0,99}(?P<name>[A-Za-z_]\w{0,60})(?P<renamed>\s{0,9}:)?(?=\s{0,9}[^\s:=]{0,60}\s{0,9}(?:,|\Z))"
)


class ReadName(NamedTuple):
    """A variable that code reads by its name."""

    name: str
    #: Offsets in the text.
    span: Span
    #: Whether it is read from `context`, which promptfoo gives to code; else from anything called `vars`.
    is_of_context: bool
    #: Whether it is called or assigned, so that it is the code's own.
    is_own: bool
    #: Whether a local name of the code is called after it: `const {name} = vars`.
    is_taken: bool = False


def names_read(text: str, start: int = 0, end: int | None = None) -> Iterator[ReadName]:
    """Every variable that the code between two offsets of a text reads by its name; those taken apart come last."""
    end = len(text) if end is None else end
    if text.find("vars", start, end) < 0:
        return
    for found in _READ.finditer(text, start, end):
        group = "member" if found["member"] else "item"
        yield ReadName(found[group], Span(*found.span(group)), found["of"] is not None, found["after"] is not None)
    for apart in _TAKEN_APART.finditer(text, start, end):
        begin = apart.start("names")
        for found in _TAKEN.finditer(apart["names"]):
            span = Span(begin + found.start("name"), begin + found.end("name"))
            is_taken = found["renamed"] is None
            yield ReadName(found["name"], span, apart["of"] is not None, is_own=False, is_taken=is_taken)


def read_by_code(text: str) -> Iterator[str]:
    """The variables that code in a text may read by name, from `vars` or from what it calls otherwise."""
    yield from (each.name for each in names_read(text))
    yield from _TAKEN_FROM_ANY.findall(text)
