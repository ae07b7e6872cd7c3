"""Formulas over numbers in the notation of mathjs, as the engines evaluate them."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from rubric_core.evaluation.scoring.formula_functions import CONSTANTS, FUNCTIONS, is_nearly_equal, modulo, power
from rubric_core.lazy_compilation import pattern

__all__ = ["formula_value"]

#: The longest formula, in characters: its parentheses nest no deeper than Python's stack allows.
_LONGEST = 1000
_TOKEN = pattern(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?![\w.])|(?P<name>[A-Za-z_$][\w$]*)|(?P<sign>==|!=|<=|>=|[-+*/^%<>?:(),]))"
)
_SUPPORTED = "rubric supports sums, products, powers, comparisons, conditions and"
#: The binary operators, from the weakest; `^` binds tighter than a unary sign.
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
_LEVELS = (("or",), ("xor",), ("and",), _COMPARISONS, ("+", "-"), ("*", "/", "%", "mod"))
_WORDS = frozenset({"or", "xor", "and", "not", "mod"})


def formula_value(text: str, known: Mapping[str, float]) -> float:
    """The value of a formula, which may be infinite or NaN. Raises ValueError if it is not a formula over the `known` numbers, ZeroDivisionError instead of returning NaN after a division by zero."""
    if text.startswith("file://") or "=>" in text:
        raise ValueError("rubric evaluates expressions and does not run functions for them")
    reader = _Reader(text, known)
    value = reader.whole()
    if isinstance(value, bool):
        raise ValueError("the result is true or false, and not a number")  # noqa: TRY004  # a mistake in the formula
    if reader.divided_by_zero and not math.isfinite(value):
        raise ZeroDivisionError
    return float(value)


class _Token(NamedTuple):
    """A part of a formula; its kind is `number`, `name`, `sign` or `end`."""

    kind: str
    text: str


class _Reader:
    """Reads a formula from left to right."""

    def __init__(self, text: str, known: Mapping[str, float]) -> None:
        self._text, self._known = text, known
        self._tokens = _tokens(text)
        self._at = 0
        self.divided_by_zero = False

    def whole(self) -> float:
        value = self._condition()()
        if self._next.kind != "end":
            raise self._unreadable()
        return value

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _take(self, *texts: str) -> str:
        """The next token if it is one of these, which is then read; empty for any other."""
        token = self._next
        if token.kind == "number" or token.text not in texts:
            return ""
        self._at += 1
        return token.text

    def _expect(self, text: str) -> None:
        if not self._take(text):
            raise self._unreadable()

    def _unreadable(self) -> ValueError:
        return ValueError(f"{self._text!r} is not an expression")

    # Each part is read as a function, so that only the branch of a condition that counts is evaluated.

    def _condition(self) -> Callable[[], float]:
        test = self._binary(0)
        if not self._take("?"):
            return test
        first = self._binary(0)  # mathjs wants parentheses around a condition here
        self._expect(":")
        second = self._condition()
        return lambda: first() if test() else second()

    def _binary(self, level: int) -> Callable[[], float]:
        if level == len(_LEVELS):
            return self._unary()
        if _LEVELS[level] == _COMPARISONS:
            return self._comparison(level)
        found = self._binary(level + 1)
        while sign := self._take(*_LEVELS[level]):
            found = self._applied(sign, found, self._binary(level + 1))
        return found

    def _comparison(self, level: int) -> Callable[[], float]:
        """One comparison, or a chain, as in `a < b < c`, which holds if each does."""
        first = self._binary(level + 1)
        rest: list[tuple[str, Callable[[], float]]] = []
        while sign := self._take(*_COMPARISONS):
            rest.append((sign, self._binary(level + 1)))
        return (lambda: _holds(first(), rest)) if rest else first

    def _applied(self, sign: str, left: Callable[[], float], right: Callable[[], float]) -> Callable[[], float]:
        return lambda: self._result(sign, left(), right())

    def _result(self, sign: str, left: float, right: float) -> float:
        if sign == "and":
            return bool(left) and bool(right)
        if sign == "or":
            return bool(left) or bool(right)
        if sign == "xor":
            return bool(left) != bool(right)
        if sign == "+":
            return left + right
        if sign == "-":
            return left - right
        if sign == "*":
            return left * right
        return self._divided(left, right) if sign == "/" else modulo(left, right)

    def _divided(self, left: float, right: float) -> float:
        if right != 0:
            return left / right
        self.divided_by_zero = True
        return math.nan if left == 0 or math.isnan(left) else math.copysign(math.inf, left) * math.copysign(1, right)

    def _unary(self) -> Callable[[], float]:
        sign = self._take("-", "+", "not")
        if not sign:
            return self._powered()
        inner = self._unary()
        return {"-": lambda: -inner(), "+": lambda: +inner(), "not": lambda: not inner()}[sign]

    def _powered(self) -> Callable[[], float]:
        base = self._operand()
        if not self._take("^"):
            return base
        exponent = self._unary()
        return lambda: power(base(), exponent())

    def _operand(self) -> Callable[[], float]:
        token = self._next
        self._at += 1
        if token.kind == "number":
            number = float(token.text)
            return lambda: number
        if token.text == "(":
            inner = self._condition()
            self._expect(")")
            return inner
        is_called = token.kind == "name" and bool(self._take("("))
        if token.kind != "name" or (token.text in _WORDS and not is_called):
            raise self._unreadable()
        return self._call(token.text) if is_called else lambda: self._value_of_name(token.text)

    def _value_of_name(self, name: str) -> float:
        found = self._known.get(name, CONSTANTS.get(name))
        if found is None:
            there = ", ".join(each for each in self._known if each != "__count") or "none"
            raise ValueError(f"there is no metric {name}; there are: {there}")
        return found

    def _call(self, name: str) -> Callable[[], float]:
        if name not in FUNCTIONS or name in self._known:
            raise ValueError(f"{_SUPPORTED} {', '.join(FUNCTIONS)}")
        given = [self._condition()]
        while self._take(","):
            given.append(self._condition())
        self._expect(")")
        return lambda: FUNCTIONS[name](*(each() for each in given))


def _tokens(text: str) -> list[_Token]:
    if len(text) > _LONGEST:
        raise ValueError(f"rubric evaluates formulas of at most {_LONGEST} characters")
    found, at = list[_Token](), 0
    end = len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            raise ValueError(f"{_SUPPORTED} {', '.join(FUNCTIONS)}")
        found.append(_Token(match.lastgroup, match[match.lastgroup]))
        at = match.end()
    return [*found, _Token("end", "")]


def _holds(value: float, comparisons: Sequence[tuple[str, Callable[[], float]]]) -> bool:
    for sign, other in comparisons:
        right = other()
        if not _compared(sign, value, right):
            return False
        value = right
    return True


def _compared(sign: str, left: float, right: float) -> bool:
    """Two numbers compared as mathjs does: those that differ by a rounding error are equal."""
    near = is_nearly_equal(left, right)
    if sign in ("==", "!="):
        return near == (sign == "==")
    if near:
        return sign in ("<=", ">=")
    return left < right if sign in ("<", "<=") else left > right
