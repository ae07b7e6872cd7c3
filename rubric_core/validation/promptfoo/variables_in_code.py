"""Finds the variables of promptfoo that JavaScript and Python read by name (issue 18, section 2)."""

from collections.abc import Collection, Iterator
from typing import NamedTuple

from rubric_core.language.promptfoo.assertion import Assertion
from rubric_core.language.promptfoo.case import PromptfooCase
from rubric_core.language.promptfoo.graded_assertions import JavaScriptCode, PythonCode
from rubric_core.language.shape import FieldPlace
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Span
from rubric_core.validation.promptfoo.case_parts import options_of

__all__ = ["CodeVariables", "ReadName", "code_variables", "names_read", "read_by_code"]

#: Quotes, which YAML may escape or double.
_QUOTE = r"\\?[\"']{1,2}"
#: `vars.name`, `vars["name"]` and `vars.get("name")`; what follows tells calls and assignments.
_READ = pattern(
    r"(?P<of>(?:\b|(?<=\\[nrt]))context\b\s{0,3}[^\s;,\w]{1,4}(?:get\([^\s;,\w]{1,3})?)?\bvars"
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

#: The fields of an assertion and of the options of a case that contain JavaScript.
_TRANSFORMS = ("transform", "context_transform", "postprocess")


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


class CodeVariables(NamedTuple):
    """The variables that one piece of code reads."""

    names: tuple[ReadName, ...]
    is_python: bool


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


def code_variables(case: PromptfooCase, checks: Collection[Assertion], text: str) -> Iterator[CodeVariables]:
    """What the code that is written in a case itself reads, for code that reads anything; `text` is that of its block."""
    for node, is_python in _code_in(case, checks):
        names = tuple(names_read(text, *node.span))
        if names:
            yield CodeVariables(names, is_python)


def _code_in(case: PromptfooCase, checks: Collection[Assertion]) -> Iterator[tuple[Scalar, bool]]:
    """The code in assertions and transforms, and whether it is Python."""
    own = [check for check in checks if not check.borrowed]
    places: list[tuple[FieldPlace | None, bool]] = [
        (check.places.get("value"), isinstance(check, PythonCode))
        for check in own
        if isinstance(check, JavaScriptCode | PythonCode)
    ]
    for shape in (*own, options_of(case)):
        places += [(shape.places.get(field), False) for field in _TRANSFORMS if shape is not None]
    for place, is_python in places:
        node = place.node if place is not None and not place.borrowed else None
        if isinstance(node, Scalar) and not node.text.startswith(("file://", "package:")):
            yield node, is_python
