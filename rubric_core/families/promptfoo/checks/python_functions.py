"""The functions of a Python file, and the values that they return."""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from types import MappingProxyType

from rubric_core.families.promptfoo.checks.function_reading import FunctionReading, ReturnedValue, ValueKind

__all__ = ["functions_of"]

#: The kinds of constants.
_KINDS: Mapping[type, ValueKind] = MappingProxyType(
    {str: "text", int: "number", float: "number", bool: "boolean", type(None): "nothing"}
)
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions_of(tree: ast.Module, lines: Sequence[str]) -> Iterator[FunctionReading]:
    """The functions at the top of a file that are defined once; not generators, and none that is decorated."""
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    names = Counter(each.name for each in tree.body if isinstance(each, _Function))
    assigned = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    for each in tree.body:
        if not isinstance(each, _Function) or names[each.name] > 1 or each.name in assigned or each.decorator_list:
            continue
        nodes = list(_own_nodes(each))
        if not any(isinstance(node, ast.Yield | ast.YieldFrom) for node in nodes):
            results = tuple(_value(node.value, starts) for node in nodes if isinstance(node, ast.Return))
            throws = any(isinstance(node, ast.Raise) for node in nodes)
            start = starts[each.lineno - 1] + each.col_offset
            body = starts[each.body[0].lineno - 1] + each.body[0].col_offset
            yield FunctionReading(each.name, start, body, results, throws, _parameters(each))


def _own_nodes(function: _Function) -> Iterator[ast.AST]:
    """The nodes of a function, without those of the functions and classes in it."""
    nodes: list[ast.AST] = list(function.body)
    for node in nodes:
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            nodes += ast.iter_child_nodes(node)


def _parameters(function: _Function) -> tuple[str, ...]:
    taken = function.args
    if taken.vararg is not None or taken.kwarg is not None or taken.kwonlyargs:
        return ()
    return tuple(each.arg for each in (*taken.posonlyargs, *taken.args))


def _value(node: ast.expr | None, starts: Sequence[int]) -> ReturnedValue:
    """A value that a function returns, or a member of one."""
    if node is None:
        return ReturnedValue("nothing")
    start = starts[node.lineno - 1] + node.col_offset
    end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
    if isinstance(node, ast.Dict):
        named = [(k.value, v) for k, v in zip(node.keys, node.values, strict=True) if isinstance(k, ast.Constant)]
        members = tuple((str(name), _value(value, starts)) for name, value in named)
        return ReturnedValue("mapping", start, end, members, is_whole=len(members) == len(node.keys))
    kind: ValueKind = "list" if isinstance(node, ast.List | ast.Tuple) else "unknown"
    first = node
    while isinstance(first, ast.BinOp) and isinstance(first.op, ast.Add):
        first = first.left
    # What a text begins is a text, if it does not fail.
    if isinstance(first, ast.JoinedStr) or (isinstance(first, ast.Constant) and isinstance(first.value, str)):
        kind = "text"
    elif isinstance(node, ast.Constant):
        kind = _KINDS.get(type(node.value), "unknown")
    return ReturnedValue(kind, start, end)
