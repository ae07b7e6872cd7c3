"""The words and signs of JavaScript, read one at a time."""

from typing import NamedTuple

from rubric_core.lazy_compilation import pattern

__all__ = ["Token", "UnclosedError", "UnsureError", "pattern_end", "read_token", "template_part"]

_NAME = pattern(r"(?:[^\W\d]|[$_])[\w$]{0,200}")
_NUMBER = pattern(
    r"0[xX][\da-fA-F_]{1,60}n?|0[oO][0-7_]{1,60}n?|0[bB][01_]{1,99}n?"
    r"|(?:\d[\d_]{0,60}(?:\.[\d_]{0,60})?|\.\d[\d_]{0,60})(?:[eE][+-]?\d{1,9})?n?"
)
#: Longer ones first.
_SIGNS = (
    ">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=", "<=", ">=", "&&", "||", "??", "?.", "++",
    "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "**", "<<", ">>", *"{}()[];,<>+-*/%&|^!~?:=.",
)  # fmt: skip
_BREAKS = "\n\r\u2028\u2029"


class UnsureError(Exception):
    """Something that is not looked at."""


class UnclosedError(Exception):
    """A string, a template or a comment without its end; the message says which."""


class Token(NamedTuple):
    """A word or a sign."""

    #: One of name, number, string, template, sign, end.
    kind: str
    text: str
    start: int
    end: int
    #: Whether it begins on another line than the one before it ends.
    after_break: bool


def read_token(code: str, at: int) -> Token:
    """The token at or after `at`; a `/` begins none but a division. Raises UnclosedError and UnsureError."""
    start, after_break = _skip_space(code, at)
    if start >= len(code):
        return Token("end", "", start, start, after_break)
    sign = code[start]
    if sign in "\"'":
        return Token("string", sign, start, _string_end(code, start), after_break)
    if sign == "`":
        return Token("template", sign, start, start + 1, after_break)
    found = _NAME.match(code, start)
    if found is not None:
        if code.startswith("\\", found.end()):
            raise UnsureError
        return Token("name", found[0], start, found.end(), after_break)
    found = _NUMBER.match(code, start)
    if found is not None:
        return Token("number", found[0], start, found.end(), after_break)
    for each in _SIGNS:
        # `a?.5:1` has no optional member.
        if code.startswith(each, start) and not (each == "?." and code[start + 2 : start + 3].isdigit()):
            return Token("sign", each, start, start + len(each), after_break)
    raise UnsureError


def _skip_space(code: str, at: int) -> tuple[int, bool]:
    after_break = False
    while at < len(code):
        if code.startswith("//", at):
            while at < len(code) and code[at] not in _BREAKS:
                at += 1
        elif code.startswith("/*", at):
            end = code.find("*/", at + 2)
            if end < 0:
                raise UnclosedError("a comment that begins with /* has no end")
            after_break = after_break or "\n" in code[at:end]
            at = end + 2
        elif code[at].isspace() or code[at] == "\ufeff":
            after_break = after_break or code[at] in _BREAKS
            at += 1
        else:
            break
    return at, after_break


def _string_end(code: str, start: int) -> int:
    quote, at = code[start], start + 1
    while at < len(code) and code[at] not in "\n\r":
        if code[at] == quote:
            return at + 1
        at += 2 if code[at] == "\\" else 1
    raise UnclosedError(f"a string that begins with {quote} has no end")


def template_part(code: str, at: int) -> tuple[int, bool]:
    """Where the text of a template that begins at `at` ends, and whether an expression follows. Raises UnclosedError."""
    while at < len(code):
        if code[at] == "`":
            return at + 1, False
        if code.startswith("${", at):
            return at + 2, True
        at += 2 if code[at] == "\\" else 1
    raise UnclosedError("a template that begins with ` has no end")


def pattern_end(code: str, start: int) -> int:
    """Where the pattern ends that begins at `start`, with its flags. Raises UnclosedError."""
    at, in_class = start + 1, False
    while at < len(code) and code[at] not in _BREAKS:
        sign = code[at]
        if sign == "/" and not in_class:
            at += 1
            while at < len(code) and code[at].isalpha():
                at += 1
            return at
        in_class = sign == "[" or (in_class and sign != "]")
        at += 2 if sign == "\\" else 1
    raise UnclosedError("a pattern that begins with / has no end")
