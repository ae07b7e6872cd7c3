"""Kinds of values that have a shape."""

from typing import Any

from rubric_core.language.shape import Shape
from rubric_core.language.value_kinds import Kind

__all__ = ["Messages", "OneMessage", "Shaped", "Shorthand", "Tagged"]


class Shaped(Kind[Any]):
    """A mapping with the keys of one shape."""

    __slots__ = ("shape",)

    def __init__(self, shape: type[Shape]) -> None:
        self.shape = shape

    def words(self) -> str:
        return f"a mapping that describes {self.shape.title()}"


class Tagged(Kind[Any]):
    """A mapping whose `type` selects one of the shapes below `base`."""

    __slots__ = ("base",)

    def __init__(self, base: type[Shape]) -> None:
        self.base = base

    def words(self) -> str:
        return f"a mapping with a type that describes {self.base.title()}"


class Shorthand(Kind[Any]):
    """A string that is short for a whole `shape`: the string is its `field`."""

    __slots__ = ("field", "shape")

    def __init__(self, shape: type[Shape], field: str) -> None:
        self.shape = shape
        self.field = field

    def words(self) -> str:
        return "a non-empty string"


class Messages(Kind[Any]):
    """A conversation: a list of messages of the shape `message`.

    A lenient one is a list of anything unless its first item has a role.
    """

    __slots__ = ("item", "lenient", "message")

    def __init__(self, message: type[Shape], *, lenient: bool = False) -> None:
        self.message = message
        #: What each item is.
        self.item = Shaped(message)
        self.lenient = lenient

    def words(self) -> str:
        return "a list" if self.lenient else "a list of messages"


class OneMessage(Kind[Any]):
    """A mapping in place of a list of messages: the only one where it has a role, else the content of one of the user."""

    __slots__ = ("message",)

    def __init__(self, message: type[Shape]) -> None:
        self.message = message

    def words(self) -> str:
        return "a mapping"
