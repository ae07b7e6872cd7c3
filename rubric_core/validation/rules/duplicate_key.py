"""duplicate-key: a key twice in one mapping."""

from collections.abc import Iterator

from rubric_core.loading.issues import DuplicateKey
from rubric_core.text import Edit
from rubric_core.validation.rule import Context, Finding, Fix, Related, rule

__all__ = ["DUPLICATE_KEY"]


@rule("duplicate-key", "error", "A key twice in one mapping")
def DUPLICATE_KEY(issue: DuplicateKey, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """Which of the two was meant only the author knows; keys that begin again are an item without its dash."""
    related = (Related(issue.first, f"`{issue.name}` is here already"),)
    fixes = () if issue.dash is None else (Fix("start an item here", (Edit(issue.dash, "- "),), safe=False),)
    yield Finding(
        issue.span,
        f"`{issue.name}` is in this mapping twice{'; is a dash missing in front of it?' if fixes else ''}",
        related=related,
        fixes=fixes,
        consequence="agentv refuses the whole file",
    )
