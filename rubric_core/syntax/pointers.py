"""JSON Pointers in trees: where `#/a/0/b` leads (RFC 6901)."""

from collections.abc import Iterable

from rubric_core.syntax.tree import Alias, Mapping, Node, Sequence

__all__ = ["part_name", "pointed"]


def part_name(part: str) -> str:
    """The key or number that a part of a pointer stands for."""
    return part.replace("~1", "/").replace("~0", "~")


def pointed(node: Node | None, parts: Iterable[str]) -> Node | None:
    """The node to which the parts of a pointer lead from `node`, behind aliases; None if it is not there, or unknown."""
    for part in parts:
        name, node = part_name(part), _behind(node)
        if isinstance(node, Sequence):
            node = node.items[int(name)] if name.isdecimal() and int(name) < len(node.items) else None
        else:
            node = node.get(name) if isinstance(node, Mapping) else None
    return _behind(node)


def _behind(node: Node | None) -> Node | None:
    return node.target if isinstance(node, Alias) else node
