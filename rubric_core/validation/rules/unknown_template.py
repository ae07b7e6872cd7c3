"""unknown-template: an `include` that gives no evaluators."""

from collections.abc import Iterator

from rubric_core.loading.reference_issues import UnknownTemplate
from rubric_core.syntax.edit import replace_value
from rubric_core.syntax.tree import Scalar
from rubric_core.validation.rule import Context, Finding, Fix, rule
from rubric_core.validation.wording import closest

__all__ = ["UNKNOWN_TEMPLATE"]


@rule("unknown-template", "error", "An include of a template that is missing or cannot be used")
def UNKNOWN_TEMPLATE(issue: UnknownTemplate, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """A word names a file in `.agentv/templates`, anything else is a path; templates nest three levels deep at most."""
    consequence = "agentv skips the case"
    if issue.trouble:
        yield Finding(issue.span, f"this template cannot be used: {issue.trouble}", consequence=consequence)
        return
    meant = closest(issue.name, issue.known)
    fixes: tuple[Fix, ...] = ()
    if meant and isinstance(issue.node, Scalar) and not issue.borrowed:
        fixes = (Fix(f"change it to `{meant}`", (replace_value(issue.node, meant),)),)
    where = "there is no file" if "/" in issue.name or "." in issue.name else "`.agentv/templates` has no file for"
    message = f"{where} `{issue.name}`" + (f"; did you mean `{meant}`?" if meant else "")
    yield Finding(issue.span, message, fixes=fixes, consequence=consequence)
