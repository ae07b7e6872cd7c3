"""Values of the wrong type, written as the type that their key takes."""

from collections.abc import Iterator
from typing import Any

from rubric_core.language.model import CASE, Suite
from rubric_core.language.shape import Key
from rubric_core.language.shape_kinds import Messages, Shaped, Shorthand, Tagged
from rubric_core.language.value_kinds import Boolean, Choice, Integer, Kind, ListOf, NodeUnion, Number, Text
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.issues import OutOfRange, WrongType
from rubric_core.loading.type_match import could_be
from rubric_core.syntax.edit import quoted, rename_key, replace_value, wrap_in_list
from rubric_core.syntax.scalars import resolve
from rubric_core.syntax.tree import Mapping, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.first_case_fix import first_case
from rubric_core.validation.fixes import FILL_IN, example_of, remove_key_fix, replace_with_words
from rubric_core.validation.list_fixes import (
    block_of_items,
    foreign_dashes,
    glued_dashes,
    items_from_mapping,
    of_one_text,
)
from rubric_core.validation.rule import Context, Fix
from rubric_core.validation.units import NUMBERS, intended_number
from rubric_core.validation.wording import closest

__all__ = ["convert_value", "flag_fixes", "unconvertible"]

_WORDS = {
    "true": ("true", "yes", "on", "y", "always"),
    "false": ("false", "no", "off", "n", "never"),
}
#: `target default`, `target = default`, `target:default`.
_ENTRY = pattern(
    r"(?P<key>[A-Za-z_]\w*)(?P<sign>[ \t]*(?:=>?|[：∶;:])[ \t]*|[ \t]+[-–—][ \t]+|[ \t]+)(?P<value>\S[^\r\n]*)\Z"
)
_BOOLEANS = {word: written for written, words in _WORDS.items() for word in words}


def convert_value(issue: WrongType, context: Context) -> Iterator[Fix]:
    """The value in the type of its key; if nothing of it can be kept, an example, or removal of the key."""
    node = issue.node
    kinds = issue.kind.branches if isinstance(issue.kind, NodeUnion) else (issue.kind,)
    if node.anchor:
        return
    found = [
        fix
        for kind in kinds
        for fix in (
            _scalar_fixes(node, kind, context)
            if isinstance(node, Scalar)
            else _list_fixes(node, kind, issue.name, context)
            if isinstance(node, Sequence)
            else _mapping_fixes(node, kind, context)
            if isinstance(node, Mapping)
            else ()
        )
    ]
    yield from found or _as_several(issue, context) or unconvertible(issue, context)


def _as_several(issue: WrongType, context: Context) -> list[Fix]:
    """Several things under a key that takes one: the key that takes several, or each of them alone."""
    owner, node = issue.owner, issue.node
    if owner is None or issue.key is None or not isinstance(node, Sequence) or not isinstance(owner.node, Mapping):
        return []
    several = context.dialect.spelled(type(owner), f"{issue.key.field}s")
    entry = next((e for e in owner.node.entries if e.value is node), None)
    if several and entry is not None and not owner.has(f"{issue.key.field}s"):
        return [Fix(f"rename it to `{several}`", (rename_key(entry, several),), safe=False)]
    words = [i.text for i in node.items if isinstance(i, Scalar) and isinstance(i.value, str) and i.text.strip()]
    return list(replace_with_words(node.span, words)) if node.flow and isinstance(issue.kind, Text) else []


