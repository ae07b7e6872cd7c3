"""not-a-suite: the file holds no mapping that could be a suite."""

from collections.abc import Iterator

from rubric_core.language.model import Suite
from rubric_core.loading.issues import NotASuite
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["NOT_A_SUITE"]


@rule("not-a-suite", "error", "The file holds no mapping that could be a suite")
def NOT_A_SUITE(issue: NotASuite, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Name the key that a suite needs."""
    key = context.dialect.spelled(Suite, "cases")
    if issue.found == "nothing":
        message = f"this file is empty; a suite has its cases under `{key}:`"
    else:
        message = f"this file is {issue.found}; a suite is a mapping that has its cases under `{key}:`"
    yield Finding(issue.span, message, consequence="agentv refuses the file")
