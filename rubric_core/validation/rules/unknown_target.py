"""unknown-target: a name that no target in reach has."""

from collections.abc import Iterator

from rubric_core.loading.reference_issues import UnknownTarget
from rubric_core.syntax.edit import replace_value
from rubric_core.validation.fixes import replace_with_words
from rubric_core.validation.rule import Context, Finding, Fix, rule
from rubric_core.validation.wording import closest, names

__all__ = ["UNKNOWN_TARGET"]

#: So many names are listed; of more, only the nearest is named.
_MOST = 6
#: Of so many each is offered.
_FEW = 3


@rule("unknown-target", "error", "An unknown target", about_name=True)
def UNKNOWN_TARGET(issue: UnknownTarget, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """Say which file counts, and offer the target that was probably meant."""
    file = f"{issue.path.parent.name}/{issue.path.name}" if issue.path.parent.name.startswith(".") else issue.path.name
    if issue.trouble:
        yield Finding(issue.span, f"{file} cannot be read: {issue.trouble}", consequence="rubric cannot run the suite")
        return
    known = issue.known
    meant = closest(issue.name, known)
    others = f"; there is {names(known)}" if 0 < len(known) <= _MOST else ""
    advice = f"; did you mean `{meant}`?" if meant else others
    fixes = (
        ()
        if issue.borrowed
        else (Fix(f"change it to `{meant}`", (replace_value(issue.node, meant),)),)
        if meant
        else replace_with_words(issue.node.span, known if len(known) <= _FEW else ())
    )
    yield Finding(
        issue.span,
        f"no target in {file} is called `{issue.name}`{advice}",
        fixes=fixes,
        consequence="agentv finds no judge for evaluators that need one"
        if issue.judges
        else "agentv cannot run the suite",
        severity="warning" if issue.judges else None,
    )
