"""Names in the inline Python of a promptfoo configuration that nothing defines."""

import ast
import builtins
from collections.abc import Iterable, Iterator

__all__ = ["dropped_mappings", "free_names", "keys_of_mappings"]

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
