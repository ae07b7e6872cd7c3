"""Reads flow collections on one line with simple values, as most are."""

from sys import intern

from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Entry, Mapping, Node, Scalar, Sequence, Style
from rubric_core.text import Span

__all__ = ["QUOTES", "read_flow"]

QUOTES: dict[str, Style] = {"'": "single", '"': "double"}
#: A value and the blanks after it.
_VALUE = pattern(r"(?:\"[^\"\\\n]*\" *|'[^'\n]*' *|[\w./$(<+=~^][^,\[\]{}:#&*!|>'\"%@`?\n]*)")
_KEY = pattern(r"([A-Za-z_]\w{0,99}): +")
_BLANKS = pattern(r" *")
_REST = pattern(r" *(?: #[^\n]*)?")
#: Filled in when a collection is closed.
_NOWHERE = Span(0, 0)
#: Collections are nested at most so deep; libyaml reads others.
_DEEPEST = 8
# A named tuple's own constructor is a function in Python, and each value has a span.
_new = tuple.__new__


def read_flow(value: str, begin: int, mappings: list[Mapping]) -> Mapping | Sequence | None:
    """The collection that `value` begins with, a bracket; None if it, or what follows it on the line, is not simple.

    Args:
        value: The text of a line from the bracket on.
        begin: The offset of the bracket.
        mappings: Takes every mapping in it, itself included.
    """
    found = _collection(value, 0, begin, mappings, _DEEPEST)
    return found[0] if found is not None and _REST.fullmatch(value, found[1]) else None


def _collection(
    value: str, at: int, begin: int, mappings: list[Mapping], levels: int
) -> tuple[Mapping | Sequence, int] | None:
    """The collection that opens at offset `at` of the line, and the offset after its closing bracket."""
    items: list[Node] = []
    entries: list[Entry] = []
    listed = value[at] == "["
    closing = "]" if listed else "}"
    sign, end = ",", at + 1
    while sign == ",":
        end = _BLANKS.match(value, end).end()  # type: ignore[union-attr]  # it matches everywhere
        key = None if listed else _KEY.match(value, end)
        end = end if key is None else key.end()
        if key is None and not listed:
            return None
        node: Node
        if value[end : end + 1] in ("[", "{"):
            inner = _collection(value, end, begin, mappings, levels - 1) if levels else None
            if inner is None:
                return None
            node = inner[0]
            end = _BLANKS.match(value, inner[1]).end()  # type: ignore[union-attr]  # see above
        else:
            found = _VALUE.match(value, end)
            if found is None:
                return None
            node, end = _scalar(found[0], begin + end), found.end()
        if key is None:
            items.append(node)
        else:
            span = _new(Span, (begin + key.start(), begin + key.end(1)))
            entries.append(Entry(Scalar(span, span, None, None, intern(key[1]), "plain"), node))
        sign, end = value[end : end + 1], end + 1
    if sign != closing:
        return None
    whole = _new(Span, (begin + at, begin + end))
    if listed:
        read = Sequence(whole, whole, None, None, True)
        read.items = items
        return read, end
    made = Mapping(whole, whole, None, None, True)
    made.entries = entries
    mappings.append(made)
    return made, end


def _scalar(value: str, begin: int) -> Scalar:
    quotes = QUOTES.get(value[0])
    value = value.rstrip(" ")
    span = _new(Span, (begin, begin + len(value)))
    return Scalar(span, span, None, None, value[1:-1] if quotes else value, quotes or "plain")
