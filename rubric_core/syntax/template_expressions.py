"""Finds expressions that the parser of Nunjucks rejects, in the text of a template alone.

Names are anything up to an operator, so that little is rejected; an unclosed template is not checked.
"""

from collections.abc import Iterator
from typing import NamedTuple, NoReturn

from rubric_core.lazy_compilation import pattern

__all__ = ["ExpressionFault", "expression_faults"]

_OPENING = pattern(r"\{\{|\{%|\{#")
#: A brace that ends nothing.
_ONE_BRACE = pattern(r"\s{0,9}\}(?!\})")
#: Its groups: a string, a closing delimiter, a sign, a word.
_TOKEN = pattern(
    r"\s{0,999}(?:(?P<string>\"(?:[^\"\\]|\\.){0,5000}\"|'(?:[^'\\]|\\.){0,5000}')|(?P<end>-?(?:\}\}|%\}))"
    r"|(?P<sign>===|!==|==|!=|<=|>=|//|\*\*|[()\[\]{}%*\-+~/#,:|.<>=!])|(?P<word>[^\s'\"()\[\]{}%*\-+~/#,:|.<>=!][^\s()\[\]{}%*\-+~/#,:|.<>=!]{0,200}))"
)
_COMPARING = frozenset({"==", "===", "!=", "!==", "<", ">", "<=", ">="})
_ADDING = frozenset({"~", "+", "-", "*", "/", "//", "%", "**"})
_CLOSERS = {"(": ")", "[": "]", "{": "}"}
#: Words that begin a statement with one expression after them.
_WITH_EXPRESSION = ("if", "elif", "elseif", "switch", "case")
_DEEPEST = 40


class ExpressionFault(NamedTuple):
    """An expression that cannot be parsed."""

    #: The number of its opening delimiter among all of the text, and that delimiter.
    number: int
    opening: str
    words: str


class _FaultError(Exception):
    """An invalid expression."""


class _UnsureError(Exception):
    """A template that is not read to its end."""


class _EndError(_UnsureError):
    """The text ends before the expression does."""


def expression_faults(text: str, *, is_rendered: bool = False) -> Iterator[ExpressionFault]:
    """The expressions of a template that Nunjucks cannot parse; the first, because it reads no further.

    Args:
        text: The template.
        is_rendered: Whether it is always rendered; otherwise an unclosed one stays text.
    """
    number, at = {"{{": 0, "{%": 0, "{#": 0}, 0
    while (found := _OPENING.search(text, at)) is not None:
        opening = found[0]
        number[opening] += 1
        if opening == "{#":
            at = text.find("#}", found.end()) + 2
            if at < 2:
                if is_rendered:
                    yield ExpressionFault(number[opening] - 1, opening, "it has no `#}`")
                return
            continue
        try:
            reader = _Reader(text, found.end())
            if not reader.read(opening):
                return
        except _FaultError as fault:
            yield ExpressionFault(number[opening] - 1, opening, str(fault))
            return
        except _EndError:
            if is_rendered:
                yield ExpressionFault(number[opening] - 1, opening, f"it has no `{'}}' if opening == '{{' else '%}'}`")
            return
        except _UnsureError:
            return
        at = reader.at


