"""Checks the templates of evaluators: whether an `include` provides what it should."""

from collections.abc import Iterator
from pathlib import Path

from rubric_core.loading.known_names import template_of
from rubric_core.loading.project import TrackedLookup
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence

__all__ = ["template_trouble"]

#: Templates may include templates, up to this depth.
_DEEPEST = 3


def template_trouble(look: TrackedLookup, path: Path) -> str:
    """The problem of the template at `path`, for its includers; empty if it is usable."""
    return look.answer(("template", path), lambda inner: _trouble(inner, path, ()))


def _trouble(look: TrackedLookup, path: Path, above: tuple[Path, ...]) -> str:
    if path in above:
        names = [p.name for p in (*above[above.index(path) :], path)]
        return f"templates include each other: {' → '.join(names)}"
    if len(above) >= _DEEPEST:
        return f"{above[-1].name} includes {path.name}, which is nested deeper than {_DEEPEST} levels"
    tree = look.tree(path)
    if tree is None:
        return f"{path.name} cannot be read"
    if any(p.kind == "syntax" for p in tree.problems):
        return f"{path.name} is not YAML"
    items = _items(tree.root)
    if items is None:
        return f"{path.name} is not a list of evaluators"
    for name in _includes(items):
        inner = template_of(look, name, path.parent)
        if inner is None:
            return f"{path.name} includes `{name}`, which does not exist"
        trouble = _trouble(look, inner, (*above, path))
        if trouble:
            return trouble
    return ""


def _items(root: Node | None) -> list[Node] | None:
    """The evaluators: of a list, or of a mapping with a list under `assertions` or `assert`."""
    if isinstance(root, Mapping):
        root = root.get("assertions") or root.get("assert")
    return root.items if isinstance(root, Sequence) else None


def _includes(items: list[Node]) -> Iterator[str]:
    for item in items:
        name = item.get("include") if isinstance(item, Mapping) else None
        if isinstance(name, Scalar):
            yield name.text
