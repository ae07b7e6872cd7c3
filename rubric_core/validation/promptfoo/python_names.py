"""Names in the inline Python of a promptfoo configuration that nothing defines (issue 18, section 2)."""

import ast
import builtins
from collections.abc import Iterator

__all__ = ["free_names"]

#: What a module has beside built-in names, and what promptfoo imports.
_GIVEN = frozenset({"json", "main", "__file__", "__builtins__", "__annotations__", "__class__"})
#: Built-in names of some releases only, and of the interactive mode.
_OF_RELEASES = frozenset({
    "aiter", "anext", "BaseExceptionGroup", "ExceptionGroup", "EncodingWarning", "PythonFinalizationError", "exit", "quit", "copyright",
    "credits", "license", "help",
})  # fmt: skip
#: Calls after which any name may be defined.
_DYNAMIC = frozenset({"exec", "eval", "globals", "locals", "vars", "setattr", "__import__"})


def free_names(tree: ast.Module) -> tuple[list[tuple[str, int, int]], frozenset[str]]:
    """Every use of a name that nothing defines, as name, line (from 1) and column; and the names that the code defines itself."""
    bound, used = set[str](), list[ast.Name]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            used.append(node)
        else:
            bound.update(_bound_by(node))
    known = bound | _GIVEN | _OF_RELEASES | set(dir(builtins))
    if "*" in bound or any(node.id in _DYNAMIC for node in used):
        return [], frozenset(bound)
    return [(n.id, n.lineno, n.col_offset) for n in used if n.id not in known], frozenset(bound)


def _bound_by(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.alias):
        yield (node.asname or node.name).partition(".")[0]
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
        yield from [node.name] if node.name else []
    elif isinstance(node, ast.MatchMapping):
        yield from [node.rest] if node.rest else []
    elif isinstance(node, ast.Global | ast.Nonlocal):
        yield from node.names
