"""Functions of Python code, the values that they return, and names that nothing defines."""

import ast
import builtins
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from types import MappingProxyType

from rubric_core.families.promptfoo.checks.function_reading import FunctionReading, ReturnedValue, ValueKind

__all__ = ["dropped_mappings", "free_names", "functions_of", "keys_of_mappings"]

#: The kinds of constants.
_KINDS: Mapping[type, ValueKind] = MappingProxyType(
    {str: "text", int: "number", float: "number", bool: "boolean", type(None): "nothing"}
)
_Function = ast.FunctionDef | ast.AsyncFunctionDef
#: The names of a module besides built-in names, and those that promptfoo imports for inline code.
_GIVEN = frozenset({"__file__", "__builtins__", "__annotations__", "__class__", "__path__", "WindowsError"})
_GIVEN_INLINE = frozenset({"json", "main"})
#: Built-in names of some releases only, and of the interactive mode.
_OF_RELEASES = frozenset({
    "aiter", "anext", "BaseExceptionGroup", "ExceptionGroup", "EncodingWarning", "PythonFinalizationError", "exit", "quit", "copyright",
    "credits", "license", "help",
})  # fmt: skip
#: Calls after which any name may be defined.
_DYNAMIC = frozenset({"exec", "eval", "globals", "locals", "vars", "setattr", "__import__"})
#: The kinds of nodes that define names, except names themselves.
_DEFINING = frozenset({
    ast.arg, ast.alias, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler, ast.MatchAs, ast.MatchStar,
    ast.MatchMapping, ast.Global, ast.Nonlocal,
})  # fmt: skip


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


def free_names(tree: ast.Module, *, is_inline: bool) -> tuple[list[tuple[str, int, int]], frozenset[str]]:
    """Every use of a name that nothing defines, as name, line (from 1) and column; and the names that the code defines itself."""
    bound, used = set[str](), list[ast.Name]()
    for node in _nodes(tree):
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                used.append(node)
            else:
                bound.add(node.id)
        elif type(node) in _DEFINING:
            bound.update(_bound_by(node))
    if "*" in bound or any(node.id in _DYNAMIC for node in used):
        return [], frozenset(bound)
    known = bound.union(_GIVEN, _OF_RELEASES, _GIVEN_INLINE if is_inline else ())
    free = [(n.id, n.lineno, n.col_offset) for n in used if n.id not in known and n.id not in vars(builtins)]
    return free, frozenset(bound)


def keys_of_mappings(tree: ast.Module) -> Iterator[list[tuple[str, int, int]]]:
    """The keys of each mapping that the code writes, as text, line and column of what is between their quotes."""
    for node in _nodes(tree):
        if isinstance(node, ast.Dict):
            keys = [each for each in node.keys if isinstance(each, ast.Constant) and isinstance(each.value, str)]
            yield [(str(each.value), each.lineno, each.col_offset + 1) for each in keys]


def dropped_mappings(tree: ast.Module) -> list[tuple[str, int, int]]:
    """Mappings that Python computes and drops, because `return` is missing before them."""
    return [
        ("{", node.lineno, node.col_offset)
        for node in _nodes(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Dict) and node.value.keys
    ]


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """`ast.walk`, in half the time, without contexts: whether a name is read or written stands at the name."""
    nodes = [tree]
    for node in nodes:
        yield node
        for value in map(vars(node).get, node._fields):
            if isinstance(value, list):
                nodes += [each for each in value if isinstance(each, ast.AST)]
            elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context):
                nodes.append(value)


def _bound_by(node: ast.AST) -> Iterable[str]:
    if isinstance(node, ast.arg):
        return (node.arg,)
    if isinstance(node, ast.alias):
        return ((node.asname or node.name).partition(".")[0],)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return (node.name,)
    if isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
        return (node.name,) if node.name else ()
    if isinstance(node, ast.MatchMapping):
        return (node.rest,) if node.rest else ()
    return node.names if isinstance(node, ast.Global | ast.Nonlocal) else ()
