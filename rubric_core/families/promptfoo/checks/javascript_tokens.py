"""The words and signs of JavaScript, read one at a time."""

from typing import NamedTuple

from rubric_core.lazy_compilation import pattern

__all__ = [
    "ASSIGNING",
    "BINARY",
    "RESERVED",
    "UNARY",
    "FaultError",
    "Token",
    "UnsureError",
    "pattern_end",
    "read_token",
    "template_part",
]  # fmt: skip

#: Space, and the token after it: a name, a number, an operator (longer ones first), or the start of a string or
#: template.
_TOKEN = pattern(
    r"[\s\ufeff]*(?:(?P<name>(?:[^\W\d]|[$_])[\w$]{0,200})"
    r"|(?P<number>0[xX][\da-fA-F_]{1,60}n?|0[oO][0-7_]{1,60}n?|0[bB][01_]{1,99}n?"
    r"|(?:\d[\d_]{0,60}(?:\.[\d_]{0,60})?|\.\d[\d_]{0,60})(?:[eE][+-]?\d{1,9})?n?)"
    r"|(?P<comment>//|/\*)"
    # `a?.5:1` has no optional member.
    r"|(?P<sign>>>>=|\.\.\.|===|!==|\*\*=|<<=|>>=|>>>|&&=|\|\|=|\?\?=|=>|==|!=|<=|>=|&&|\|\||\?\?|\?\.(?!\d)|\+\+|--|\+=|-=|\*=|/=|%="
    r"|&=|\|=|\^=|\*\*|<<|>>|[{}()\[\];,<>+\-*/%&|^!~?:=.])"
    r"|(?P<string>[\"'])|(?P<template>`))"
)
_STRAY_BACKSLASH = pattern(r"[\s\ufeff]*\\(?!u)")
_SPACE = pattern(r"[\s\ufeff]*\Z")
#: Operators before a value, between two, and between a place and a value.
UNARY = frozenset({"delete", "void", "typeof", "await", "+", "-", "~", "!", "++", "--"})
BINARY = frozenset({
    "&&", "||", "??", "|", "^", "&", "==", "!=", "===", "!==", "<", ">", "<=", ">=", "<<", ">>", ">>>", "+", "-", "*", "/", "%", "**",
    "in", "instanceof",
})  # fmt: skip
ASSIGNING = frozenset({
    "=", "+=", "-=", "*=", "/=", "%=", "**=", "<<=", ">>=", ">>>=", "&=", "|=", "^=", "&&=", "||=", "??=",
})  # fmt: skip
#: Words that cannot be a value.
RESERVED = frozenset({
    "break", "case", "catch", "const", "continue", "debugger", "default", "do", "else", "export", "extends", "finally", "for", "if", "in",
    "instanceof", "return", "switch", "throw", "try", "var", "while", "with",
})  # fmt: skip
#: Characters. The pattern matches no longer names and numbers, so that no text makes it slow.
_LONGEST = 60
_BREAKS = "\n\r\u2028\u2029"
_BREAKING = frozenset(_BREAKS)
# A named tuple's own constructor is a function in Python.
_new = tuple.__new__


class UnsureError(Exception):
    """Syntax that is not supported."""


class FaultError(Exception):
    """A syntax error, such as an unclosed string."""


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
    """The token at or after `at`; a `/` begins none but a division. Raises FaultError and UnsureError."""
    after_break = False
    while True:
        found = _TOKEN.match(code, at)
        if found is None or found.lastgroup is None:
            space = _SPACE.match(code, at)
            if space is None:
                if _STRAY_BACKSLASH.match(code, at):
                    raise FaultError("a backslash stands outside of a string")
                raise UnsureError
            return Token("end", "", len(code), len(code), after_break or _has_break(space[0]))
        kind = found.lastgroup
        start, end = found.span(kind)
        after_break = after_break or (start > at and _has_break(code[at:start]))
        if kind != "comment":
            break
        at = _comment_end(code, start)
        after_break = after_break or _has_break(code[start:at])
    if kind == "sign":
        return _new(Token, (kind, code[start:end], start, end, after_break))
    text = code[start:end]
    if kind == "string":
        end = _string_end(code, start)
    elif kind in ("name", "number") and (code.startswith("\\", end) or end - start >= _LONGEST):
        raise UnsureError
    return _new(Token, (kind, text, start, end, after_break))


def _has_break(space: str) -> bool:
    return not _BREAKING.isdisjoint(space)


def _comment_end(code: str, start: int) -> int:
    if code.startswith("//", start):
        ends = [end for sign in _BREAKS if (end := code.find(sign, start)) >= 0]
        return min(ends, default=len(code))
    end = code.find("*/", start + 2)
    if end < 0:
        raise FaultError("a comment that begins with /* has no end")
    return end + 2


def _string_end(code: str, start: int) -> int:
    quote, at = code[start], start + 1
    while at < len(code) and code[at] not in "\n\r":
        if code[at] == quote:
            return at + 1
        at += 2 if code[at] == "\\" else 1
    raise FaultError(f"a string that begins with {quote} has no end")


def template_part(code: str, at: int) -> tuple[int, bool]:
    """The end of the text of a template that begins at `at`, and whether an expression follows. Raises FaultError."""
    while at < len(code):
        if code[at] == "`":
            return at + 1, False
        if code.startswith("${", at):
            return at + 2, True
        at += 2 if code[at] == "\\" else 1
    raise FaultError("a template that begins with ` has no end")


def pattern_end(code: str, start: int) -> int:
    """The end of the regular expression that begins at `start`, with its flags. Raises FaultError."""
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
    raise FaultError("a pattern that begins with / has no end")
