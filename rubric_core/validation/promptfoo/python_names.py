"""Names in the inline Python of a promptfoo configuration that nothing defines."""

import ast
import builtins
from collections import Counter
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet

__all__ = ["dropped_mappings", "free_names", "keys_of_mappings", "members_of"]

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

#: What JavaScript has of a text, and Python has not.
_NO_ATTRIBUTES = frozenset({"length", "lenght"})
#: The methods of texts, and of the other values that an output may be.
_OF_VALUES = frozenset(name for kind in (str, list, dict, int, float) for name in dir(kind))
#: Methods of texts whose result is a text.
_GIVE_TEXT = frozenset({
    "capitalize", "casefold", "expandtabs", "format", "join", "ljust", "lower", "lstrip", "removeprefix", "removesuffix", "replace", "rjust",
    "rstrip", "strip", "swapcase", "title", "translate", "upper", "zfill",
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


def members_of(tree: ast.Module) -> Iterator[tuple[str, str, int, int]]:
    """The members that are read of imported modules, and methods that are called of values.

    Each as the module, the name of the member, its line and its column. The module is empty for methods, or `str`
    where the value certainly is a text and has no such method. Methods that the code defines itself are left out.
    """
    nodes = list(_nodes(tree))
    texts = _texts_among(nodes, tree)
    imported = {
        a.name for node in nodes if isinstance(node, ast.Import) for a in node.names if a.asname in (None, a.name)
    }
    own = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}
    own |= {n.attr for n in nodes if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)}
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    for node in nodes:
        if not isinstance(node, ast.Attribute) or node.end_lineno is None or node.end_col_offset is None:
            continue
        owner = node.value.id if isinstance(node.value, ast.Name) else ""
        if owner in imported and owner not in stored:
            yield owner, node.attr, node.end_lineno, node.end_col_offset - len(node.attr)
        elif (id(node) in called or (owner == "output" and node.attr in _NO_ATTRIBUTES)) and node.attr not in own:
            is_text = node.attr not in _OF_VALUES and id(node) in called and _is_text(node.value, texts)
            yield "str" if is_text else "", node.attr, node.end_lineno, node.end_col_offset - len(node.attr)


def _texts_among(nodes: Iterable[ast.AST], tree: ast.Module) -> frozenset[str]:
    """The names of texts: the output of an inline assertion, and what is set once to a text."""
    stores = Counter(n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    stores.update(n.arg for n in nodes if isinstance(n, ast.arg))
    first = tree.body[0] if tree.body else None
    is_inline = isinstance(first, ast.FunctionDef) and [each.arg for each in first.args.args] == ["output", "context"]
    texts = {"output"} if is_inline and len(tree.body) == 1 and stores["output"] == 1 else set[str]()
    for node in nodes:
        target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
        if isinstance(node, ast.Assign) and isinstance(target, ast.Name) and stores[target.id] == 1:
            texts |= {target.id} if _is_text(node.value, texts) else set()
    return frozenset(texts)


def _is_text(node: ast.AST, texts: AbstractSet[str]) -> bool:
    """Whether a value is a text, if the code does not fail before."""
    while isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name):
            return node.func.id == "str"
        if not isinstance(node.func, ast.Attribute) or node.func.attr not in _GIVE_TEXT:
            return False
        node = node.func.value
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Name) and node.id in texts)


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