def _scalar_fixes(node: Scalar, kind: Kind[object], context: Context) -> Iterator[Fix]:
    value = node.value
    if node.is_block:
        if isinstance(kind, ListOf) and (opened := block_of_items(node, context.text)) is not None:
            yield Fix(
                f"remove the `{context.text[node.span.start]}`: it turns the list into one text", (opened,), safe=False
            )
        return
    if isinstance(kind, Text | Shorthand):
        named = isinstance(kind, Text) and kind.refers_to in ("type", "file")
        if isinstance(value, int | float) and not named:
            yield Fix("put it in quotes", (replace_value(node, quoted(node.text)),))
        return
    if isinstance(kind, Shaped):
        yield from _spelled_out(kind, node, context)
    if not isinstance(value, str) or not value.strip():
        return
    if isinstance(kind, Boolean):
        yield from flag_fixes(node)
    elif isinstance(kind, Number | Integer):
        yield from _as_number(node, value.strip(), kind)
    elif isinstance(kind, ListOf) and (dashes := tuple(glued_dashes(node, context.text))):
        yield Fix("add the dashes of a list", dashes)
    elif isinstance(kind, ListOf) and isinstance(kind.item, Text | NodeUnion):
        yield from of_one_text(node, context)


def flag_fixes(node: Scalar) -> Iterator[Fix]:
    """True or false for a word that means either."""
    said = node.text.strip().lower()
    word = _BOOLEANS.get(said) or closest(said, ("true", "false"))
    if word and not node.is_block:
        certain = said in _BOOLEANS and said not in ("always", "never")
        yield Fix(f"write {word}", (replace_value(node, word),), safe=certain)


def _as_number(node: Scalar, text: str, kind: Number | Integer) -> Iterator[Fix]:
    number = resolve(text)
    written = intended_number(text, kind.unit if isinstance(kind, Number) else "", share=kind.at_most == 1)
    if isinstance(number, int | float) and not isinstance(number, bool) and _is_within(number, kind):
        yield Fix("remove the quotes around it", (replace_value(node, text),))
    elif written is not None and _is_within(float(written), kind):
        yield Fix(f"write {written}", (replace_value(node, written),), safe=text.lower() in NUMBERS)


def _is_within(value: float, kind: Number | Integer) -> bool:
    if isinstance(kind, Integer) and not float(value).is_integer():
        return False
    above = kind.above if isinstance(kind, Number) else None
    return not (
        (kind.at_least is not None and value < kind.at_least)
        or (kind.at_most is not None and value > kind.at_most)
        or (above is not None and value <= above)
    )


def _spelled_out(kind: Shaped, node: Scalar, context: Context) -> Iterator[Fix]:
    """A key that is missing before its value, or a scalar in place of the mapping whose main value it is."""
    if (entry := _ENTRY.match(node.text)) and entry["key"] in context.dialect.table(kind.shape):
        sign = Span(node.span.start + entry.start("sign"), node.span.start + entry.end("sign"))
        if context.written(node.span) == node.text:
            yield Fix("add the colon", (Edit(sign, ": "),), safe=bool(entry["sign"].strip()))
            return
    needed = context.dialect.needed(kind.shape)
    if len(needed) != 1:
        return
    spelling, declared = needed[0]
    whole = isinstance(node.value, int) and not isinstance(node.value, bool)
    if (isinstance(declared.kind, Choice) and node.value in declared.kind.names) or (
        isinstance(declared.kind, Integer) and whole
    ):
        written = f"{{{spelling.name}: {node.text}}}"
        yield Fix(f"write `{written}`", (replace_value(node, written),))


def _as_single_value(item: Scalar, context: Context) -> str:
    """An item of a flow list as a single value: a plain scalar in brackets is plain everywhere."""
    written = context.written(item.span)
    return quoted(item.text) if "\n" in written or "\r" in written else written


def _list_fixes(node: Sequence, kind: Kind[object], name: str, context: Context) -> Iterator[Fix]:
    """The only item of a list instead of the list; several words as one."""
    items = [item for item in node.items if isinstance(item, Scalar) and not item.anchor]
    if not items or len(items) != len(node.items) or not node.flow:
        return
    if name.endswith("[]") and all(could_be(item, kind) for item in items):
        start, end = node.span
        edits = (Edit(Span(start, start + 1), ""), Edit(Span(end - 1, end), ""))
        yield Fix("remove the inner brackets", edits, safe=False)
        return
    if len(items) == 1 and could_be(items[0], kind):
        yield Fix("take it out of the list", (replace_value(node, _as_single_value(items[0], context)),))
    elif isinstance(kind, Text) and not kind.refers_to and all(isinstance(i.value, str) for i in items):
        between = "-" if name in ("id", "name") else "; "
        yield Fix("make it one text", (replace_value(node, quoted(between.join(i.text for i in items))),), safe=False)


