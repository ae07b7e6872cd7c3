"""Fixes that several rules offer: a key or an item taken out, a key put in, a word put in the place of another."""

from collections.abc import Iterable

from rubric_core.syntax.edit import add_entry, plain_or_quoted, remove_entry, remove_item
from rubric_core.syntax.tree import Mapping, Node, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Fix

__all__ = ["FILL_IN", "added", "changed", "example_of", "removed", "removed_item"]

#: Stands where only the author knows what to write.
FILL_IN = '"…"'


def removed(node: Node | None, name: str, context: Context, title: str = "", *, safe: bool = False) -> tuple[Fix, ...]:
    """Take the first key called `name` out of a mapping, where something else is left."""
    entry = next((e for e in node.entries if e.name == name), None) if isinstance(node, Mapping) else None
    edit = remove_entry(context.text, node, entry) if isinstance(node, Mapping) and entry is not None else None
    return () if edit is None else (Fix(title or f"remove `{name}`", (edit,), safe),)


def removed_item(
    sequence: Node | None, item: Node, context: Context, title: str = "remove it", *, safe: bool = False
) -> tuple[Fix, ...]:
    """Take an item out of a list, where something else is left."""
    edit = remove_item(context.text, sequence, item) if isinstance(sequence, Sequence) else None
    return () if edit is None else (Fix(title, (edit,), safe),)


def added(node: Node | None, name: str, value: str, context: Context, *, safe: bool = False) -> tuple[Fix, ...]:
    """Put `name: value` into a mapping."""
    edit = add_entry(context.text, node, name, value) if isinstance(node, Mapping) else None
    return () if edit is None else (Fix(f"add `{name}: {value}`", (edit,), safe),)


def changed(span: Span, words: Iterable[str], *, safe: bool = False) -> tuple[Fix, ...]:
    """One fix for each of the words that may be meant."""
    return tuple(Fix(f"change it to `{word}`", (Edit(span, plain_or_quoted(word)),), safe) for word in words)


def example_of(example: str) -> str:
    """An example to fill in; of a file or a program there is none that would be there."""
    if "/" in example or ".py" in example:
        return f"[{FILL_IN}]" if example.startswith("[") else FILL_IN
    return example
