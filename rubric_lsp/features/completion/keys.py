"""Completion of keys: likely and required ones first, deprecated ones last with an edit that replaces them."""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from rubric_core.language.dialect import Spelling, SpellingStatus
from rubric_core.language.shape import Shape
from rubric_core.language.shape_kinds import Shaped
from rubric_core.language.value_kinds import Boolean, Choice, Kind, ListOf, NodeUnion, Ranges, usual
from rubric_core.lazy_compilation import replace
from rubric_core.syntax.cursor import ITEM
from rubric_lsp.features.completion.bands import map_of_bands
from rubric_lsp.features.completion.context import Completion, CompletionSite, escaped
from rubric_lsp.features.completion.family_completion import completion_of
from rubric_lsp.features.completion.ranking import key_ranks
from rubric_lsp.features.completion.skeletons import TYPE_ITEM, dashes
from rubric_lsp.features.completion.values import values
from rubric_lsp.features.completion.written_forms import may_be_block, must_be_chosen, usual_form
from rubric_lsp.features.cursor_site import place_at
from rubric_lsp.features.key_docs import key_markdown

__all__ = ["keys"]


class Written(NamedTuple):
    """A key as it is inserted."""

    plain: str
    snippet: str = ""
    #: Whether what comes next is chosen from suggestions.
    then_suggest: bool = False


# A longer list of choices hides the line; its words are completed after the colon anyway.
_MOST_CHOICES = 5


def keys(site: CompletionSite, shape: type[Shape]) -> Iterator[Completion]:
    """The keys that `shape` can have and does not have yet."""
    dialect = site.dialect
    table = dialect.table(shape)
    present = {s.field for name in site.cursor.siblings if (s := table.get(name)) is not None}
    groups = {shape.keys[name].group for name in present if name in shape.keys} - {""}
    possible = {spelling: key for spelling, key in dialect.fields(shape) if spelling.field not in present}
    needs = {s.field: dialect.demanded(shape, s.field) and key.group not in groups for s, key in possible.items()}
    ranks = key_ranks(site, shape, needs)
    for spelling, key in possible.items():
        needed = needs[spelling.field]
        written = _text(site, spelling.name, key.kind)
        default = f"default {key.shown_default}" if key.shown_default else "rubric's own" if key.extension else ""
        detail = "required" if needed else default
        yield Completion(
            spelling.name, "key", site.span, written.plain, written.snippet, detail, partial(key_markdown, site.analysis, shape, key),
            sort=f"1{ranks[spelling.field]:03}", then_suggest=written.then_suggest,
        )  # fmt: skip
    yield from _deprecated_keys(site, shape, present)


def _deprecated_keys(site: CompletionSite, shape: type[Shape], present: set[str]) -> Iterator[Completion]:
    """Deprecated keys: struck through, last, and accepting one inserts its successor."""
    for spelling in site.dialect.table(shape).values():
        current = _replacement(site, shape, spelling)
        if (
            spelling.fate in (SpellingStatus.CURRENT, SpellingStatus.ALIAS)
            or current is None
            or spelling.field in present
        ):
            continue
        instead = site.dialect.table(shape)[current]
        written = _text(site, current, site.dialect.declared(shape, instead).kind)
        words = f"`{spelling.name}` is deprecated; use `{current}`.\n\n{spelling.note}".strip()
        yield Completion(
            spelling.name, "key", site.span, written.plain, written.snippet, f"deprecated: use {current}", partial(str, words),
            deprecated=True, sort=f"9{spelling.name}", then_suggest=written.then_suggest,
        )  # fmt: skip


def _replacement(site: CompletionSite, shape: type[Shape], spelling: Spelling) -> str | None:
    current = site.dialect.spelled(shape, spelling.field) if spelling.field else None
    if current is None and spelling.field == "evaluator":
        current = site.dialect.spelled(shape, "assertions")
    return current


def _text(site: CompletionSite, name: str, kind: Kind[object]) -> Written:
    if site.cursor.has_colon or site.cursor.quote:
        return Written(name)
    value, chosen = _value(site, name, kind)
    # Without tab stops, what is below is typed.
    return Written(f"{name}:" if value.startswith("\n") else f"{name}: ", f"{escaped(name)}:{value}", chosen)


def _value(site: CompletionSite, name: str, kind: Kind[object]) -> tuple[str, bool]:
    """The text after the colon, with a tab stop where typing continues, and whether it continues with a choice."""
    kind = usual(kind) or kind
    if isinstance(kind, Choice) and len(kind.names) <= _MOST_CHOICES:
        return f" ${{1|{','.join(kind.names)}|}}", False
    if isinstance(kind, Boolean):
        return " ${1|true,false|}", False
    if site.cursor.flow:
        return " $1", False
    inner = site.line(2)
    if isinstance(kind, Ranges):
        return map_of_bands(inner), False
    form = usual_form(name, kind)
    if form == "list":
        return _list(site, name, kind, inner)
    if form == "mapping":
        return f"{inner}$1", isinstance(kind.mapping if isinstance(kind, NodeUnion) else kind, Shaped)
    return " $1", must_be_chosen(kind) and not may_be_block(kind) and _has_choices(site, name)


def _list(site: CompletionSite, name: str, kind: Kind[object], inner: str) -> tuple[str, bool]:
    """A list with its first item."""
    first = next(dashes(site, kind), None)
    if first is not None:
        return inner + first.snippet.replace("\n", "\n  "), first.label == TYPE_ITEM
    sequence = kind.sequence if isinstance(kind, NodeUnion) else kind
    item = sequence.item if isinstance(sequence, ListOf) else None
    chosen = must_be_chosen(item) or name in completion_of(site.dialect).chosen_lists
    return f"{inner}- $1", chosen and _has_choices(site, name, in_list=True)


def _has_choices(site: CompletionSite, name: str, *, in_list: bool = False) -> bool:
    """Whether anything is offered where the value of a key, or the first item of its list, is typed."""
    path = (*site.cursor.path, name)
    cursor = (
        replace(site.cursor, path=(*path, ITEM), role="item", typed="", siblings={})
        if in_list
        else replace(site.cursor, path=path, role="value", typed="")
    )
    inner = replace(site, place=place_at(site.analysis, site.local, cursor))
    return any(True for _ in values(inner, inner.place.kind))
