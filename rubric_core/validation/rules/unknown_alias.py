"""unknown-alias: a reference to an anchor that is not there."""

from collections.abc import Iterator

from rubric_core.loading.issues import UnknownAlias
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["UNKNOWN_ALIAS"]


@rule("unknown-alias", "error", "A reference to an anchor that is not there")
def UNKNOWN_ALIAS(issue: UnknownAlias, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """An anchor has to stand before its references, and cannot hold one to itself."""
    why = (
        f"`&{issue.name}` holds a reference to itself" if issue.recursive else f"no `&{issue.name}` stands before this"
    )
    yield Finding(issue.span, why, consequence="agentv refuses the whole file")
