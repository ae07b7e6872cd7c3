"""What an analysis knows, as plain values that can be compared."""

from typing import Any

from rubric_core.analysis import Analysis
from rubric_core.language.shape import Shape
from rubric_core.syntax.plain_data import plain
from rubric_core.syntax.tree import Alias, Mapping, Node, Scalar, Sequence

__all__ = ["picture", "tree_picture"]


def picture(analysis: Analysis) -> dict[str, Any]:
    """Dialect, findings, suite and cases with all their places, and what all blocks say together."""
    return {
        "dialect": analysis.choice,
        "diagnostics": analysis.diagnostics,
        "listed": analysis.listed.placed(analysis.document),
        "suite": _value(analysis.suite, 0),
        "cases": [(entry.offset, _value(entry.case, 0)) for entry in analysis.cases],
        "signs": analysis.signs,
        "own targets": analysis.own_targets,
        "depends on": analysis.depends_on,
        "refers to": dict(analysis.refers_to),
        "external": [(each.span, each.text) for each in analysis.external],
    }


def _value(value: object, depth: int) -> Any:
    if depth > 30:
        return "…"
    if isinstance(value, Shape):
        places = {name: (p.key, p.value, p.name, p.borrowed) for name, p in value.places.items()}
        fields = {k: _value(v, depth + 1) for k, v in vars(value).items() if k not in ("node", "places", "unread")}
        return type(value).__name__, places, sorted(value.unread), fields
    if isinstance(value, Node):
        return value.span, repr(plain(value, {}))
    if isinstance(value, list | tuple):
        return [_value(v, depth + 1) for v in value]
    if isinstance(value, dict):
        return {k: _value(v, depth + 1) for k, v in value.items()}
    return value


def tree_picture(node: Node | None) -> Any:
    """A tree with every span, style, anchor and tag."""
    if node is None:
        return None
    head = (type(node).__name__, node.span, node.whole, node.anchor, node.tag)
    if isinstance(node, Scalar):
        return (*head, node.style, node.text)
    if isinstance(node, Alias):
        return (*head, node.name)
    if isinstance(node, Sequence):
        return (*head, node.flow, [tree_picture(item) for item in node.items])
    assert isinstance(node, Mapping)
    return (*head, node.flow, [(tree_picture(e.key), tree_picture(e.value)) for e in node.entries])
