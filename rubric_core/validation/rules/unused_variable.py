"""unused-variable: a variable that no prompt, assertion or provider uses."""

from collections.abc import Iterator

from rubric_core.language.promptfoo.case import PromptfooCase
from rubric_core.language.promptfoo.files import VariablesFile
from rubric_core.validation.promptfoo.suite import PromptfooSuite
from rubric_core.validation.promptfoo.unused_variables import unused_variables
from rubric_core.validation.promptfoo.variables_in_files import unused_in_listed_case, unused_in_variables_file
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["UNUSED_VARIABLE"]


@rule("unused-variable", "hint", "A variable that nothing uses")
def UNUSED_VARIABLE(  # noqa: N802  # a rule is a constant
    visited: PromptfooSuite | PromptfooCase | VariablesFile, context: Context
) -> Iterator[Finding]:
    """Only where no program could read it; of cases in other files, only slips."""
    if isinstance(visited, VariablesFile):
        yield from unused_in_variables_file(visited, context)
    elif isinstance(visited, PromptfooCase):
        yield from unused_in_listed_case(visited, context)
    else:
        yield from unused_variables(visited, context)
