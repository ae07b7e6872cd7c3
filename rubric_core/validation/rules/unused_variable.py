"""unused-variable: a variable that no prompt, assertion or provider uses."""

from collections.abc import Iterator

from rubric_core.validation.promptfoo.suite import PromptfooSuite
from rubric_core.validation.promptfoo.unused_variables import unused_variables
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["UNUSED_VARIABLE"]


@rule("unused-variable", "hint", "A variable that nothing uses")
def UNUSED_VARIABLE(suite: PromptfooSuite, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Only where no program could read it."""
    yield from unused_variables(suite, context)
