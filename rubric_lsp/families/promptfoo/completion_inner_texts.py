"""Completion inside of texts of promptfoo: variables that code reads by name, and filters that a configuration defines."""

from collections.abc import Iterable

from rubric_core.analysis import Analysis, LocalText
from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.families.promptfoo.language.file_kinds import PromptfooFile
from rubric_core.lazy_compilation import pattern
from rubric_lsp.features.completion.context import Completion, NameSource
from rubric_lsp.features.completion.inner_texts import FARTHEST, word_completions
from rubric_lsp.features.completion.variables import values_at

__all__ = ["configured_filters", "variables_in_code"]

#: The cursor after `context.vars.`, `context["vars"]["` or `context.get("vars", {}).get("`.
_OF_VARS = pattern(
    r"\bvars(?:\\?[\"']{1,2}(?:\]|\)|,\s{0,3}\{\}\)))?(?:\??\.(?!get\b)(?P<member>\w*)|(?:\??\.)?(?:\[|get\()\\?[\"']{1,2}(?P<item>\w*))\Z"
)


def configured_filters(analysis: Analysis) -> Iterable[str]:
    """The filters that the configuration, or those which name this file, define."""
    if analysis.defined_names is not None and analysis.kind is not PromptfooFile.CONFIGURATION:
        return analysis.defined_names.filters or ()
    given = analysis.settings.nunjucks_filters if isinstance(analysis.settings, Configuration) else None
    return given if isinstance(given, dict) else ()


def variables_in_code(analysis: Analysis, local: LocalText, source: NameSource | None) -> list[Completion] | None:
    """The variables that fit after `context.vars.` in code; None elsewhere."""
    found = _OF_VARS.search(local.text, max(0, local.offset - FARTHEST), local.offset)
    if found is None:
        return None
    start = found.start("member" if found["member"] is not None else "item")
    known = dict.fromkeys([*values_at(analysis, local), *(source("variable") if source is not None else ())])
    return word_completions(local, start, known, "a variable", 0)
