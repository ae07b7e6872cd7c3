"""Whether edits keep the meaning of a text, and every character of it that is not whitespace."""

from collections.abc import Iterable
from itertools import zip_longest

from rubric_core.syntax.parse import parse
from rubric_core.syntax.tree import Alias, Mapping, Node, Scalar, Sequence, SyntaxTree, walk
from rubric_core.text import Edit, apply_edits

__all__ = ["keeps_meaning", "same_trees"]


def keeps_meaning(text: str, tree: SyntaxTree, edits: Iterable[Edit]) -> bool:
    """Whether `edits` change only whitespace, and none that has a meaning."""
    after = apply_edits(text, edits)
    if "".join(after.split()) != "".join(text.split()):
        return False
    return same_trees(tree, parse(after))


def same_trees(one: SyntaxTree, other: SyntaxTree) -> bool:
    """Whether two trees have the same nodes, styles, anchors and tags, regardless of positions."""
    if other.problems or [*one.anchors] != [*other.anchors]:
        return False
    return all(
        a is not None and b is not None and _facts(a) == _facts(b)
        for a, b in zip_longest(walk(one.root), walk(other.root))
    )


def _facts(node: Node) -> tuple[object, ...]:
    if isinstance(node, Scalar):
        return (node.text, node.style, node.anchor, node.tag)
    if isinstance(node, Alias):
        return (node.name,)
    if isinstance(node, Mapping):
        return ("mapping", len(node.entries), node.flow, node.anchor, node.tag)
    assert isinstance(node, Sequence)
    return ("list", len(node.items), node.flow, node.anchor, node.tag)
