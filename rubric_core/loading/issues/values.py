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
    #: Whether the value is empty, which means the same as leaving out the key.
    idle: bool = False
    #: The key of the value, if it is not an item, and the shape that has the key.
    key: Any = None  # a Key, which type checkers would take for a descriptor
    owner: Shape | None = None

    @property
    def hides(self) -> Span | None:
        return self.node.whole


@dataclass(frozen=True, slots=True, kw_only=True)
class OutOfRange(Issue):
    """A number or word of the right type that is not allowed."""

    #: The key, or `key[]` for an item of its list.
    name: str
    kind: Kind[object]
    value: object
    node: Node
    #: The key of the value, if it is not an item, and the shape that has the key.
    key: Any = None  # a Key, which type checkers would take for a descriptor
    owner: Shape | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownAlias(Issue):
    """A reference to an anchor that is not defined before it, that contains itself, or that is too indirect."""

    name: str
    recursive: bool
    #: The number of references that were followed if they were too many; else 0.
    through: int = 0
    #: The existing anchors.
    known: tuple[str, ...] = ()
    #: Whether a text would be valid in its place.
    text: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownTag(Issue):
    """A tag such as `!include`, which has no meaning for the engine."""

    node: Node
    tag: str
    #: Whether a path with `file://` would be valid in its place.
    path: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CutText(Issue):
    """A `#` with a number after a plain text: a comment in YAML, but most likely meant as text."""

    #: The text before it.
    node: Scalar
    #: The part that is cut off, with its `#`.
    rest: str
    #: The key, or `key[]` for an item of its list, whose value is cut off completely.
    name: str = ""
    #: Whether that means the same as leaving out the key.
    idle: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StraySign(Issue):
    """A quote, comma or semicolon at the end of a plain text, or a dash in it: text in YAML, but most likely a mistake."""

    #: The text with it.
    node: Scalar
    #: The text without it, and without its counterpart at the other end; empty for a dash.
    meant: str
    #: Whether the sign is a quote that was never opened.
    quote: bool = False
