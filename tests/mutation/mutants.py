"""Small changes to Python code, each of which some test should notice."""

import ast
import re
from dataclasses import dataclass

__all__ = ["Mutant", "mutants"]

_COMPARISONS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
    "is": "is not", "is not": "is", "in": "not in", "not in": "in",
}  # fmt: skip
_OPERATOR = re.compile(r"is\s+not\b|not\s+in\b|is\b|in\b|<=|>=|==|!=|<|>")
_ARITHMETIC: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "+"),
}
#: Limits and times: one more of them is the same to every test.
_LARGEST_NUMBER = 16
#: What is written to logs is not part of any behaviour.
_LOGS = {"log", "_log", "logging"}


@dataclass(frozen=True)
class Mutant:
    """One change of a text."""

    #: From 1.
    line: int
    #: In UTF-8 bytes.
    start: int
    end: int
    new: str
    what: str

    def applied(self, text: str) -> str:
        """The text with the change."""
        data = text.encode()
        return (data[: self.start] + self.new.encode() + data[self.end :]).decode()

    def described(self, text: str) -> str:
        """The line, before and after."""
        before, after = (each.splitlines()[self.line - 1].strip() for each in (text, self.applied(text)))
        return f"{before}  →  {after}" if before != after else f"{self.what}: {before}"


def mutants(text: str) -> list[Mutant]:
    """Every mutant of a module, in the order of the text."""
    found = _Mutants(text)
    found.visit(ast.parse(text))
    return sorted(found.made, key=lambda each: (each.start, each.end, each.new))


class _Mutants(ast.NodeVisitor):
    def __init__(self, text: str) -> None:
        self._data = text.encode()
        self._starts = [0, *(m.end() for m in re.finditer(rb"\n", self._data))]
        self.made: list[Mutant] = []
        self._inside = False

    # -- where nothing is changed -------------------------------------------------------------------------------------

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        outer, self._inside = self._inside, True
        for default in (*node.args.defaults, *(each for each in node.args.kw_defaults if each is not None)):
            self.visit(default)
        for statement in node.body:
            self._statement(statement)
            self.visit(statement)
        self._inside = outer

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815  # the visitor's name for it

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_If(self, node: ast.If) -> None:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return
        self._negated(node.test)
        self._block(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        """The words of an error are held by the tests of messages; that it is raised, by the condition around it."""

    def visit_Assert(self, node: ast.Assert) -> None:
        """What is asserted holds."""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Positions in an f-string are not those of the text before Python 3.12."""

    def visit_Call(self, node: ast.Call) -> None:
        if (
            isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id in _LOGS
        ):
            return
        self._guard(node)
        self.generic_visit(node)

    def _guard(self, node: ast.Call) -> None:
        """`zip(…, strict=True)` asserts that both are of one length: as of other assertions, nothing shows that it is not there."""
        if isinstance(node.func, ast.Name) and node.func.id == "zip":
            node.keywords = [
                each for each in node.keywords
                if not (each.arg == "strict" and isinstance(each.value, ast.Constant) and each.value.value is True)
            ]  # fmt: skip

    # -- what is changed ----------------------------------------------------------------------------------------------

    def visit_While(self, node: ast.While) -> None:
        self._block(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._negated(node.test)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        left = node.left
        for right in node.comparators:
            start, end = self._span(left)[1], self._span(right)[0]
            match = _OPERATOR.search(self._data[start:end].decode())
            if match is not None:
                word = re.sub(r"\s+", " ", match[0])
                self._make(start + match.start(), start + match.end(), _COMPARISONS[word], "comparison")
            left = right
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in zip(node.values, node.values[1:], strict=False):
            self._between(left, right, old, new, "and, or")
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        words = _ARITHMETIC.get(type(node.op))
        if words is not None and not any(
            isinstance(each, ast.Constant | ast.JoinedStr) and not isinstance(getattr(each, "value", ""), int)
            for each in (node.left, node.right)
        ):
            self._between(node.left, node.right, *words, "arithmetic")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            self._make(*self._span(node), f"({self._source(node.operand)})", "not")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if type(node.value) is bool and self._inside:
            self._make(*self._span(node), str(not node.value), "constant")
        elif type(node.value) is int and 0 <= node.value <= _LARGEST_NUMBER:
            self._make(*self._span(node), str(node.value + 1), "constant")

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is not None and not (
            isinstance(node.value, ast.Constant) and node.value.value in (None, True, False)
        ):
            self._make(*self._span(node.value), "None", "return")
        self.generic_visit(node)

    # -- pieces -------------------------------------------------------------------------------------------------------

    def _block(self, node: ast.If | ast.While) -> None:
        self.visit(node.test)
        for statement in (*node.body, *node.orelse):
            self._statement(statement)
            self.visit(statement)

    def _statement(self, node: ast.stmt) -> None:
        """A statement that is left out."""
        kept = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant | ast.Await)
        logs = isinstance(node, ast.Expr) and any(isinstance(n, ast.Name) and n.id in _LOGS for n in ast.walk(node))
        if isinstance(node, ast.Expr | ast.AugAssign | ast.Continue | ast.Break) and not kept and not logs:
            self._make(*self._span(node), "pass", "left out")

    def _negated(self, test: ast.expr) -> None:
        if not isinstance(test, ast.Compare | ast.UnaryOp):
            self._make(*self._span(test), f"not ({self._source(test)})", "negated")

    def _between(self, left: ast.expr, right: ast.expr, old: str, new: str, what: str) -> None:
        start, end = self._span(left)[1], self._span(right)[0]
        at = self._data.find(old.encode(), start, end)
        if at >= 0:
            self._make(at, at + len(old), new, what)

    def _make(self, start: int, end: int, new: str, what: str) -> None:
        self.made.append(Mutant(self._line(start), start, end, new, what))

    def _line(self, offset: int) -> int:
        return self._data.count(b"\n", 0, offset) + 1

    def _span(self, node: ast.AST) -> tuple[int, int]:
        place = vars(node)
        return (
            self._starts[place["lineno"] - 1] + place["col_offset"],
            self._starts[place["end_lineno"] - 1] + place["end_col_offset"],
        )

    def _source(self, node: ast.AST) -> str:
        start, end = self._span(node)
        return self._data[start:end].decode()
