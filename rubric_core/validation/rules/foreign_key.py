"""foreign-key: a key that another dialect has in this place."""

from collections.abc import Iterator

from rubric_core.loading.issues import ForeignKey
from rubric_core.syntax.edit import rename_key
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["FOREIGN_KEY"]


@rule("foreign-key", "warning", "A key that only another dialect has")
def FOREIGN_KEY(issue: ForeignKey, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Say which dialect has the key and what this one writes instead."""
    where = issue.dialects[0] if len(issue.dialects) == 1 else f"{issue.dialects[0]} to {issue.dialects[-1]}"
    advice = f"; here it is `{issue.current}`" if issue.current and issue.current != issue.name else ""
    message = f"`{issue.name}` is a key of {where}; {context.dialect.name} does not read it{advice}"
    fixes: tuple[Fix, ...] = ()
    if issue.current and issue.current != issue.name and not issue.taken and not issue.borrowed:
        fixes = (Fix(f"rename it to `{issue.current}`", (rename_key(issue.entry, issue.current),)),)
    yield Finding(issue.span, message, fixes=fixes, consequence="agentv ignores it without a word")
