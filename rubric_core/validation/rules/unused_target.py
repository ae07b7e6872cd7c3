"""unused-target: a target that no suite names."""

from collections.abc import Iterator

from rubric_core.loading.reference_issues import UnusedTarget
from rubric_core.validation.fixes import remove_item_fix
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["UNUSED_TARGET"]


@rule("unused-target", "hint", "A target that no suite names")
def UNUSED_TARGET(issue: UnusedTarget, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Said only when every suite of the workspace is known; somebody may still name it on the command line."""
    gone = () if issue.borrowed or issue.entry is None else remove_item_fix(issue.listed, issue.entry, context)
    message = f"no suite of this workspace names `{issue.name}`"
    yield Finding(issue.span, message, fixes=gone, tags=("unnecessary",))
