"""Blocks that are kept for references only."""

from typing import Any, NamedTuple

from rubric_core.language.value_kinds import Kind
from rubric_core.syntax.tree import Node

__all__ = ["KeptBlock"]


class KeptBlock(NamedTuple):
    """A block that is kept for references."""

    kind: Kind[Any]
    node: Node
    #: The anchors that refer to it, and its top-level key as `#/key`.
    names: frozenset[str]
