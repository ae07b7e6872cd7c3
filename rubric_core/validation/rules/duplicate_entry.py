"""duplicate-entry: a prompt or provider that is listed twice, and labels or descriptions that two have."""

from collections.abc import Iterator

from rubric_core.validation.promptfoo.references import equal_entries
from rubric_core.validation.promptfoo.suite import PromptfooSuite
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["DUPLICATE_ENTRY"]


@rule("duplicate-entry", "warning", "A prompt or provider that is listed twice, or two with one label")
def DUPLICATE_ENTRY(suite: PromptfooSuite, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Promptfoo runs some equal entries once and others twice, and filters by labels and descriptions."""
    yield from equal_entries(suite, context)
