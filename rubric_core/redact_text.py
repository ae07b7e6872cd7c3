"""Replaces secrets in a text, in every form in which they may be repeated."""

import re
from functools import lru_cache
from typing import NamedTuple

from rubric_core.secret_forms import SecretForm, secret_forms

__all__ = ["redact_text"]

#: A number as JSON has it, its characters, what may be before and after it, and how far away.
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_OF_NUMBERS = "-+.0123456789eE"
_BEFORE_VALUE, _AFTER_VALUE = ("", ":", "[", ","), ("", ",", "]", "}")
_NEAR = 50
#: What is left of the user and the password in a header of which a part was replaced.
_CREDENTIALS = re.compile(r"(?<=Basic )[\w+/-]{0,1000}\*\*\*[\w+/=-]*")
#: What follows a backslash in JSON.
_ESCAPED = re.compile(r'u[0-9A-Fa-f]{4}|["\\/bfnrt]')


def redact_text(text: str, secrets: tuple[str, ...]) -> str:
    """`text` with `***` in place of each secret, in the order of `secrets`; the same object if it contains none.

    A text that was JSON is JSON afterwards, with the same structure.
    """
    search = _search_for(secrets)
    found = {form for anchor, forms in search.anchors if anchor in text for form in forms}
    if not found and not search.others:
        return text
    for form in search.forms:
        if form in found or form in search.others:
            text = _compiled(form.pattern).sub(_replacement, text)
    return _CREDENTIALS.sub("***", text) if "Basic " in text else text


class _Search(NamedTuple):
    """What to look for in a text."""

    forms: tuple[SecretForm, ...]
    #: Literal texts, each with the forms that may contain it, and the forms that have none.
    anchors: tuple[tuple[str, tuple[SecretForm, ...]], ...]
    others: frozenset[SecretForm]


@lru_cache(maxsize=64)
def _search_for(secrets: tuple[str, ...]) -> _Search:
    forms = tuple(form for secret in secrets for form in _forms_of(secret))
    anchors = dict[str, tuple[SecretForm, ...]]()
    for form in forms:
        for anchor in form.anchors:
            anchors[anchor] = (*anchors.get(anchor, ()), form)
    return _Search(forms, tuple(anchors.items()), frozenset(form for form in forms if not form.anchors))


@lru_cache(maxsize=256)
def _forms_of(secret: str) -> tuple[SecretForm, ...]:
    return secret_forms(secret)


@lru_cache(maxsize=2048)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _replacement(found: re.Match[str]) -> str:
    """What takes the place of a secret. The text around it stays what it was, such as JSON."""
    text, (begin, end) = found.string, found.span()
    before = after = ""
    if text[begin - 1 : begin] == "\\" and _backslashes(text, begin) % 2:
        # The first character may belong to an escape that begins before: `\nabcdef` is a line break and `abcdef`.
        escaped = _ESCAPED.match(text, begin, end)
        before = escaped[0] if escaped else ""
    elif text[begin] == '"':  # which may begin a text
        before = '"'
    if text[end - 1] == '"' and _backslashes(text, end - 1) % 2 == 0:  # which may end one
        after = '"'
    elif text[end - 1] == "\\" and text[end : end + 1] == '"' and _backslashes(text, end) % 2:
        after = "\\"  # which escapes the quote
    return _number(found) if found[0][-1].isdigit() and not before else f"{before}***{after}"


def _backslashes(text: str, end: int) -> int:
    """How many backslashes there are before a place."""
    begin = end
    while begin and text[begin - 1] == "\\":
        begin -= 1
    return end - begin


def _number(found: re.Match[str]) -> str:
    """What takes the place of a secret that may be a number of JSON, or a part of one."""
    text, (begin, end) = found.string, found.span()
    before, after = text[max(begin - _NEAR, 0) : begin], text[end : end + _NEAR]
    outer = before.rstrip(_OF_NUMBERS), after.lstrip(_OF_NUMBERS)
    inside = before[len(outer[0]) :], after[: len(after) - len(outer[1])]
    around = outer[0].rstrip()[-1:], outer[1].lstrip()[:1]
    is_value = around != ("", "") and around[0] in _BEFORE_VALUE and around[1] in _AFTER_VALUE
    if not is_value or not _NUMBER.fullmatch(f"{inside[0]}{found[0]}{inside[1]}"):
        return "***"
    return "1".ljust(len(found[0]), "0") if any(inside) else '"***"'
