"""Translates evaluators of other dialects to this one: the type and its keys."""

from collections.abc import Iterator

from rubric_core.language.evaluators import AssertSet, Composite, Evaluator, LlmRubric, Rubric, Rubrics
from rubric_core.language.shape import Shape
from rubric_core.syntax.edit import add_entry, quoted, remove_entry, rename_key
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit
from rubric_core.validation.rule import Context, Fix
from rubric_core.validation.wording import number

__all__ = ["translate_type"]


def translate_type(shape: type[Shape], tag: Node, mapping: Mapping, context: Context) -> Iterator[Fix]:
    """The evaluator `mapping`, whose type belongs to `shape` elsewhere, as this dialect writes it."""
    if issubclass(shape, LlmRubric):
        yield from _as_rubric(Rubrics, ("value",), tag, mapping, context)
    elif issubclass(shape, Rubric):
        yield from _as_rubric(LlmRubric, ("criteria", "rubrics"), tag, mapping, context)
    elif issubclass(shape, Composite):
        yield from _as_set(tag, mapping, context)


def _as_rubric(
    shape: type[Evaluator], keys: tuple[str, ...], tag: Node, mapping: Mapping, context: Context
) -> Iterator[Fix]:
    """A rubric keeps its criteria; a single text among them is a list with it."""
    name, key = context.dialect.type_name(shape), context.dialect.spelled(shape, "criteria")
    entry = next((e for e in mapping.entries if e.name in keys), None)
    if name is None or key is None or entry is None or mapping.get(key) not in (None, entry.value):
        return
    edits = [Edit(tag.span, name)]
    if entry.name != key:
        edits.append(rename_key(entry, key))
    if isinstance(entry.value, Scalar):
        if entry.value.is_block:
            return
        edits.append(Edit(entry.value.span, f"[{quoted(entry.value.text)}]"))
    elif not isinstance(entry.value, Sequence):
        return
    yield Fix(f"make it `{name}` with `{key}`", tuple(edits), safe=False)


def _as_set(tag: Node, mapping: Mapping, context: Context) -> Iterator[Fix]:
    """A composite whose score is the plain mean of its members is a set that passes from the threshold on."""
    name, key = context.dialect.type_name(AssertSet), context.dialect.spelled(AssertSet, "assertions")
    aggregator = next((e for e in mapping.entries if e.name == "aggregator"), None)
    if name is None or key is None:
        return
    if aggregator is not None:
        written = {e.name: e.value for e in aggregator.value.entries} if isinstance(aggregator.value, Mapping) else {}
        kind = written.get("type")
        if set(written) - {"type"} or (isinstance(kind, Scalar) and kind.text != "weighted_average"):
            return
    members = next((e for e in mapping.entries if e.name in ("assertions", "evaluators", "assert")), None)
    edits: list[Edit | None] = [Edit(tag.span, name)]
    if members is not None and members.name != key:
        edits.append(rename_key(members, key))
    elif members is None:
        edits.append(add_entry(context.text, mapping, key, '["…"]'))
    if aggregator is not None:
        edits.append(remove_entry(context.text, mapping, aggregator))
    if mapping.get("threshold") is None and aggregator is not None:
        edits[-1] = Edit(aggregator.span, f"threshold: {number(context.dialect.properties.threshold)}")
    if all(edit is not None for edit in edits):
        yield Fix(f"make it `{name}`", tuple(e for e in edits if e is not None), safe=False)