def _mapping_fixes(node: Mapping, kind: Kind[object], context: Context) -> Iterator[Fix]:
    """A mapping instead of a list of mappings: the dash is missing, or cases are listed under their ids."""
    if not node.entries:
        return
    if isinstance(kind, Text | Choice) and len(node.entries) == 1 and not node.anchor:
        only = node.entries[0].value
        if isinstance(only, Scalar) and only.empty:
            only = node.entries[0].key
        if isinstance(only, Scalar) and not only.is_block and could_be(only, kind):
            fix = Fix("write only the text", (replace_value(node, _as_single_value(only, context)),), safe=False)
            yield from [fix] if node.flow else ()
    elif isinstance(kind, Messages):
        if node.get("role") is not None:
            edits = wrap_in_list(context.text, node)
            if node.get("content") is None:
                edits = _with_content(node, edits)
            yield Fix("make it a list with one message", edits, safe=node.get("content") is not None)
    elif isinstance(kind, ListOf):
        if dashes := tuple(foreign_dashes(node)):
            yield Fix("add the dashes of a list", dashes)
            return
        branches = kind.item.branches if isinstance(kind.item, NodeUnion) else (kind.item,)
        shapes = [b.shape if isinstance(b, Shaped) else b.base for b in branches if isinstance(b, Shaped | Tagged)]
        known = {name for shape in shapes for name in context.dialect.table(shape)}
        if shapes and known & {entry.name for entry in node.entries}:
            yield Fix("make it a list with one item", wrap_in_list(context.text, node))
        elif naming := next((n for s in shapes for f in ("id", "name") if (n := context.dialect.spelled(s, f))), ""):
            short = kind.item.text if isinstance(kind.item, NodeUnion) else None
            yield from items_from_mapping(node, naming, short if isinstance(short, Shorthand) else None, context)


def _with_content(node: Mapping, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    if not node.flow:
        return edits
    at = node.entries[-1].span.end
    return (*edits[:-1], Edit(Span(at, at), f", content: {FILL_IN}"), edits[-1])


def unconvertible(issue: WrongType | OutOfRange, context: Context) -> Iterator[Fix]:
    """Fixes if no part of a value can be kept: replace it with an example, or remove the key."""
    declared: Key[Any] | None = issue.key
    owner = issue.owner
    node = issue.node
    if issue.name.endswith("[]") and isinstance(node, Scalar) and node.empty and not issue.borrowed:
        kinds = issue.kind.branches if isinstance(issue.kind, NodeUnion) else (issue.kind,)
        if issue.kind is not CASE and any(isinstance(kind, Text | Shorthand) for kind in kinds):
            lead = "" if context.text[: node.span.start].endswith((" ", "[", "\t")) else " "
            yield Fix("say it: …", (Edit(node.span, lead + FILL_IN),), safe=False)
        return
    if declared is None or owner is None or issue.borrowed:
        return
    empty = isinstance(node, Sequence | Mapping) and not (node.items if isinstance(node, Sequence) else node.entries)
    blank = isinstance(node, Scalar) and (node.value is None or (isinstance(node.value, str) and not node.text.strip()))
    needed = context.dialect.demanded(type(owner), declared.field)
    if (empty or blank) and isinstance(owner, Suite) and declared.field == "cases":
        yield from first_case(owner, node, issue.name, context)
    elif (empty or blank) and (declared.example or needed):
        written = example_of(declared.example) or FILL_IN
        lead = " " if isinstance(node, Scalar) and node.span.start == node.span.end else ""
        yield Fix(f"write {written}", (Edit(node.span, lead + written),), safe=False)
    elif not needed:
        yield from remove_key_fix(owner.node, issue.name, context)
