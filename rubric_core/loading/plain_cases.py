"""The cases in a file as plain data, for what is asked of all their values at once."""

import json
from pathlib import Path
from typing import Any

from rubric_core.syntax.parse import parse
from rubric_core.syntax.plain_data import plain

__all__ = ["plain_cases"]

_YAML = (".yaml", ".yml", ".json")


def plain_cases(path: Path, text: str) -> list[Any] | None:
    """The cases of a file as plain data; None if it cannot be read."""
    if path.suffix.lower() == ".jsonl":
        return _rows(text)
    if path.suffix.lower() not in _YAML:
        return None
    tree = parse(text)
    if tree.problems or tree.root is None:
        return None
    found = plain(tree.root, tree.anchors)
    return found if isinstance(found, list) else [found]


def _rows(text: str) -> list[Any] | None:
    """One JSON case per line; None if one is invalid or nested too deeply."""
    try:
        return [json.loads(line) for line in text.split("\n") if line.strip()]
    except (ValueError, RecursionError):
        return None
