"""missing-key: a key without which the rest means nothing."""

from collections.abc import Iterator

from rubric_core.language.model import Case
from rubric_core.loading.issues import MissingKey
from rubric_core.syntax.edit import add_entry
from rubric_core.syntax.tree import Mapping
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["MISSING_KEY"]


@rule("missing-key", "error", "A key without which the rest means nothing")
def MISSING_KEY(issue: MissingKey, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Name the key and what it is for."""
    wanted = f"`{issue.name}`" + "".join(f" or `{n}`" for n in issue.alternatives)
    message = f"{type(issue.owner).title()} needs {wanted}: {issue.key.doc[0].lower()}{issue.key.doc[1:].partition('.')[0]}"
    fixes: tuple[Fix, ...] = ()
    if isinstance(issue.node, Mapping) and issue.key.example and not issue.borrowed:
        edit = add_entry(context.text, issue.node, issue.name, issue.key.example)
        if edit is not None:
            fixes = (Fix(f"add `{issue.name}: {issue.key.example}`", (edit,), safe=False),)
    if isinstance(issue.owner, Case):
        severity = context.dialect.properties.incomplete_case
        yield Finding(issue.span, message, fixes=fixes, consequence="agentv skips the case and runs the others", severity=severity)
    else:
        yield Finding(issue.span, message, fixes=fixes)
