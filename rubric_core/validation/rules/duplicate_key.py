"""duplicate-key: a key twice in one mapping."""

from collections.abc import Iterator

from rubric_core.loading.issues import DuplicateKey
from rubric_core.validation.rule import Context, Finding, Related, rule

__all__ = ["DUPLICATE_KEY"]


@rule("duplicate-key", "error", "A key twice in one mapping")
def DUPLICATE_KEY(issue: DuplicateKey, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """Which of the two was meant only the author knows, so there is no fix."""
    related = (Related(issue.first, f"`{issue.name}` is here already"),)
    yield Finding(
        issue.span,
        f"`{issue.name}` is in this mapping twice",
        related=related,
        consequence="agentv refuses the whole file",
    )
