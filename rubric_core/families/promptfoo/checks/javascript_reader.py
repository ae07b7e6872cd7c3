"""Tokens of JavaScript in a row, with the brackets that are open and the names that are used and bound."""

from typing import NoReturn

from rubric_core.families.promptfoo.checks.function_reading import (
    UNKNOWN_VALUE,
    FunctionReading,
    ReturnedValue,
    ValueKind,
)
from rubric_core.families.promptfoo.checks.javascript_tokens import (
    FaultError,
    Token,
    UnsureError,
    read_token,
)

__all__ = ["OpenFunction", "TokenReader"]

_CLOSERS = {"(": ")", "[": "]", "{": "}"}
#: How deep brackets are followed.
_DEEPEST = 60
#: So many characters before a function suffice to find its name.
_NEAR = 100
_WORDS: dict[str, ValueKind] = {"true": "boolean", "false": "boolean", "null": "nothing", "undefined": "nothing"}


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
