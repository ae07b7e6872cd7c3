"""broken-cases: a file of cases that cannot be read as one."""

from collections.abc import Iterator

from rubric_core.loading.reference_issues import BrokenCases
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["BROKEN_CASES"]


@rule("broken-cases", "error", "A path that yields no cases")
def BROKEN_CASES(issue: BrokenCases, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """A list of cases, a data set with one case per line, or a directory whose directories have a `case.yaml`."""
    yield Finding(issue.span, f"no cases were loaded from here: {issue.trouble}", consequence=issue.consequence)
