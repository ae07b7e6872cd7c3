"""A JSON array whose items are serialized already, so that unchanged parts of an answer are not serialized again."""

import json
from collections.abc import Iterable
from itertools import chain
from typing import Any

__all__ = ["JsonArray", "json_text"]


class JsonArray:
    """An array of pieces, each with one or more items and the commas between them.

    Args:
        pieces: The items; an empty piece has none.
    """

    __slots__ = ("pieces",)

    def __init__(self, pieces: Iterable[str] = ()) -> None:
        #: Without empty pieces.
        self.pieces = [*filter(None, pieces)]

    @classmethod
    def of(cls, items: Iterable[object]) -> "JsonArray":
        """An array of plain data."""
        return cls(map(json_text, items))

    @classmethod
    def joined(cls, arrays: Iterable["JsonArray"]) -> "JsonArray":
        """The items of several arrays in one."""
        return cls(chain.from_iterable(each.pieces for each in arrays))

    @property
    def text(self) -> str:
        """The array as JSON, in ASCII."""
        return f"[{','.join(self.pieces)}]"

    @property
    def items(self) -> list[Any]:
        """The items as plain data."""
        found: list[Any] = json.loads(self.text)
        return found

    def __bool__(self) -> bool:
        return bool(self.pieces)

    def __eq__(self, other: object) -> bool:
        # Piece by piece, as most are identical: differently cut items count as different.
        return isinstance(other, JsonArray) and self.pieces == other.pieces

    __hash__ = None  # type: ignore[assignment]  # as that of a list


def json_text(value: object) -> str:
    """A value as compact JSON in ASCII, with escapes, so that a lone surrogate cannot break it."""
    return json.dumps(value, separators=(",", ":"))
