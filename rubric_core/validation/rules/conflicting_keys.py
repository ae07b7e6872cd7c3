"""conflicting-keys: one thing written under two names."""

from collections.abc import Iterator

from rubric_core.loading.issues import ConflictingKeys
from rubric_core.validation.rule import Context, Finding, Related, rule

__all__ = ["CONFLICTING_KEYS"]


@rule("conflicting-keys", "warning", "The same field under two spellings")
def CONFLICTING_KEYS(issue: ConflictingKeys, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """Only one of them counts."""
    related = (Related(issue.first, "this one is used"),)
    yield Finding(
        issue.span,
        f"`{issue.name}` and `{issue.used}` are the same field; `{issue.used}` is used and this is not",
        related=related,
        tags=("unnecessary",),
    )
