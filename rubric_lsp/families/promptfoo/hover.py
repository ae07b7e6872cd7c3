"""Hover on names in promptfoo files: the definition of a provider, a prompt, a metric or a `$ref`."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.families.promptfoo.language.configuration import ConfiguredPrompt, Metric
from rubric_core.families.promptfoo.language.provider import ConfiguredProvider
from rubric_core.families.promptfoo.language.provider_ids import known_provider
from rubric_core.language.markdown import code, plain
from rubric_core.language.shape import Shape
from rubric_core.syntax.tree import Mapping
from rubric_core.syntax.tree import Sequence as SequenceNode
from rubric_core.text import Span
from rubric_core.validation.wording import count
from rubric_lsp.features.markdown import beginning, fenced
from rubric_lsp.features.name_hover import masked_settings
from rubric_lsp.features.name_occurrence import NameOccurrence, NamePlace

__all__ = ["promptfoo_hover"]

T = TypeVar("T", bound=Shape)
#: The most places of a metric that are shown.
_FEW = 5


def promptfoo_hover(name: NameOccurrence, places: Sequence[NamePlace]) -> str:
    """The hover of a name with these definitions; empty for nothing."""
    told = {"provider": _provider, "prompt": _prompt, "metric": _metric, "pointer": _pointer}.get(name.kind)
    return told(name, places) if told is not None else ""


def _provider(name: NameOccurrence, places: Sequence[NamePlace]) -> str:
    parts = []
    for place in places[:_FEW]:
        local = place.analysis.local(place.span.start)
        shape = _around(ConfiguredProvider, place)
        if shape is not None and not name.defines:
            lines = [f"{key}: {value}" for key, value in masked_settings(shape, local.text)]
            parts.append(
                f"**{plain(name.name)}** — a provider of {plain(place.file)}\n\n{fenced(chr(10).join(lines), 'yaml')}"
            )
    known = known_provider(name.name)
    if known is not None:
        keys = ", ".join(f"`{key}`" for key in known.config)
        parts.append(f"{known.doc}" + (f" `config` takes {keys}." if keys else ""))
    return "\n\n".join(parts)


def _prompt(name: NameOccurrence, places: Sequence[NamePlace]) -> str:
    shapes = [(place, _around(ConfiguredPrompt, place)) for place in places[:_FEW]]
    parts = []
    for place, shape in shapes:
        text = vars(shape).get("raw") or vars(shape).get("id") if shape is not None else None
        if isinstance(text, str) and not name.defines:
            parts.append(
                f"**{plain(name.name)}** — a prompt of {plain(place.file)}\n\n{fenced(beginning(text), 'text')}"
            )
    return "\n\n".join(parts)


def _metric(name: NameOccurrence, places: Sequence[NamePlace]) -> str:
    if not places:
        return ""
    rows = [f"- {_check(place)} in {plain(place.file)}, line {_line(place)}" for place in places[:_FEW]]
    rows += [f"- and {len(places) - _FEW} more"] if len(places) > _FEW else []
    return "\n".join([f"**{plain(name.name)}** — a metric, from {count(len(places), 'place')}", "", *rows])


def _check(place: NamePlace) -> str:
    """The assertion that gives a metric its scores."""
    check = _around(Assertion, place)
    return code(check.type_name) if check is not None else "a formula" if _around(Metric, place) else "an assertion"


def _line(place: NamePlace) -> int:
    return place.analysis.document.position(place.span.start).line + 1


def _pointer(name: NameOccurrence, places: Sequence[NamePlace]) -> str:
    for place in places:
        local = place.analysis.local(place.span.start)
        root = local.tree.root
        value = next((v for v in _values(root) if v[0].start == local.offset), None)
        if value is not None:
            return f"{code(name.name)} — in {plain(place.file)}\n\n{fenced(beginning(local.text[slice(*value[1])]), 'yaml')}"
    return ""


def _values(node: object) -> Iterator[tuple[Span, Span]]:
    """The places of keys and items, and their values."""
    waiting = [node]
    while waiting:
        here = waiting.pop()
        if isinstance(here, Mapping):
            for entry in here.entries:
                yield entry.key.span, Span(entry.key.span.start, max(entry.value.whole.end, entry.key.span.end))
                waiting.append(entry.value)
        elif isinstance(here, SequenceNode):
            for item in here.items:
                yield item.span, item.whole
                waiting.append(item)


def _around(wanted: type[T], place: NamePlace) -> T | None:
    """The innermost shape of a class around an offset."""
    local = place.analysis.local(place.span.start)
    held = [
        s for s in local.every if isinstance(s, wanted) and s.node is not None and s.node.whole.covers(local.offset)
    ]
    return held[-1] if held else None
