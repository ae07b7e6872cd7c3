"""The syntax trees of all modules, which tests about the code itself look at."""

import ast
from functools import cache
from pathlib import Path

__all__ = ["MODULES", "REPOSITORY", "source_trees"]

REPOSITORY = Path(__file__).parents[1]
MODULES = tuple(sorted(p for package in ("rubric_core", "rubric_lsp") for p in (REPOSITORY / package).rglob("*.py")))


@cache
def source_trees() -> tuple[tuple[Path, ast.Module], ...]:
    """Each module with its tree. Only on request: to parse a thousand takes seconds, in every process that collects tests."""
    return tuple((path, ast.parse(path.read_text(encoding="utf-8"))) for path in MODULES)
