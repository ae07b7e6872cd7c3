"""conflicting-keys: one thing written under two names."""

from collections.abc import Iterator

from rubric_core.loading.issues import ConflictingKeys
from rubric_core.syntax.edit import remove_entry
from rubric_core.syntax.tree import Mapping
from rubric_core.validation.rule import Context, Finding, Fix, Related, rule

__all__ = ["CONFLICTING_KEYS"]


@rule("conflicting-keys", "warning", "The same field under two spellings")
def CONFLICTING_KEYS(issue: ConflictingKeys, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Only one of them counts."""
    yield Finding(
        issue.span,
        f"`{issue.name}` is not read beside `{issue.used}`: they are the same field",
        related=(Related(issue.first, "this one is used"),),
        fixes=tuple(_fixes(issue, context)),
        tags=("unnecessary",),
    )


def _fixes(issue: ConflictingKeys, context: Context) -> Iterator[Fix]:
    node = issue.owner.node
    if issue.borrowed or not isinstance(node, Mapping):
        return
    entry = node.entry(issue.name)
    edit = remove_entry(context.text, node, entry) if entry is not None else None
    if edit is not None:
        yield Fix(f"remove `{issue.name}`", (edit,), safe=False)
