"""split-item: one item that an extra dash has cut in two."""

from collections.abc import Iterator

from rubric_core.loading.issues import SplitItem
from rubric_core.text import Edit
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["SPLIT_ITEM"]


@rule("split-item", "error", "One item that an extra dash has cut in two")
def SPLIT_ITEM(issue: SplitItem, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """Without the dash the keys belong to the item above, in the same columns."""
    fixes = () if issue.borrowed else (Fix("join it to the item above", (Edit(issue.span, " "),)),)
    message = f"this dash starts a new item, but its keys belong to {issue.shape.title()} above"
    yield Finding(
        issue.span, message, fixes=fixes, consequence="agentv skips one half or both, so nothing is asserted here"
    )
