"""merge-key: a merge key in a dialect whose releases do not know it."""

from collections.abc import Iterator

from rubric_core.loading.issues import MergeKey
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["MERGE_KEY"]


@rule("merge-key", "warning", "A merge key that the releases of the dialect do not know")
def MERGE_KEY(issue: MergeKey, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Rubric reads what is merged; the engine does not."""
    yield Finding(
        issue.span,
        f"{context.dialect.name} does not merge: what stands behind `<<` has to be written out",
        consequence="only agentv 4.23 and later merge; before, `<<` is a key that is not read",
    )
