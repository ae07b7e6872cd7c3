"""Completion of words inside of texts: filters after `|` in templates."""

from collections.abc import Iterable

from rubric_core.analysis import Analysis, LocalText
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.template_syntax import NUNJUCKS_FILTERS
from rubric_core.text import Span
from rubric_lsp.features.completion.context import Completion
from rubric_lsp.features.completion.family_completion import completion_of

__all__ = ["FARTHEST", "filters", "word_completions"]

#: The cursor after `|` between braces.
_FILTER = pattern(r"\{[{%](?:[^{}%]|%(?!\})){0,500}\|[ \t]*(?P<typed>\w*)\Z")
#: How many characters before the cursor are searched for what it follows.
FARTHEST = 600
_REST = pattern(r"\w*")


def filters(analysis: Analysis, local: LocalText) -> list[Completion] | None:
    """The filters that fit after `|` in a template; None elsewhere."""
    found = _FILTER.search(local.text, max(0, local.offset - FARTHEST), local.offset)
    if found is None or "\n" in found[0]:
        return None
    own = sorted(completion_of(analysis.dialect).filters(analysis))
    return [
        *word_completions(local, found.start("typed"), own, "a filter of the configuration", 0),
        *word_completions(local, found.start("typed"), sorted(NUNJUCKS_FILTERS.difference(own)), "a filter", len(own)),
    ]


def word_completions(local: LocalText, start: int, names: Iterable[str], detail: str, order: int) -> list[Completion]:
    """The completions that replace the word which begins at `start`; `order` is the rank of the first."""
    rest = _REST.match(local.text, local.offset)
    span = local.outer(Span(start, rest.end() if rest is not None else local.offset))
    return [
        Completion(name, "variable", span, name, detail=detail, sort=f"{number:03}")
        for number, name in enumerate(names, order)
    ]
