"""Completion inside of texts: filters after `|` in templates, and variables that code of promptfoo reads by name."""

from collections.abc import Iterable

from rubric_core.analysis import Analysis, LocalText
from rubric_core.language.dialects.promptfoo import PROMPTFOO
from rubric_core.language.promptfoo.configuration import Configuration
from rubric_core.language.promptfoo.file_kinds import PromptfooFile
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.template_syntax import NUNJUCKS_FILTERS
from rubric_core.text import Span
from rubric_lsp.features.completion.context import Completion, NameSource
from rubric_lsp.features.completion.variables import values_at

__all__ = ["filters", "variables_in_code"]

#: The cursor after `|` between braces.
_FILTER = pattern(r"\{[{%](?:[^{}%]|%(?!\})){0,500}\|[ \t]*(?P<typed>\w*)\Z")
#: The cursor after `context.vars.`, `context["vars"]["` or `context.get("vars", {}).get("`.
_OF_VARS = pattern(
    r"\bvars(?:\\?[\"']{1,2}(?:\]|\)|,\s{0,3}\{\}\)))?(?:\??\.(?!get\b)(?P<member>\w*)|(?:\??\.)?(?:\[|get\()\\?[\"']{1,2}(?P<item>\w*))\Z"
)
_FARTHEST = 600
_REST = pattern(r"\w*")


def filters(analysis: Analysis, local: LocalText) -> list[Completion] | None:
    """The filters that fit after `|` in a template; None elsewhere."""
    found = _FILTER.search(local.text, max(0, local.offset - _FARTHEST), local.offset)
    if found is None or "\n" in found[0]:
        return None
    own = sorted(_own_filters(analysis))
    return [
        *_words(local, found.start("typed"), own, "a filter of the configuration", 0),
        *_words(local, found.start("typed"), sorted(NUNJUCKS_FILTERS.difference(own)), "a filter", len(own)),
    ]


def _own_filters(analysis: Analysis) -> Iterable[str]:
    if analysis.defined_names is not None and analysis.kind is not PromptfooFile.CONFIGURATION:
        return analysis.defined_names.filters or ()
    settings = analysis.settings if analysis.dialect is PROMPTFOO else None
    given = settings.nunjucks_filters if isinstance(settings, Configuration) else None
    return given if isinstance(given, dict) else ()


def variables_in_code(analysis: Analysis, local: LocalText, source: NameSource | None) -> list[Completion] | None:
    """The variables that fit after `context.vars.` in code of promptfoo; None elsewhere."""
    found = _OF_VARS.search(local.text, max(0, local.offset - _FARTHEST), local.offset)
    if found is None or analysis.dialect is not PROMPTFOO:
        return None
    start = found.start("member" if found["member"] is not None else "item")
    known = dict.fromkeys([*values_at(analysis, local), *(source("variable") if source is not None else ())])
    return _words(local, start, known, "a variable", 0)


def _words(local: LocalText, start: int, names: Iterable[str], detail: str, order: int) -> list[Completion]:
    rest = _REST.match(local.text, local.offset)
    span = local.outer(Span(start, rest.end() if rest is not None else local.offset))
    return [
        Completion(name, "variable", span, name, detail=detail, sort=f"{number:03}")
        for number, name in enumerate(names, order)
    ]
