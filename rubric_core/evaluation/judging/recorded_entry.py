"""The text of one entry of a recordings file: new, or changed with its comments and quotes preserved."""

import json
from collections.abc import Sequence
from io import StringIO
from typing import TYPE_CHECKING

from pydantic import BaseModel

from rubric_core.evaluation.judging.recording_file import BREAKS, RecordedCriterion, RecordedEntry, dump_yaml, row_of
from rubric_core.syntax.collection_edits import dedent, extent, indent
from rubric_core.syntax.edit import column_of, item_dash
from rubric_core.syntax.parse import parse
from rubric_core.syntax.scalars import resolve
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.syntax.tree import Node
from rubric_core.syntax.tree import Sequence as SequenceNode
from rubric_core.text import Edit, apply_edits

if TYPE_CHECKING:
    from ruamel.yaml import YAML
    from ruamel.yaml.comments import CommentedMap

__all__ = ["changed_entry_text", "key_of", "new_entry_text"]

#: Columns of the text, as in a new file.
_WIDTH = 110


def key_of(criterion: RecordedCriterion) -> str:
    """The key of a criterion within its entry."""
    ranges = criterion.reply.score is not None
    return json.dumps([criterion.criterion, criterion.operator, criterion.bands, ranges], sort_keys=True)


def new_entry_text(entry: RecordedEntry, column: int) -> str:
    """The text of a new entry, its dash at `column`."""
    return indent(dump_yaml([row_of(entry)]), column)


def changed_entry_text(piece: str, old: RecordedEntry, wanted: RecordedEntry, *, inside: bool) -> str:
    """The changed text of an entry, after the lines above it.

    Args:
        piece: The entry with those lines.
        old: Its content.
        wanted: Its new content.
        inside: Whether to preserve comments and quotes inside it. Parse the outcome again: not every text
            can be preserved, such as an alias to another entry.
    """
    text = piece.replace("\r\n", "\n")
    root = parse(text).root
    items = root.items if isinstance(root, SequenceNode) and not root.flow else []
    dash = item_dash(text, items[0]) if len(items) == 1 else None
    if dash is None:
        return new_entry_text(wanted, len(text) - len(text.lstrip(" ")))
    column, inner = column_of(text, dash), column_of(text, items[0].whole.start)
    lead, body = text[: dash - column], f"{' ' * (column + 1)}{text[dash + 1 :]}"
    inside = inside and text[len(lead) :] != new_entry_text(old, column)  # not edited
    made = _changed(dedent(body, inner), old, wanted) if inside else None
    if made is None:
        return lead + new_entry_text(wanted, column)
    made = indent(made, inner)
    return f"{lead}{made[:column]}-{made[column + 1 :]}"


def _changed(body: str, old: RecordedEntry, wanted: RecordedEntry) -> str | None:
    from ruamel.yaml.error import YAMLError  # noqa: PLC0415  # nothing but a changed entry needs it

    try:
        return _rekeyed_mapping(body, old, wanted)
    except YAMLError:  # an alias to another entry, for one
        return None


def _rekeyed_mapping(body: str, old: RecordedEntry, wanted: RecordedEntry) -> str | None:
    """The changed mapping of an entry; None if its text alone is not a mapping."""
    keys = {key_of(criterion): criterion for criterion in wanted.criteria}
    kept = [n for n, criterion in enumerate(old.criteria) if key_of(criterion) in keys]
    if kept and len(kept) < len(old.criteria):
        body = _without(body, [n for n in range(len(old.criteria)) if n not in kept])
    engine = _engine(parse(body).root, body)
    node = engine.load(body)
    if not hasattr(node, "ca"):
        return None
    _update(node, wanted, {"criteria"})
    listed = node.get("criteria")
    if kept and len(listed) == len(kept):
        for place, number in enumerate(kept):
            _update(listed[place], keys.pop(key_of(old.criteria[number])), set())
        listed.extend(row_of(criterion) for criterion in keys.values())
    elif wanted.criteria or listed:
        node["criteria"] = [row_of(criterion) for criterion in wanted.criteria]
    out = StringIO()
    engine.dump(node, out)
    return out.getvalue()


def _without(body: str, numbers: Sequence[int]) -> str:
    """The mapping without some of its criteria, and the comments above these."""
    root = parse(body).root
    listed = root.get("criteria") if isinstance(root, MappingNode) else None
    items = listed.items if isinstance(listed, SequenceNode) and not listed.flow else []
    spans = [
        extent(body, dash, items[n].whole.end)
        for n in numbers
        if n < len(items) and (dash := item_dash(body, items[n])) is not None
    ]
    return apply_edits(body, [Edit(span, "") for span in spans])


def _engine(root: Node | None, body: str) -> "YAML":
    """A YAML engine that preserves the comments and the indentation of a mapping."""
    from ruamel.yaml import YAML  # noqa: PLC0415

    engine = YAML(typ="rt")
    engine.preserve_quotes = True
    engine.width = _WIDTH
    engine.allow_unicode = True
    for entry in root.entries if isinstance(root, MappingNode) else ():
        inner = entry.value
        dash = item_dash(body, inner.items[0]) if isinstance(inner, SequenceNode) and inner.items else None
        if dash is not None:
            offset = column_of(body, dash) - column_of(body, entry.key.whole.start)
            engine.indent(mapping=2, sequence=offset + 2, offset=offset)
    return engine


def _update(node: "CommentedMap", model: BaseModel, leave_out: set[str]) -> None:
    """Update a mapping from the model. A key that lost its value stays, empty, if comments are attached to it."""
    row, whole = row_of(model), model.model_dump()
    for key in [*(key for key in node if key in whole), *(key for key in row if key not in node)]:
        if key in leave_out:
            continue
        before, now = node.get(key), whole[key]
        inner = getattr(model, key)
        if isinstance(inner, BaseModel) and hasattr(before, "ca"):
            _update(before, inner, set())
        elif not now and key in node and key not in node.ca.items:
            del node[key]
        elif before != now and not (before is None and not now):
            node[key] = row_of(inner) if isinstance(inner, BaseModel) else _styled(now, before)


def _styled(value: object, before: object) -> object:
    """A text in the quotes of the one that it replaces, if they are possible for it."""
    from ruamel.yaml.scalarstring import (  # noqa: PLC0415
        DoubleQuotedScalarString,
        LiteralScalarString,
        SingleQuotedScalarString,
    )

    if not isinstance(value, str):
        return value
    if BREAKS.search(value) or not value.replace("\n", "").isprintable() or not isinstance(resolve(value or "x"), str):
        return DoubleQuotedScalarString(value)
    if "\n" in value:
        return LiteralScalarString(value)
    return type(before)(value) if isinstance(before, DoubleQuotedScalarString | SingleQuotedScalarString) else value
