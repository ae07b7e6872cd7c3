"""Issues with values: of another type, out of range, cut off, or references to nothing."""

from typing import Any

from rubric_core.language.shape import Shape
from rubric_core.language.value_kinds import Kind
from rubric_core.lazy_compilation import dataclass
from rubric_core.loading.issues.base import Issue
from rubric_core.syntax.tree import Node, Scalar
from rubric_core.text import Span

__all__ = ["CutText", "OutOfRange", "StraySign", "UnknownAlias", "UnknownTag", "WrongType"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongType(Issue):
    """A value of the wrong type."""

    #: The key, or `key[]` for an item of its list.
    name: str
    kind: Kind[object]
    found: str
    node: Node
    #: Whether nothing stands there, which means the same as not writing the key.
    idle: bool = False
    #: The key whose value it is, where it is not an item of one, and the shape that has the key.
    key: Any = None  # a Key, which type checkers would take for a descriptor
    owner: Shape | None = None

    @property
    def hides(self) -> Span | None:
        return self.node.whole


@dataclass(frozen=True, slots=True, kw_only=True)
class OutOfRange(Issue):
    """A number or word of the right type that is not one of the allowed values."""

    #: The key, or `key[]` for an item of its list.
    name: str
    kind: Kind[object]
    value: object
    node: Node
    #: The key whose value it is, where it is not an item of one, and the shape that has the key.
    key: Any = None  # a Key, which type checkers would take for a descriptor
    owner: Shape | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownAlias(Issue):
    """A reference to an anchor that is not defined before it, that contains itself, or that leads on and on."""

    name: str
    recursive: bool
    #: Through how many other references it was followed, where that was too far to go on; else 0.
    through: int = 0
    #: The anchors that there are.
    known: tuple[str, ...] = ()
    #: Whether a text could stand in its place.
    text: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownTag(Issue):
    """A tag such as `!include`, which means nothing to the engine."""

    node: Node
    tag: str
    #: Whether it stands where a path begins with `file://`.
    path: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CutText(Issue):
    """A `#` with a number behind a plain text: a comment to YAML, and most likely a part of the text to its author."""

    #: The text in front of it.
    node: Scalar
    #: What is cut off, with its `#`.
    rest: str
    #: The key, or `key[]` for an item of its list, of which nothing is left.
    name: str = ""
    #: Whether that means the same as not writing the key.
    idle: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StraySign(Issue):
    """A quote, comma or semicolon at the end of a plain text, or a dash in it: part of the text to YAML, a slip to its author."""

    #: The text with it.
    node: Scalar
    #: The text without it, and without its counterpart at the other end; nothing for a dash.
    meant: str
    #: Whether the sign is a quote that was never opened.
    quote: bool = False