class _Reader:
    """Reads one expression or statement by recursive descent."""

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.at = start + text.startswith("-", start)
        self.depth = 0
        self.kind = self.word = ""
        self.next()

    def next(self) -> None:
        found = _TOKEN.match(self.text, self.at)
        if found is None or found.lastgroup is None:
            raise _UnsureError if self.text[self.at :].strip() else _EndError
        self.kind, self.word, self.at = found.lastgroup, found[found.lastgroup], found.end()

    def is_sign(self, *signs: str) -> bool:
        return self.kind == "sign" and self.word in signs

    def takes(self, *words: str) -> bool:
        found = self.kind in ("sign", "word") and self.word in words
        if found:
            self.next()
        return found

    def unexpected(self) -> NoReturn:
        if self.kind == "sign" and (self.word + self.text[self.at :].lstrip()).lstrip(":,").startswith("{{"):
            raise _FaultError("`}}` is missing before the next `{{`")
        if self.kind == "sign" and self.word in ")]" and _ONE_BRACE.match(self.text, self.at):
            raise _FaultError(f"`{self.word}` is not expected here")
        if self.kind == "sign" and (self.word in ")]}" or self.text[self.at :].lstrip()[:1] in "([{"):
            raise _UnsureError  # its parser takes some of these
        raise _FaultError("it ends too early" if self.kind == "end" else f"`{self.word}` is not expected here")

    def read(self, opening: str) -> bool:
        """Read the expression or statement to its end; returns False if the rest of the text is not checked."""
        closing = "}}" if opening == "{{" else "%}"
        if opening == "{%" and not self._statement():
            return False
        if opening == "{{":
            self.expression()
        if self.kind == "sign" and self.word == "}":
            raise _FaultError("`}` is missing at its end")
        if self.kind != "end" or self.word.removeprefix("-") != closing:
            self.unexpected()
        return True

    def _statement(self) -> bool:
        if self.kind != "word":
            return False
        begun = self.word
        self.next()
        if begun in _WITH_EXPRESSION:
            self.expression()
        elif begun == "for":
            self._targets()
            if not self.takes("in"):
                self.unexpected()
            self.expression()
        elif begun == "set":
            self._targets()
            if self.kind != "end":
                if not self.takes("="):
                    self.unexpected()
                self.expression()
        elif begun in ("raw", "verbatim"):
            return False
        else:
            while self.kind != "end":
                self.next()
        return True

    def _targets(self) -> None:
        self.primary()
        while self.takes(","):
            self.primary()

    def expression(self) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise _UnsureError
        self.alternatives()
        if self.takes("if"):
            self.alternatives()
            if self.takes("else"):
                self.alternatives()
        self.depth -= 1

    def alternatives(self) -> None:
        self.negation()
        while self.takes("or", "and"):
            self.negation()

    def negation(self) -> None:
        while self.takes("not"):
            pass
        self.comparison()
        while True:
            if self.kind == "word" and self.word == "not":
                self.next()
                if not self.takes("in"):
                    self.unexpected()
            elif self.kind == "word" and self.word == "is":
                self.next()
                self.takes("not")
            elif not self.takes("in"):
                return
            self.comparison()

    def comparison(self) -> None:
        self.sum()
        while self.kind == "sign" and self.word in _COMPARING:
            self.next()
            self.sum()

    def sum(self) -> None:
        self.filtered()
        while self.kind == "sign" and self.word in _ADDING:
            self.next()
            self.filtered()

    def filtered(self) -> None:
        while self.is_sign("-", "+"):
            self.next()
        self.primary()
        while self.takes("|"):
            if self.kind != "word":
                raise _FaultError("the name of a filter is missing after `|`")
            self.next()
            while self.takes("."):
                if self.kind != "word":
                    self.unexpected()
                self.next()
            if self.is_sign("("):
                self.listed()

    def primary(self) -> None:
        begun = self.word
        if self.kind in ("string", "word"):
            if self.word == "r" and self.text.startswith("/", self.at):
                raise _UnsureError  # a pattern
            self.next()
        elif self.is_sign(*_CLOSERS):
            self.listed()
        elif self.is_sign("."):
            raise _UnsureError
        else:
            self.unexpected()
        while True:
            if self.is_sign("(", "["):
                self.listed()
            elif self.takes("."):
                if self.kind != "word" and begun.isdecimal():
                    raise _UnsureError
                if self.kind != "word":
                    self.unexpected()
                self.next()
            else:
                return

    def listed(self) -> None:
        """The content of brackets: values, keys with values, keyword arguments."""
        begun = self.word
        self.next()
        while not self.is_sign(_CLOSERS[begun]):
            if self.kind == "end":
                raise _FaultError(f"`{begun}` is not closed")
            if begun == "[" and self.is_sign(":"):
                raise _UnsureError  # a slice
            self.expression()
            if self.takes("=", ":"):
                if begun == "[":
                    raise _UnsureError
                self.expression()
            elif begun == "{":
                raise _FaultError("a key of `{` has no value")
            if not self.takes(",") and not self.is_sign(_CLOSERS[begun]):
                if self.kind == "end":
                    raise _FaultError(f"`{begun}` is not closed")
                self.unexpected()
        self.next()
