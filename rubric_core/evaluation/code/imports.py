"""The files that a script imports, found in its text without running it; computed imports stay unknown."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from rubric_core.loading.files import absolute
from rubric_core.ports import Files

__all__ = ["module_files", "with_imports"]

_LARGEST = 2_000_000
#: The maximum number of files; a script that imports more is a program in its own right.
_MOST = 300
_JAVASCRIPT = re.compile(
    # The start of another statement ends the search for `from`: else each of thousands would scan the rest of the text.
    r"""(?:\b(?:import|export)\b(?:(?!\b(?:import|export)\b)[^'"`;])*?\bfrom\s*|\bimport\s*(?:\(\s*)?|\brequire\s*\(\s*)"""
    r"""['"](?P<path>\.{1,2}/[^'"\n]+)['"]"""
)
_SHELL = re.compile(r"^[ \t]*(?:\.|source)\s+[\"']?(?P<path>[^\s\"';&|$]+)", re.MULTILINE)
_SUFFIXES = ("", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".json", "/index.js", "/index.ts")


def with_imports(path: Path, cwd: Path, files: Files, known: dict[Path, tuple[Path, ...]]) -> Iterator[Path]:
    """`path` and every file below its folder or `cwd` that it imports, directly or indirectly.

    Args:
        path: A Python, JavaScript, TypeScript or shell script, or any other file, which imports nothing.
        cwd: Where it runs.
        files: The disk.
        known: Earlier finds, valid for one pass over the disk.
    """
    waiting, seen = [absolute(path)], set[Path]()
    while waiting and len(seen) < _MOST:
        each = waiting.pop()
        if each in seen:
            continue
        seen.add(each)
        yield each
        if each not in known:
            roots = (absolute(path).parent, absolute(cwd))
            known[each] = tuple(_imported_files(each, roots, files))
        waiting += reversed(known[each])


def module_files(function: str) -> tuple[str, str]:
    """The possible files of a function's module, such as `app.bot:answer`, relative to the module search path."""
    path = function.partition(":")[0].replace(".", "/")
    return f"{path}.py", f"{path}/__init__.py"


def _imported_files(path: Path, roots: Iterable[Path], files: Files) -> Iterator[Path]:
    reads = _READERS.get(path.suffix.lower())
    if reads is None:
        return
    try:
        text = files.read(path, _LARGEST).decode("utf-8", "replace")
    except OSError:
        return
    for place in reads(text, path, roots):
        if files.is_file(place):
            yield absolute(place)


def _python(text: str, path: Path, roots: Iterable[Path]) -> Iterator[Path]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _modules(alias.name.split("."), roots)
        elif isinstance(node, ast.ImportFrom):
            above = [path.parents[node.level - 1]] if 0 < node.level <= len(path.parents) else list(roots)
            parts = node.module.split(".") if node.module else []
            yield from _modules(parts, above)
            for alias in node.names:
                yield from _modules([*parts, alias.name], above)


def _modules(parts: list[str], roots: Iterable[Path]) -> Iterator[Path]:
    """The possible files of a module, and its parent packages."""
    for root in roots:
        for number in range(1, len(parts) + 1):
            folder = root.joinpath(*parts[:number])
            yield folder / "__init__.py"
            yield folder.with_name(f"{folder.name}.py")


def _javascript(text: str, path: Path, _: Iterable[Path]) -> Iterator[Path]:
    for found in _JAVASCRIPT.finditer(text):
        named = path.parent / found["path"]
        yield from (
            named.with_name(named.name + suffix) if suffix[:1] != "/" else named / suffix[1:] for suffix in _SUFFIXES
        )
        if named.suffix == ".js":  # TypeScript writes the name that the compiled file will have
            yield named.with_suffix(".ts")


def _shell(text: str, path: Path, roots: Iterable[Path]) -> Iterator[Path]:
    for found in _SHELL.finditer(text):
        yield from (root / found["path"] for root in (path.parent, *roots))


_READERS: Mapping[str, Callable[[str, Path, Iterable[Path]], Iterator[Path]]] = {
    ".py": _python,
    **dict.fromkeys((".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"), _javascript),
    **dict.fromkeys((".sh", ".bash"), _shell),
}
