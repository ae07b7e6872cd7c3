"""Reads tokens of JavaScript, with the brackets that are open and the names that are used and bound."""

from typing import NamedTuple, NoReturn

from rubric_core.families.promptfoo.checks.function_reading import (
    UNKNOWN_VALUE,
    FunctionReading,
    ReturnedValue,
    ValueKind,
)
from rubric_core.lazy_compilation import pattern

__all__ = [
    "ASSIGNING",
    "BINARY",
    "RESERVED",
    "UNARY",
    "FaultError",
    "OpenFunction",
    "Token",
    "TokenReader",
    "UnsureError",
    "pattern_end",
    "read_token",
    "template_part",
]

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
_CLOSERS = {"(": ")", "[": "]", "{": "}"}
#: How deep brackets are followed.
_DEEPEST = 60
#: So many characters before a function suffice to find its name.
_NEAR = 100
_WORDS: dict[str, ValueKind] = {"true": "boolean", "false": "boolean", "null": "nothing", "undefined": "nothing"}


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


class OpenFunction:
    """A function that is being read."""

    def __init__(self, name: str, start: int) -> None:
        self.name, self.start = name, start
        self.head_end = start
        self.results: list[ReturnedValue] = []
        self.throws = False


class TokenReader:
    """Reads token by token."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.token = read_token(code, 0)
        #: The token before the current one, and where a fault shows that is not at the current one.
        self.before = self.token
        self.fault_at: int | None = None
        self.depth = 0
        #: The brackets that are open.
        self.open: list[str] = []
        #: The names that `const` and `let` declare, block by block.
        self.declared: list[set[str]] = []
        #: The names used as values, in order, and those that the code binds somewhere, or tests with `typeof`.
        self.used: list[Token] = []
        self.bound: set[str] = set()
        #: The methods of classes.
        self.methods: set[str] = set()
        #: The keys of each object, by their tokens; computed keys and spread objects are left out.
        self.objects: list[list[Token]] = []
        #: The objects by where they begin, for the functions that return them.
        self.mappings: dict[int, ReturnedValue] = {}
        #: The functions that were read, and those around the current token.
        self.functions: list[FunctionReading] = []
        self.function_ends: dict[int, int] = {}
        self.within: list[OpenFunction] = []

    def next(self) -> Token:
        """The current token; reads the one after it. Raises FaultError and UnsureError, as do all methods that read."""
        token = self.token
        if token.kind == "sign":
            if token.text in _CLOSERS:
                self.open.append(token.text)
            elif token.text in ")]}" and self.open:
                self.open.pop()
        self.before = token
        self.token = read_token(self.code, token.end)
        return token

    def is_sign(self, *signs: str) -> bool:
        """Whether the current token is one of these signs."""
        return self.token.kind == "sign" and self.token.text in signs

    def is_word(self, *words: str) -> bool:
        """Whether the current token is one of these words."""
        return self.token.kind == "name" and self.token.text in words

    def take(self, *signs: str) -> bool:
        """Read past the current token if it is one of these signs. Gives whether it was."""
        token = self.token
        if token.kind != "sign" or token.text not in signs:
            return False
        self.next()
        return True

    def following(self) -> Token:
        """The token after the current one, without reading past it."""
        return read_token(self.code, self.token.end)

    def unexpected(self) -> NoReturn:
        """Raises FaultError for the current token."""
        if self.token.kind == "end":
            raise FaultError(f"`{self.open[-1]}` is not closed" if self.open else "it ends too early")
        raise FaultError(f"`{self.code[self.token.start : self.token.end]}` is not expected here")

    def expect(self, sign: str) -> None:
        """Read past a sign that has to follow. Raises FaultError for anything else."""
        if not self.take(sign):
            place = f"before `{self.token.text}`" if self.token.kind != "end" else "at the end"
            raise FaultError(f"`{sign}` is missing {place}")

    def close(self, begun: str) -> None:
        """Read past the bracket that closes `begun`. Raises FaultError for anything else."""
        if not self.take(_CLOSERS[begun]):
            if self.token.kind == "end" or self.is_sign(")", "]", "}"):
                raise FaultError(f"`{begun}` is not closed")
            if self.token.after_break and self.token.kind != "sign":
                self.fault_at = self.before.start
                written = self.code[self.token.start : self.token.end]
                raise FaultError(f"a comma is missing after this line, before `{written}`")
            self.unexpected()

    def enter(self) -> None:
        """Go one level deeper. Raises UnsureError below the deepest level that is read."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise UnsureError

    def bind_used(self, begin: int) -> None:
        """Bind the names used from a number on: they were a pattern, parameters, or the target of an assignment."""
        self.bound.update(token.text for token in self.used[begin:])

    # Functions

    def begin_function(self, name: str, start: int) -> None:
        """Enter a function; without a name, it has that of what it is assigned to."""
        self.within.append(OpenFunction(name or _name_before(self.code[max(0, start - _NEAR) : start]), start))

    def end_function(self) -> None:
        """Leave the innermost function."""
        it = self.within.pop()
        self.function_ends[it.start] = self.before.end
        self.functions.append(FunctionReading(it.name, it.start, it.head_end, tuple(it.results), it.throws))

    def returns(self, start: int) -> None:
        """The innermost function returns the expression that began at an offset and has just been read."""
        if self.within:
            self.within[-1].results.append(self.value_of(start, self.before.end))

    def value_of(self, start: int, end: int) -> ReturnedValue:
        """The value of an expression that consists of one token or one object, maybe in brackets."""
        token = read_token(self.code, start)
        depth = 0
        while token.kind == "sign" and token.text == "(" and depth < _DEEPEST:
            token, depth = read_token(self.code, token.end), depth + 1
        if self.function_ends.get(token.start) == end:
            return ReturnedValue("function", token.start, end)
        kept = self.mappings.get(token.start)
        if kept is not None:
            rest = self.code[kept.end : min(end, kept.end + _NEAR + 1)]
            return kept if _closes(rest, depth) and kept.end <= end else UNKNOWN_VALUE
        kind: ValueKind = "unknown"
        last = token.end
        if token.kind == "template":
            is_whole = self.before.kind == "template" and self.before.start == token.start
            kind, last = ("text", self.before.end) if is_whole else ("unknown", last)
        elif token.kind == "string":
            kind = "text"
        elif token.kind == "number":
            kind = "number"
        elif token.kind == "name":
            kind = _WORDS.get(token.text, "unknown")
        if kind == "unknown" or last > end or not _closes(self.code[last : min(end, last + _NEAR + 1)], depth):
            return UNKNOWN_VALUE
        return ReturnedValue(kind, token.start, last)


def _name_before(code: str) -> str:
    """The variable, member or key that a function after this code is the value of; empty for none."""
    before = code.rstrip().removesuffix("async").rstrip()
    if not before.endswith(("=", ":")):
        return ""
    before = before[:-1].rstrip().rstrip("'\"")
    begin = len(before)
    while begin and (before[begin - 1].isalnum() or before[begin - 1] in "_$"):
        begin -= 1
    return before[begin:]


def _closes(rest: str, depth: int) -> bool:
    """Whether nothing but so many closing brackets is left of an expression."""
    return len(rest) <= _NEAR and rest.replace(" ", "").replace("\n", "") == ")" * depth
