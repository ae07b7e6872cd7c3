"""Names in code that nothing defines: variables, members of `context`, and settings of a provider."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rubric_core.families.promptfoo.checks.script_syntax import CodeReading, FreeName
from rubric_core.families.promptfoo.language.javascript import GLOBALS
from rubric_core.language.closest_name import closest, is_typo
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.program_uses import ProgramUse
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Finding, Fix

__all__ = [
    "OFTEN_MEANT",
    "OF_MODULES",
    "PYTHON_MEANT",
    "WORDS",
    "MemberSlip",
    "SettingSlip",
    "attributes_of_dicts",
    "meant_name",
    "members_of_context",
    "misread_settings",
    "place_in_code",
    "slips_of_context",
    "undefined_names",
    "unknown_members",
]

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
#: Longer code is not checked.
_LONGEST = 20_000
_STRINGS = pattern(r"\"(?:[^\"\\\n]|\\.)*[\"\\]?|'(?:[^'\\\n]|\\.)*['\\]?")
_COMMENT, _COMMENT_OF_PYTHON = pattern(r"//[^\n]{0,2000}"), pattern(r"#[^\n]{0,2000}")
_KNOWN = ("config", "logProbs", "metadata", "prompt", "provider", "providerResponse", "test", "trace", "uuid", "vars")
_MEMBER = pattern(r"(?<![\w$.])context\??\.([A-Za-z_$][\w$]*)")
_KEY = pattern(r"(?<![\w.])context(?:\[\s{0,9}|\.get\(\s{0,9})['\"]([A-Za-z_]\w{0,40})['\"]")
#: What code does with a member that may be missing, or that it makes itself.
_ASKED = pattern(r"\s{0,9}(?:\?|\|\||&&|=(?!=)|\))")
#: `context.vars` in Python, and `context['vars'].name`.
_OF_MAPPINGS = r"(?!(?:clear|copy|get|items|keys|pop|popitem|setdefault|update|values)\b)"
_ATTRIBUTE = pattern(rf"(?<![\w.])context(?:\[['\"]vars['\"]\])?\.{_OF_MAPPINGS}(?P<name>[A-Za-z_]\w{{0,60}})")
#: `vars['name']`, where `vars` is a function of Python.
_VARS = pattern(r"(?<![\w.'\"\[])(?P<name>vars)(?=\[['\"]|\.get\()")
_VARS_GIVEN = pattern(r"\bvars[ \t]{0,9}(?:=(?!=)|,|\)|:)|\bas[ ]vars\b")
_CONFIG = r"options(?:\[[\"']config[\"']\]|\.get\([\"']config[\"'](?:,[ ]?(?:\{\}|dict\(\)))?\))"
#: Another name for all settings.
_CALLED = pattern(rf"^[ \t]{{1,40}}(\w{{1,60}})[ ]?=[ ]?\(?{_CONFIG}(?:[ ]or[ ]\{{\}})?\)?[ \t]{{0,9}}$", 8)
_READ = pattern(
    rf"(?<![\w.])(?P<of>{_CONFIG}|\w{{1,60}})"
    r"(?:\[[\"'](?P<item>\w{1,60})[\"']\](?![ ]?=[^=])|(?P<get>\.get)\([\"'](?P<name>\w{1,60})[\"'])"
)


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


class MemberSlip(NamedTuple):
    """A member that `context` does not have."""

    words: str
    #: What was meant; empty if unknown.
    meant: str
    name: str
    #: Its place in the code.
    offset: int


def members_of_context(node: Scalar, text: str, *, is_python: bool) -> Iterator[Finding]:
    """What inline code reads of `context` and promptfoo does not give."""
    if "{{" in node.text or len(node.text) > _LONGEST:
        return
    slips = list(slips_of_context(node.text, is_python=is_python))
    slips += [] if is_python else unknown_members(node.text)
    for slip in slips:
        at = place_in_code(node, text, slip.offset, len(slip.name))
        fixes = (Fix(f"change it to `{slip.meant}`", (Edit(at, slip.meant),)),) if slip.meant and at is not None else ()
        advice = f"; did you mean `{slip.meant}`?" if slip.meant else ""
        yield Finding(at or node.span, f"{slip.words}{advice}", fixes=fixes)
    for slip in attributes_of_dicts(node.text) if is_python else ():
        at = place_in_code(node, text, slip.offset, len(slip.name))
        meant = slip.meant if at is not None and not (node.style == "single" and "'" in slip.meant) else ""
        fixes = (Fix(f"write `{meant}`", (Edit(at, meant),), safe=False),) if meant and at is not None else ()
        yield Finding(at or node.span, f"{slip.words}; write `{slip.meant}`", fixes=fixes)


def slips_of_context(code: str, *, is_python: bool) -> Iterator[MemberSlip]:
    """Members that resemble one which `context` has, in JavaScript or Python."""
    if len(code) > _LONGEST:
        return
    for found in _KEY.finditer(code) if is_python else _MEMBER.finditer(_without_strings(code, is_python=False)):
        meant = None if found[1] in _KNOWN else next((each for each in _KNOWN if is_typo(found[1], each)), None)
        if meant is not None:
            yield MemberSlip(f"`context` has no `{found[1]}`", meant, found[1], found.start(1))


def unknown_members(code: str) -> Iterator[MemberSlip]:
    """Members that resemble none which `context` has, in JavaScript; not those that code tests for."""
    plain = _without_strings(code, is_python=False)
    for found in _MEMBER.finditer(plain):
        is_slip = any(is_typo(found[1], each) for each in _KNOWN)
        if found[1] not in _KNOWN and not is_slip and not _ASKED.match(plain, found.end()):
            words = f"`context` has no `{found[1]}`; the variables of the case are in `context.vars`"
            yield MemberSlip(words, "", found[1], found.start(1))


def attributes_of_dicts(code: str) -> Iterator[MemberSlip]:
    """`context.vars` in inline Python, and `vars["name"]`, which code does not get."""
    plain = _without_strings(code, is_python=True)
    for found in _ATTRIBUTE.finditer(code):
        if plain.startswith("context", found.start()):
            name = f".{found['name']}"
            yield MemberSlip(f"a dict has no `{name}`", f"['{found['name']}']", name, found.start("name") - 1)
    for found in _VARS.finditer(code) if _VARS_GIVEN.search(code) is None else ():
        if plain.startswith("vars", found.start()):
            yield MemberSlip("code gets no `vars`", "context['vars']", "vars", found.start("name"))


def _without_strings(code: str, *, is_python: bool) -> str:
    """The code with blanks for its strings and comments, as long as before."""
    for blank in (_STRINGS, _COMMENT_OF_PYTHON if is_python else _COMMENT):
        code = blank.sub(lambda found: " " * len(found[0]), code)
    return code


class SettingSlip(NamedTuple):
    """A setting that no configuration has, and the one that was probably meant."""

    offset: int
    name: str
    meant: str
    #: Whether the code copes with a setting that is not there.
    is_optional: bool


def misread_settings(code: str, called: Iterable[ProgramUse]) -> Iterator[SettingSlip]:
    """What a provider reads of its settings, where all configurations that name it have a similar name that it never reads."""
    uses = [use.settings for use in called if use.role == "provider"]
    if "options" not in code or not uses or not all(uses):
        return
    names = {found[1] for found in _CALLED.finditer(code)}
    reads = [
        m for m in _READ.finditer(code) if m["of"] in names or (m["of"].startswith("options") and m["of"] != "options")
    ]
    read = {found["item"] or found["name"] for found in reads}
    known = frozenset[str]().union(*uses)
    for found in reads:
        name = found["item"] or found["name"]
        meant = next((each for each in sorted(known - read) if is_typo(name, each)), None)
        if name not in known and meant is not None and code.count(f'"{meant}"') + code.count(f"'{meant}'") == 0:
            at = found.start("item") if found["item"] else found.start("name")
            yield SettingSlip(at, name, meant, is_optional=bool(found["get"]))
