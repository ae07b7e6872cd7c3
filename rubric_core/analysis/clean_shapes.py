"""Remembers shapes in which rules found nothing, so that each is checked once, however many cases have it."""

from typing import Any

from rubric_core.language.shape import Shape
from rubric_core.validation.rule import Context

__all__ = ["BlockContext", "CleanShapes"]


class BlockContext(Context):
    """The context of a block, which notes whether a rule looks at more of it than at what it visits."""

    #: Whether a rule has asked about the whole block.
    is_asked = False

    def contains(self, word: str) -> bool:
        """See `Context.contains`."""
        object.__setattr__(self, "is_asked", True)
        return super().contains(word)


class CleanShapes:
    """The shapes of one check that are judged alone and have no finding, by their class and the lines that they are on.

    A rule that asks whether a word is anywhere in the case is noticed, and its shape is not remembered.
    """

    def __init__(self) -> None:
        self._known: set[tuple[object, ...]] = set()

    def key(self, visited: Any, context: Context) -> tuple[object, ...] | None:
        """What a shape is remembered by; None for one that is not judged alone, and for one behind an alias."""
        if not isinstance(visited, Shape) or not visited.is_judged_alone or visited.borrowed or visited.node is None:
            return None
        text, (start, end) = context.text, visited.node.whole
        first, after = text.rfind("\n", 0, start) + 1, text.find("\n", end)
        lines = text[first : after if after >= 0 else len(text)]
        return type(visited), context.signs, start - first, end - start, lines

    def has(self, key: tuple[object, ...] | None) -> bool:
        """Whether nothing was found in such a shape before."""
        return key in self._known

    def add(self, key: tuple[object, ...] | None, context: Context) -> None:
        """Remember a shape in which nothing was found."""
        if key is not None and not (isinstance(context, BlockContext) and context.is_asked):
            self._known.add(key)
