"""Inline code of promptfoo whose result is a text, a list or nothing, whatever the output is."""

import re
from types import MappingProxyType
from typing import NamedTuple

from rubric_core.lazy_compilation import pattern
from rubric_core.validation.promptfoo.formulas import without_strings

__all__ = ["POSITION", "UselessResult", "useless_result"]

#: Longer code is not read.
_LONGEST = 2_000
_TEXT, _LIST, _NOTHING = "a text", "a list or nothing", "nothing"
#: 0 at the beginning, and -1 where there is none.
POSITION = "a position"
#: The last call of an expression, and its result. A text of Python may be a number, or the JSON of a result.
_JAVASCRIPT = MappingProxyType({
    **dict.fromkeys(("trim", "trimStart", "trimEnd", "toLowerCase", "toUpperCase", "toLocaleLowerCase", "replace", "replaceAll", "substring", "substr",
                     "padStart", "padEnd", "repeat", "normalize", "charAt", "toString", "join", "toFixed", "stringify"), _TEXT),
    **dict.fromkeys(("indexOf", "lastIndexOf", "search"), POSITION),
    **dict.fromkeys(("match", "exec"), _LIST), **dict.fromkeys(("split", "matchAll"), "a list"), "log": _NOTHING,
})  # fmt: skip
_PYTHON = MappingProxyType({
    **dict.fromkeys(("split", "splitlines", "findall"), "a list"),
    **dict.fromkeys(("search", "match", "fullmatch"), "a match or nothing"), "print": _NOTHING,
    **dict.fromkeys(("find", "rfind"), POSITION),
})  # fmt: skip
#: What such an expression begins with; a regular expression may stand before `exec`.
_ROOT = pattern(r"(?:await[ ]+)?(?:/(?![/*])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]{0,8}|[A-Za-z_$][\w$]*)")
_MEMBER = pattern(r"\s*(?:\?\.|\.)\s*([A-Za-z_$][\w$]*)")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_CHOICE = pattern(r"[^?\n]{1,300}\?[ ]{0,9}(?:\"[^\"\\]*\"|'[^'\\]*')[ ]{0,9}:[ ]{0,9}(?:\"[^\"\\]*\"|'[^'\\]*')\Z")
#: The texts of Python that are no number, no `true` or `false`, and no JSON.
_PYTHON_CHOICE = pattern(
    r"(?P<one>[\"'])(?!true|false)[a-z][a-z ]{0,30}(?P=one)[ ]{1,3}if[ ][^\"'\n]{1,200}[ ]else[ ](?P<two>[\"'])(?!true|false)[a-z][a-z ]{0,30}(?P=two)\Z",
    re.IGNORECASE,
)
_RETURN = pattern(r"(?<![\w$.])return\b(?P<value>[^\n;]*)")
_NAME = pattern(r"[A-Za-z_$][\w$]{0,60}\Z")
_GIVEN = pattern(
    r"(?<![\w$.])(?P<name>[A-Za-z_$][\w$]{0,60})[ \t]{0,9}[-+*/|&?]{0,2}=(?![=>])[ \t]{0,9}(?P<value>[^\n;]{0,2000})"
)
#: What may return for itself.
_FUNCTION = pattern(r"=>|\bfunction\b|\bdef\b|\blambda\b")


class UselessResult(NamedTuple):
    """An expression whose value is no result of an assertion."""

    #: Offsets in the code.
    start: int
    end: int
    #: What its value is, in words.
    kind: str
    #: The last call of the expression; empty for a choice of texts.
    call: str


def useless_result(code: str, *, is_python: bool) -> UselessResult | None:
    """The only result of an expression or body, if it is certainly neither true, false, a number nor a mapping."""
    if len(code) > _LONGEST or "{{" in code or "{%" in code:
        return None
    if "\n" not in code.strip() and not _RETURN.search(code):
        start, end = len(code) - len(code.lstrip()), len(code.rstrip().rstrip(";").rstrip())
    else:
        returns = list(_RETURN.finditer(without_strings(code)))
        if len(returns) != 1 or _FUNCTION.search(code):
            return None
        start, end = returns[0].span("value")
        value = code[start:end]
        start, end = start + len(value) - len(value.lstrip()), start + len(value.rstrip())
    written, kinds = _value_of(code[start:end], code), _PYTHON if is_python else _JAVASCRIPT
    if (_PYTHON_CHOICE if is_python else _CHOICE).match(written):
        return UselessResult(start, end, _TEXT, "")
    call = _last_call(written)
    if call not in kinds or (call == "log" and not written.startswith("console.")):
        return None
    return UselessResult(start, end, kinds[call], call)


def _value_of(written: str, code: str) -> str:
    """An expression, or for a name the only value that the code gives it."""
    if _NAME.match(written) is None:
        return written
    given = [found for found in _GIVEN.finditer(code) if found["name"] == written]
    return given[0]["value"].rstrip() if len(given) == 1 else written


def _last_call(expression: str) -> str:
    """The function that an expression of members and calls alone calls last; empty for every other expression."""
    root = _ROOT.match(expression)
    if root is None:
        return ""
    at, name, call = root.end(), root[0], ""
    while at < len(expression):
        member = _MEMBER.match(expression, at)
        if member is not None:
            at, name, call = member.end(), member[1], ""
        elif expression[at] in "([":
            call = name if expression[at] == "(" else ""
            at = _closed(expression, at)
            name = ""
        else:
            return ""
    return call


def _closed(expression: str, at: int) -> int:
    """The end of what a bracket opens; beyond the expression if nothing closes it."""
    waiting: list[str] = []
    quote = ""
    while at < len(expression):
        sign = expression[at]
        if quote:
            at += sign == "\\"
            quote = "" if sign == quote else quote
        elif sign in "\"'`":
            quote = sign
        elif sign in _CLOSING:
            waiting.append(_CLOSING[sign])
        elif waiting and sign == waiting[-1]:
            waiting.pop()
            if not waiting:
                return at + 1
        at += 1
    return len(expression) + 1
