"""Metrics computed from other metrics: `derived_metrics: [{name: f1, value: 2 * p * r / (p + r)}]`.

A metric is the sum of the scores that the evaluators of its name gave, over all cases; `__count` is how many cases there were.
"""

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from rubric_core.evaluation.model.result import CaseResult, EvaluatorResult
from rubric_core.language.model import DerivedMetric, Suite

__all__ = ["DerivedMetrics", "DerivedValue"]

_OPERATORS: Mapping[type[ast.AST], Callable[..., float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.Mod: math.fmod, ast.Pow: math.pow,
    ast.UAdd: operator.pos, ast.USub: operator.neg,
}  # fmt: skip
_FUNCTIONS: Mapping[str, Callable[..., float]] = {
    "abs": abs, "ceil": math.ceil, "exp": math.exp, "floor": math.floor, "log": math.log, "log10": math.log10, "log2": math.log2, "max": max, "min": min,
    "pow": math.pow, "round": round, "sqrt": math.sqrt,
}  # fmt: skip


class DerivedValue(NamedTuple):
    """A number that was computed, or why it was not."""

    name: str
    value: float | None = None
    reason: str = ""


class DerivedMetrics:
    """Takes the results of a run as they come, and works out what its suite wants to know at the end."""

    def __init__(self, suite: Suite | None) -> None:
        written = suite.derived_metrics if suite is not None else None
        self._wanted = [each for each in written or () if isinstance(each, DerivedMetric) and each.name]
        self._sums: dict[str, float] = {}
        self._count = 0

    def __bool__(self) -> bool:
        """Whether there is anything to work out."""
        return bool(self._wanted)

    def take(self, result: CaseResult) -> None:
        """Count a case."""
        self._count += 1
        for each in result.evaluators if self._wanted else ():
            self._add(each)

    def _add(self, result: EvaluatorResult) -> None:
        if result.score is not None:
            self._sums[result.name] = self._sums.get(result.name, 0.0) + result.score
        for member in result.members:
            self._add(member)

    def values(self) -> list[DerivedValue]:
        """What is computed; each may use those before it."""
        known = {**self._sums, "__count": float(self._count)}
        made: list[DerivedValue] = []
        for each in self._wanted:
            name = each.name or ""
            try:
                value = float(_value(_parsed(each.value or ""), known))
            except ZeroDivisionError:
                made.append(DerivedValue(name, reason="division by zero"))
                continue
            except (ArithmeticError, ValueError, TypeError, RecursionError) as error:
                made.append(DerivedValue(name, reason=str(error)))
                continue
            if math.isfinite(value):
                known[name] = value
                made.append(DerivedValue(name, value))
            else:
                made.append(DerivedValue(name, reason="the result is not a number"))
        return made

    def words(self) -> str:
        """The numbers for people, in one sentence."""
        parts = (f"{n} {v:.4g}" if v is not None else f"{n} cannot be computed: {why}" for n, v, why in self.values())
        return f"derived metrics: {', '.join(parts)}"


def _parsed(text: str) -> ast.expr:
    """An expression in the notation of mathjs, as far as it is arithmetic. Raises ValueError."""
    if text.startswith("file://") or "=>" in text:
        raise ValueError("rubric evaluates expressions and does not run functions for them")
    try:
        return ast.parse(text.replace("^", "**").strip(), mode="eval").body
    except (SyntaxError, MemoryError):
        raise ValueError(f"{text!r} is not an expression") from None


def _value(node: ast.expr, known: Mapping[str, float]) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return float(node.value)
    if isinstance(node, ast.Name):
        if node.id not in known:
            there = ", ".join(name for name in known if name != "__count") or "none"
            raise ValueError(f"there is no metric {node.id}; there are: {there}")
        return known[node.id]
    if isinstance(node, ast.BinOp | ast.UnaryOp) and type(node.op) in _OPERATORS:
        inner: list[Any] = [node.left, node.right] if isinstance(node, ast.BinOp) else [node.operand]
        return _OPERATORS[type(node.op)](*(_value(each, known) for each in inner))
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in _FUNCTIONS
        and not node.keywords
    ):
        return float(_FUNCTIONS[node.func.id](*(_value(each, known) for each in node.args)))
    raise ValueError(f"rubric supports sums, products, powers and {', '.join(_FUNCTIONS)}")
