"""Nodes as plain Python data, for the parts of a file that no shape describes."""

import re
from collections.abc import Mapping as MappingOf
from decimal import Decimal
from math import isfinite, isnan
from typing import Any

from rubric_core.syntax.tree import Alias, Mapping, Node, Scalar, Sequence

__all__ = ["MOST_NODES", "TooManyValuesError", "key_name", "plain", "plain_whole", "without_point"]

#: The most nodes that are expanded. More means an alias bomb; the aliases are then kept as written.
MOST_NODES = 100_000
_MERGE = "<<"
#: What keys that are numbers or truth values begin with.
_NUMBER_BEGINS = frozenset("0123456789+-.TF")
#: JavaScript writes larger numbers with an exponent.
_LARGEST_WHOLE = 1e21


class TooManyValuesError(ValueError):
    """Aliases expand to too many values."""


def plain(value: object, anchors: MappingOf[str, Node]) -> Any:
    """`value` with every node in it as a str, int, float, bool, None, list or dict; keys are strings.

    Merge keys and aliases are followed; an alias that leads nowhere, or into itself, becomes the string `*name`.
    Numbers are as in JavaScript: see `without_point`.
    """
    return _Reader(anchors).read(value)


def plain_whole(value: object, anchors: MappingOf[str, Node]) -> Any:
    """The same for a run. Raises TooManyValuesError where `plain` keeps aliases because there are too many."""
    reader = _Reader(anchors)
    found = reader.read(value)
    if reader.is_cut:
        raise TooManyValuesError(f"its aliases stand for more than {MOST_NODES:,} values")
    return found


def without_point(value: float) -> float:
    """A number as an int if it has no fraction: the engines run in JavaScript, which has one type for 1000, 1e3 and 1000.0."""
    if isinstance(value, int) or not value.is_integer() or abs(value) >= _LARGEST_WHOLE:
        return value
    return int(Decimal(repr(value)))  # with zeros after the digits that identify the number


def key_name(key: Node, written: str) -> str:
    """The name of a key in data as JavaScript has it: `1.0` is 1, `0x10` is 16, and `True` is true."""
    if written[:1] not in _NUMBER_BEGINS or not isinstance(key, Scalar) or key.style != "plain":
        return written
    value = key.value
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, int | float):
        return written
    if isinstance(value, float) and not isfinite(value):
        return "NaN" if isnan(value) else f"{'-' if value < 0 else ''}Infinity"
    return re.sub(r"e([+-])0", r"e\1", repr(without_point(value)))


class _Reader:
    def __init__(self, anchors: MappingOf[str, Node]) -> None:
        self._anchors = anchors
        self._left = MOST_NODES
        self._following: list[str] = []
        #: Whether an alias was kept because there were too many nodes.
        self.is_cut = False

    def read(self, value: object) -> Any:
        self._left -= 1
        if isinstance(value, Scalar):
            found = value.value
            return without_point(found) if isinstance(found, float) else found
        if isinstance(value, Alias):
            return self._follow(value)
        if isinstance(value, Sequence):
            return [self.read(item) for item in value.items]
        if isinstance(value, Mapping):
            return self._mapping(value)
        if isinstance(value, list):
            return [self.read(item) for item in value]
        if isinstance(value, dict):
            return {str(name): self.read(item) for name, item in value.items()}
        return value

    def _follow(self, alias: Alias) -> Any:
        target = alias.target or self._anchors.get(alias.name)
        if target is None or alias.recursive or alias.name in self._following:
            return f"*{alias.name}"
        if self._left < 0:
            self.is_cut = True
            return f"*{alias.name}"
        self._following.append(alias.name)
        try:
            return self.read(target)
        finally:
            self._following.pop()

    def _mapping(self, node: Mapping) -> dict[str, Any]:
        own: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        for entry in node.entries:
            key, value = entry.key, self.read(entry.value)
            name = key.text if isinstance(key, Scalar) else entry.name
            if name == _MERGE and isinstance(key, Scalar) and key.style == "plain":
                for source in value if isinstance(value, list) else [value]:
                    merged = {**source, **merged} if isinstance(source, dict) else merged
            elif name is not None:
                own.setdefault(key_name(key, name), value)
        return {**{n: v for n, v in merged.items() if n not in own}, **own} if merged else own
