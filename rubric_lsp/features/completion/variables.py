"""Completion of template variables in `{{ name }}`, in prompts and in texts of cases."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from rubric_core.analysis import Analysis, LocalText
from rubric_core.syntax.plain_data import plain
from rubric_core.text import Span
from rubric_lsp.features.completion.context import Completion, NameSource
from rubric_lsp.features.completion.family_completion import completion_of
from rubric_lsp.features.family_editor import editor_of
from rubric_lsp.features.markdown import beginning, fenced, shortened, value_text

__all__ = ["values_at", "variables"]

_OPEN = re.compile(r"(?<!\$)\{\{-?[ \t]*(?P<typed>[\w.]*)\Z")
_REST = re.compile(r"[\w.]*(?P<close>[ \t]*-?\}\})?")
_FARTHEST = 200


def variables(analysis: Analysis, local: LocalText, source: NameSource | None = None) -> list[Completion] | None:
    """The completions between braces; None if the cursor is not between braces. `source` gives names from other files."""
    found = _OPEN.search(local.text, max(0, local.offset - _FARTHEST), local.offset)
    line = max(local.text.rfind("\n", 0, local.offset), local.text.rfind("\r", 0, local.offset)) + 1
    if found is None or found.start() < line or local.text[line : found.start()].lstrip().startswith("#"):
        return None
    rest = _REST.match(local.text, local.offset)
    end = rest.end() if rest is not None and not rest["close"] else local.offset
    close = "" if rest is not None and rest["close"] else " }}"
    gap = " " if found[0].rstrip("-").endswith("{{") else ""
    span = local.outer(Span(found.start("typed"), end))
    return [
        Completion(name, "variable", span, f"{gap}{name}{close}", detail=shown, documentation=doc, sort=f"{n:03}", filter=name)
        for n, (name, shown, doc) in enumerate(_names(analysis, local, source))
    ]  # fmt: skip


def _names(
    analysis: Analysis, local: LocalText, source: NameSource | None
) -> Iterator[tuple[str, str, Callable[[], str]]]:
    """Each name with its value, shortened and in full."""
    for name, meaning in completion_of(analysis.dialect).judge_variables(local):
        yield name, meaning, str
    known = values_at(analysis, local)
    for name, value in known.items():
        yield name, _short(value), partial(_shown, value)
    for name in source("variable") if source is not None and "variable" in editor_of(analysis).shared_names else ():
        if name not in known:
            yield name, "a variable of other cases", str


def _short(value: object) -> str:
    if isinstance(value, list | dict):
        return f"{len(value)} {'items' if isinstance(value, list) else 'keys'}"
    return shortened(value_text(value))


def _shown(value: object) -> str:
    return fenced(beginning(value_text(value)), "text" if isinstance(value, str) else "yaml")


def values_at(analysis: Analysis, local: LocalText) -> Mapping[str, object]:
    """The values of the case at the cursor: its own, before those of every case.

    In the text around the cases, which applies to all of them, the first values of all names.
    """
    anchors = analysis.anchors(local.number)
    return {name: plain(value, anchors) for name, value in editor_of(analysis).values(analysis, local).items()}
