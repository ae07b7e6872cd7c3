"""unknown-metric: a name in a derived metric that no assertion has."""

from collections.abc import Iterator

from rubric_core.validation.promptfoo.metric_slips import misspelt_metrics
from rubric_core.validation.promptfoo.references import unknown_metrics
from rubric_core.validation.promptfoo.suite import PromptfooSuite
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["UNKNOWN_METRIC"]


@rule("unknown-metric", "warning", "A derived metric that uses a name which no assertion has", about_name=True)
def UNKNOWN_METRIC(suite: PromptfooSuite, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """Only where no script can give the metric."""
    yield from unknown_metrics(suite)
    yield from misspelt_metrics(suite)
