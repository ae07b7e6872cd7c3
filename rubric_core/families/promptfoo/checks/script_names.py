"""Names in inline code that neither the code, nor promptfoo, nor the language defines: the code throws."""

from collections.abc import Iterable, Iterator

from rubric_core.families.promptfoo.checks.script_syntax import CodeReading, FreeName
from rubric_core.families.promptfoo.language.javascript import GLOBALS
from rubric_core.language.closest_name import closest
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Finding, Fix

__all__ = ["OFTEN_MEANT", "OF_MODULES", "PYTHON_MEANT", "WORDS", "meant_name", "place_in_code", "undefined_names"]

#: Line breaks in a text with their blanks.
_FOLD = pattern(r"[ \t]{0,500}(?:\r?\n[ \t]{0,500}){1,500}")
#: Words that look like names but are not, or whose meaning depends on the context.
WORDS = frozenset({"arguments", "async", "await", "import", "let", "new", "of", "static", "target", "yield"})
#: Candidates for misspelt names, besides those of the code.
OFTEN_MEANT = (
    "JSON",
    "Math",
    "Object",
    "Array",
    "String",
    "Number",
    "Boolean",
    "Date",
    "parseInt",
    "parseFloat",
    "console",
    "undefined",
)
PYTHON_MEANT = (
    "json", "len", "str", "int", "float", "any", "all", "sorted", "True", "False", "None", "isinstance", "print", "range", "list", "dict",
    "set", "tuple", "bool", "sum", "min", "max", "round", "enumerate", "Exception", "ValueError", "open",
)  # fmt: skip
#: What `context` of assertions has, and of transforms.
_IN_CONTEXT = ("vars", "prompt", "test", "config", "provider", "providerResponse")
OF_MODULES = frozenset({"require", "module", "exports", "__dirname", "__filename"})


def undefined_names(
    read: CodeReading, node: Scalar, text: str, at: Span, *, given: Iterable[str], is_python: bool, may_fix: bool
) -> Iterator[Finding]:
    """Each name once, where it is used first.

    Args:
        read: The reading of the code.
        node: The code.
        text: The text with the code.
        at: The span to mark if the place of a name is unknown.
        given: The parameters that promptfoo passes.
        is_python: Whether it is Python, not JavaScript.
        may_fix: Whether the code may be changed here.
    """
    if not is_python and any(each.text == "eval" for each in read.free):
        return
    known = frozenset(given) if is_python else GLOBALS.union(WORDS, given)
    uses: dict[str, list[FreeName]] = {}
    for each in read.free:
        if each.text not in known:
            uses.setdefault(each.text, []).append(each)
    candidates = sorted({*given, *read.bound, *(PYTHON_MEANT if is_python else OFTEN_MEANT)} - {"main"})
    for name, found in uses.items():
        places = [place_in_code(node, text, each.offset, len(name)) for each in found]
        known_places = [place for place in places if place is not None]
        meant = f"context.{name}" if name in _IN_CONTEXT and not is_python else meant_name(name, candidates)
        advice = f"; did you mean `{meant}`?" if meant else ""
        if name in OF_MODULES and not is_python:
            advice = "; a file has it, which begins with file://"
        edits = tuple(Edit(place, meant) for place in known_places) if meant else ()
        fixes = (Fix(f"change it to `{meant}`", edits),) if edits and may_fix and None not in places else ()
        yield Finding(places[0] or at if may_fix else at, f"nothing defines `{name}` in this code{advice}", fixes=fixes)


def meant_name(name: str, candidates: Iterable[str]) -> str | None:
    """The name that another is a slip of; a class is no slip of a variable, but for its capital: `data` is not `Date`."""
    is_class = name[:1].isupper()
    return closest(
        name, [each for each in candidates if each[:1].isupper() is is_class or each.lower() == name.lower()]
    )


def place_in_code(node: Scalar, text: str, offset: int, length: int) -> Span | None:
    """The place in the text of a part of one line of code; None if escapes or folded lines hide it."""
    if node.style == "literal":
        return _in_block(node, text, offset, length)
    start, end = node.span.start + node.is_quoted, node.span.end - node.is_quoted
    if text[start:end] == node.text:
        return Span(start + offset, start + offset + length)
    is_here = not node.is_block and end <= len(text)
    places = _folded_places(text, start, end, is_single=node.style == "single") if is_here else []
    if len(places) != len(node.text) or any(
        text[at] != sign for at, sign in zip(places, node.text, strict=True) if not sign.isspace()
    ):
        return None
    found = places[offset : offset + length]
    return Span(found[0], found[-1] + 1) if found and "\n" not in text[found[0] : found[-1]] else None


def _folded_places(text: str, start: int, end: int, *, is_single: bool) -> list[int]:
    """The offset of each character of a text on several lines, which has no other escapes than doubled quotes.

    A line break is a blank, and more of them one less; blanks around them are left out.
    """
    places: list[int] = []
    at = start
    while at < end:
        found = _FOLD.match(text, at, end)
        if found is not None:
            breaks = found[0].count("\n")
            places += [at] if breaks == 1 else [at] * (breaks - 1)
            at = found.end()
            continue
        places.append(at)
        at += 2 if is_single and text.startswith("''", at) else 1
    return places


def _in_block(node: Scalar, text: str, offset: int, length: int) -> Span | None:
    line = node.text.count("\n", 0, offset)
    written = node.text.split("\n")[line]
    start = node.span.start
    for _ in range(line + 1):
        start = text.find("\n", start, node.span.end) + 1
        if not start:
            return None
    end = text.find("\n", start)
    raw = text[start : end if end >= 0 else len(text)].removesuffix("\r")
    if not raw.endswith(written):
        return None
    column = offset - (node.text.rfind("\n", 0, offset) + 1)
    begin = start + len(raw) - len(written) + column
    return Span(begin, begin + length)
