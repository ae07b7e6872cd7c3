"""unknown-alias: a reference to an anchor that is not there."""

from collections.abc import Iterator

from rubric_core.loading.issues import UnknownAlias
from rubric_core.syntax.edit import quoted
from rubric_core.text import Edit
from rubric_core.validation.rule import Context, Finding, Fix, rule
from rubric_core.validation.wording import closest

__all__ = ["UNKNOWN_ALIAS"]

_REFUSES = "agentv refuses the whole file"


@rule("unknown-alias", "error", "A reference to an anchor that is not there")
def UNKNOWN_ALIAS(issue: UnknownAlias, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """An anchor has to stand before its references, and cannot hold one to itself."""
    if issue.recursive:
        yield Finding(issue.span, f"`&{issue.name}` holds a reference to itself", consequence=_REFUSES)
        return
    if issue.through:
        yield Finding(
            issue.span,
            f"this leads through {issue.through} references, one in the other; what is behind the last is not read",
            severity="warning",
        )
        return
    meant = closest(issue.name, [name for name in issue.known if name != issue.name])
    fixes: tuple[Fix, ...] = ()
    if meant and context.written(issue.span) == f"*{issue.name}":
        fixes = (Fix(f"change it to `*{meant}`", (Edit(issue.span, f"*{meant}"),)),)
    elif issue.name in issue.known:
        words = f"`&{issue.name}` stands further down; an anchor has to stand before what refers to it"
        yield Finding(issue.span, words, consequence=_REFUSES)
        return
    elif context.written(issue.span) == f"*{issue.name}" and issue.text and not issue.borrowed:
        fixes = (
            Fix("put it in quotes: text, no reference", (Edit(issue.span, quoted(f"*{issue.name}")),), safe=False),
        )
    advice = f"; did you mean `*{meant}`?" if meant else ""
    yield Finding(issue.span, f"no `&{issue.name}` stands before this{advice}", fixes=fixes, consequence=_REFUSES)
