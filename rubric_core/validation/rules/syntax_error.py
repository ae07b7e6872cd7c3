"""syntax-error: the text is no YAML here."""

from collections.abc import Iterator

from rubric_core.loading.issues import NotYaml
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["SYNTAX_ERROR"]


@rule("syntax-error", "error", "Text that is not valid YAML")
def SYNTAX_ERROR(issue: NotYaml, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Say what the parser stumbled on; what stands around it is read anyway."""
    problem = issue.problem
    if problem.kind in ("documents", "size", "unread"):
        return
    consequence = f"{context.engine} rejects the whole file" if problem.kind == "syntax" else ""
    fixes = (Fix(*problem.mend),) if problem.mend is not None else ()
    yield Finding(issue.span, problem.message, fixes=fixes, consequence=consequence)
