"""Compares the written type with the expected one: in words, and whether they are compatible."""

from typing import Any

from rubric_core.language.shape_kinds import Messages, OneMessage, Shaped, Shorthand, Tagged
from rubric_core.language.value_kinds import (
    Anything,
    Boolean,
    Choice,
    Integer,
    Kind,
    ListOf,
    MapOf,
    NodeUnion,
    Number,
    Text,
)
from rubric_core.syntax.tree import Alias, Mapping, Node, Scalar, Sequence

__all__ = ["could_be", "could_be_of", "found_words", "takes_text"]


def found_words(node: Node) -> str:
    """The written type with its article, as in "found a number"."""
    if isinstance(node, Mapping):
        return "a mapping"
    if isinstance(node, Sequence):
        return "a list" if node.items else "an empty list"
    if isinstance(node, Scalar):
        value = node.value
        if value is None:
            return "nothing"
        if isinstance(value, bool):
            return f"{str(value).lower()}"
        if isinstance(value, int | float):
            return f"the number {node.text}"
        return "an empty string" if not node.text.strip() else "a string"
    return "a reference"


def could_be(node: Node, kind: Kind[Any]) -> bool:
    """Whether a value may be of a kind; the target of a reference may be anything."""
    return could_be_of(type(node), type(node.value if isinstance(node, Scalar) else None), kind)


def could_be_of(node: type[Node], value: type[object], kind: Kind[Any]) -> bool:
    """The same for a node of a type, with a value of a type if it is a scalar."""
    if isinstance(kind, NodeUnion):
        return any(could_be_of(node, value, branch) for branch in kind.branches)
    if isinstance(kind, Text | Shorthand | Choice):
        return issubclass(value, str)
    if isinstance(kind, Boolean | Number | Integer):
        return issubclass(value, int | float) and issubclass(value, bool) == isinstance(kind, Boolean)
    if isinstance(kind, ListOf | Messages):
        return issubclass(node, Sequence | Alias)
    return issubclass(node, Mapping | Alias) if isinstance(kind, MapOf | OneMessage | Shaped | Tagged) else True


def takes_text(kind: Kind[Any]) -> bool:
    """Whether any text is a valid value of a kind, not only names."""
    kinds = kind.branches if isinstance(kind, NodeUnion) else (kind,)
    return any(isinstance(k, Shorthand | Anything) or (isinstance(k, Text) and not k.refers_to) for k in kinds)
