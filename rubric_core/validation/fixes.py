"""Fixes shared by several rules: remove a key or an item, add a key, replace a word or value."""

from collections.abc import Iterable

from rubric_core.language.shape import FieldPlace
from rubric_core.syntax.edit import (
    add_entry,
    column_of,
    newline_of,
    plain_or_quoted,
    remove_entry,
    remove_item,
)
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Fix

__all__ = [
    "FILL_IN",
    "add_key_fix",
    "add_keys_edit",
    "example_of",
    "put_first",
    "remove_item_fix",
    "remove_key_fix",
    "replace_with_words",
    "write_value",
]

#: A placeholder for text that only the author can supply.
FILL_IN = '"…"'


def remove_key_fix(
    node: Node | None, name: str, context: Context, title: str = "", *, safe: bool = False
) -> tuple[Fix, ...]:
    """Remove the first key called `name` from a mapping, unless it is the only one."""
    entry = node.entry(name) if isinstance(node, Mapping) else None
    edit = remove_entry(context.text, node, entry) if isinstance(node, Mapping) and entry is not None else None
    return () if edit is None else (Fix(title or f"remove `{name}`", (edit,), safe),)


def remove_item_fix(
    sequence: Node | None, item: Node, context: Context, title: str = "remove it", *, safe: bool = False
) -> tuple[Fix, ...]:
    """Remove an item from a list, unless it is the only one."""
    edit = remove_item(context.text, sequence, item) if isinstance(sequence, Sequence) else None
    return () if edit is None else (Fix(title, (edit,), safe),)


def add_key_fix(node: Node | None, name: str, value: str, context: Context, *, safe: bool = False) -> tuple[Fix, ...]:
    """Put `name: value` into a mapping."""
    edit = add_entry(context.text, node, name, value) if isinstance(node, Mapping) else None
    return () if edit is None else (Fix(f"add `{name}: {value}`", (edit,), safe),)


def add_keys_edit(node: Node | None, entries: Iterable[str], context: Context) -> tuple[Edit, ...]:
    """The edit that adds entries, each `name: value`, to a mapping; None if there is no safe place."""
    made = [
        add_entry(context.text, node, *entry.split(": ", 1)) if isinstance(node, Mapping) else None for entry in entries
    ]
    sound = [edit for edit in made if edit is not None]
    return (Edit(sound[0].span, "".join(edit.new_text for edit in sound)),) if sound and len(sound) == len(made) else ()


def put_first(node: Node | None, name: str, value: str, context: Context, *, safe: bool = False) -> tuple[Fix, ...]:
    """Insert `name: value` before the first entry of a mapping."""
    if not isinstance(node, Mapping) or not node.entries:
        return ()
    at = node.entries[0].key.whole.start
    if context.text[:at].rstrip(" ").endswith("?"):
        return ()  # a key in the way that few know
    behind = ", " if node.flow else newline_of(context.text) + " " * column_of(context.text, at)
    return (Fix(f"add `{name}: {value}`", (Edit(Span(at, at), f"{name}: {value}{behind}"),), safe),)


def replace_with_words(span: Span, words: Iterable[str], *, safe: bool = False) -> tuple[Fix, ...]:
    """One fix for each word that may have been meant."""
    return tuple(Fix(f"change it to `{word}`", (Edit(span, plain_or_quoted(word)),), safe) for word in words)


def write_value(place: FieldPlace, text: str, title: str = "") -> tuple[Fix, ...]:
    """Write another value, if it stands where the key is and is no block."""
    if place.borrowed or not isinstance(place.node, Scalar) or place.node.is_block:
        return ()
    return (Fix(title or f"write {text}", (Edit(place.value, text),), safe=False),)


def example_of(example: str) -> str:
    """An example value to fill in; none for a file or program, since no example would exist."""
    if "/" in example or ".py" in example:
        return f"[{FILL_IN}]" if example.startswith("[") else FILL_IN
    return example
