"""Tokens of JavaScript in a row, with the brackets that are open and the names that are used and bound."""

from typing import NoReturn

from rubric_core.validation.promptfoo.javascript_tokens import FaultError, Token, UnsureError, read_token

__all__ = ["TokenReader"]

_CLOSERS = {"(": ")", "[": "]", "{": "}"}
#: How deep brackets are followed.
_DEEPEST = 60


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
        #: The depth at which a result is read, and the `=` that makes an assignment to a member of it.
        self.returned_depth = -1
        self.assigned_at: int | None = None
        #: The methods of classes.
        self.methods: set[str] = set()
        #: The keys of each object, by their tokens; computed keys and spread objects are left out.
        self.objects: list[list[Token]] = []

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
