"""variable-value: a date, a number, a mapping or a path in `vars` that is not filled in as it is written."""

from collections.abc import Iterator

from rubric_core.language.promptfoo.case import PromptfooCase
from rubric_core.language.promptfoo.files import VariablesFile
from rubric_core.loading.reference_issues import PromptFileText
from rubric_core.validation.promptfoo.prompt_templates import objects_in_file
from rubric_core.validation.promptfoo.shown_mappings import (
    mappings_among_texts,
    mappings_in_listed_case,
    shown_objects,
)
from rubric_core.validation.promptfoo.suite import PromptfooSuite
from rubric_core.validation.promptfoo.values import values_in_file, variable_values
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["VARIABLE_VALUE"]


@rule("variable-value", "warning", "A variable that promptfoo reads as something else")
def VARIABLE_VALUE(  # noqa: N802  # a rule is a constant
    visited: PromptfooCase | VariablesFile | PromptfooSuite | PromptFileText, context: Context
) -> Iterator[Finding]:
    """Dates, numbers, mappings and paths are not filled in as they are written."""
    if isinstance(visited, PromptfooSuite):
        yield from shown_objects(visited)
        yield from mappings_among_texts(visited)
    elif isinstance(visited, PromptFileText):
        yield from objects_in_file(visited)
    elif isinstance(visited, VariablesFile):
        yield from values_in_file(visited, context)
    else:
        yield from variable_values(visited, context)
        yield from mappings_in_listed_case(visited, context)
