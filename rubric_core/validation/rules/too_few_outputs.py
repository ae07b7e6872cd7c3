"""too-few-outputs: `select-best` and `max-score` with nothing to compare."""

from collections.abc import Iterator

from rubric_core.language.promptfoo.case import PromptfooCase
from rubric_core.validation.promptfoo.references import one_output_in_listed_case, too_few_outputs
from rubric_core.validation.promptfoo.suite import PromptfooSuite
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["TOO_FEW_OUTPUTS"]


@rule("too-few-outputs", "error", "An assertion that compares outputs where there is one")
def TOO_FEW_OUTPUTS(  # noqa: N802  # a rule is a constant
    visited: PromptfooSuite | PromptfooCase, context: Context
) -> Iterator[Finding]:
    """The run stops at its end, and its results are lost."""
    if isinstance(visited, PromptfooSuite):
        yield from too_few_outputs(visited)
    else:
        yield from one_output_in_listed_case(visited, context)
