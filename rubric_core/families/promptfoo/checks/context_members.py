"""Members of `context` that code reads and promptfoo does not give: `context.promt`, `context["var"]`."""

from collections.abc import Iterator
from typing import NamedTuple

from rubric_core.families.promptfoo.checks.script_names import place_in_code
from rubric_core.language.closest_name import is_typo
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Edit
from rubric_core.validation.rule import Finding, Fix

__all__ = ["MemberSlip", "attributes_of_dicts", "members_of_context", "slips_of_context", "unknown_members"]

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
