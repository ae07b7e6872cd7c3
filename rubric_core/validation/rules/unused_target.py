"""unused-target: a target that no suite names."""

from collections.abc import Iterator

from rubric_core.loading.reference_issues import UnusedTarget
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["UNUSED_TARGET"]


@rule("unused-target", "hint", "A target that no suite names")
def UNUSED_TARGET(issue: UnusedTarget, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """Said only when every suite of the workspace is known; somebody may still name it on the command line."""
    yield Finding(issue.span, f"no suite of this workspace names `{issue.name}`", tags=("unnecessary",))
