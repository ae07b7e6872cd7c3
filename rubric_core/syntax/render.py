"""Renders nodes as YAML text for insertion in another place."""

from collections.abc import Iterable

from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.edit import plain_or_quoted, quoted
from rubric_core.syntax.tree import Alias, Entry, Mapping, Node, Scalar, Sequence

__all__ = ["written_entry"]

_BRACKETS = pattern(r"[,\[\]{}]")
#: A text that a literal block can hold verbatim.
_BLOCK = pattern(r"[^\s\x00-\x1f\x7f](?:[^\x00-\x08\x0b-\x1f\x7f\x85\u2028\u2029\ufeff]*[^\s\x00-\x1f\x7f])?\n?\Z")


def written_entry(entry: Entry, column: int, newline: str, *, flow: bool) -> str | None:
    """`key: value` for a mapping whose keys stand in `column`; None where it would not mean the same there.

    Comments and anchors stay where the entry comes from, references stay references.
    """
    if entry.name is None or entry.key.tag or entry.key.anchor:
        return None
    key = plain_or_quoted(entry.name)
    value = _value(entry.value, column, newline, flow=flow)
    return None if value is None else f"{key}:{value}"


def _value(node: Node, column: int, newline: str, *, flow: bool) -> str | None:
    """The text after the colon, including the blank or line break before the value."""
    if node.tag:
        return None
    block = isinstance(node, Mapping | Sequence) and not node.flow and not flow
    if isinstance(node, Mapping) and block and node.entries:
        return _lines((written_entry(e, column + 2, newline, flow=False) for e in node.entries), column + 2, newline)
    if isinstance(node, Sequence) and block and node.items:
        return _lines((_item(i, column + 2, newline) for i in node.items), column + 2, newline)
    if isinstance(node, Scalar) and node.is_block and not flow and _BLOCK.match(node.text):
        margin = newline + " " * (column + 2)
        lines = node.text.removesuffix("\n").split("\n")
        body = "".join(margin + line if line else newline for line in lines)
        return f" |{'' if node.text.endswith(chr(10)) else '-'}{body}"
    inline = _inline(node, flow=flow)
    return None if inline is None else f" {inline}" if inline else ""


def _item(node: Node, column: int, newline: str) -> str | None:
    if isinstance(node, Mapping) and not node.flow and node.entries and not node.tag:
        entries = [written_entry(e, column + 2, newline, flow=False) for e in node.entries]
        inner = newline + " " * (column + 2)
        return None if None in entries else "- " + inner.join(filter(None, entries))
    value = _value(node, column, newline, flow=False)
    return None if value is None else f"-{value}"


def _lines(written: Iterable[str | None], column: int, newline: str) -> str | None:
    each = list(written)
    margin = newline + " " * column
    return None if None in each else "".join(margin + line for line in each if line)


def _inline(node: Node, *, flow: bool = True) -> str | None:
    """The node on one line; None for one with a tag."""
    if node.tag:
        return None
    if isinstance(node, Alias):
        return f"*{node.name}"
    if isinstance(node, Scalar):
        if not isinstance(node.value, str):
            return node.text or "null"
        if node.style == "plain" and "\n" not in node.text and not (flow and _BRACKETS.search(node.text)):
            return node.text  # a plain scalar at its old place stays plain here
        return quoted(node.text)
    if isinstance(node, Sequence):
        items = [_inline(item) for item in node.items]
        return None if None in items else f"[{', '.join(filter(None, items))}]"
    if isinstance(node, Mapping):
        entries = [written_entry(e, 0, "", flow=True) for e in node.entries]
        return None if None in entries else f"{{{', '.join(filter(None, entries))}}}"
    return None
