"""variable-value: a date, a number, a mapping or a path in `vars` that is not filled in as it is written."""

from collections.abc import Iterator

from rubric_core.language.promptfoo.case import PromptfooCase
from rubric_core.validation.promptfoo.suite import PromptfooSuite
from rubric_core.validation.promptfoo.values import variable_values
from rubric_core.validation.promptfoo.variables import shown_objects
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["VARIABLE_VALUE"]


@rule("variable-value", "warning", "A variable that promptfoo reads as something else")
def VARIABLE_VALUE(visited: PromptfooCase | PromptfooSuite, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Dates, numbers, mappings and paths are not filled in as they are written."""
    yield from shown_objects(visited) if isinstance(visited, PromptfooSuite) else variable_values(visited, context)
