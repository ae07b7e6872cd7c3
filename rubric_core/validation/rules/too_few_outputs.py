"""too-few-outputs: `select-best` and `max-score` with nothing to compare."""

from collections.abc import Iterator

from rubric_core.validation.promptfoo.references import too_few_outputs
from rubric_core.validation.promptfoo.suite import PromptfooSuite
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["TOO_FEW_OUTPUTS"]


@rule("too-few-outputs", "error", "An assertion that compares outputs where there is one")
def TOO_FEW_OUTPUTS(suite: PromptfooSuite, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """The run stops at its end, and its results are lost."""
    yield from too_few_outputs(suite)
