"""unknown-alias: a reference to an anchor that does not exist."""

from collections.abc import Iterator

from rubric_core.loading.issues import UnknownAlias
from rubric_core.syntax.edit import quoted
from rubric_core.text import Edit
from rubric_core.validation.rule import Context, Finding, Fix, rule
from rubric_core.validation.wording import closest

__all__ = ["UNKNOWN_ALIAS"]

_REFUSES = "rejects the whole file"


@rule("unknown-alias", "error", "A reference to an unknown anchor")
def UNKNOWN_ALIAS(issue: UnknownAlias, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """An anchor has to stand before its references, and cannot hold one to itself."""
    if issue.recursive:
        yield Finding(
            issue.span, f"`&{issue.name}` contains a reference to itself", consequence=f"{context.engine} {_REFUSES}"
        )
        return
    if issue.through:
        yield Finding(
            issue.span,
            f"this leads through {issue.through} nested references; the rest is not read",
            severity="warning",
        )
        return
    meant = closest(issue.name, [name for name in issue.known if name != issue.name])
    fixes: tuple[Fix, ...] = ()
    if meant and context.written(issue.span) == f"*{issue.name}":
        fixes = (Fix(f"change it to `*{meant}`", (Edit(issue.span, f"*{meant}"),)),)
    elif issue.name in issue.known:
        words = f"`&{issue.name}` is defined further down; an anchor must come before the references to it"
        yield Finding(issue.span, words, consequence=f"{context.engine} {_REFUSES}")
        return
    elif context.written(issue.span) == f"*{issue.name}" and issue.text and not issue.borrowed:
        fixes = (
            Fix("put it in quotes: text, not a reference", (Edit(issue.span, quoted(f"*{issue.name}")),), safe=False),
        )
    advice = f"; did you mean `*{meant}`?" if meant else ""
    yield Finding(
        issue.span,
        f"no anchor `&{issue.name}` is defined before this{advice}",
        fixes=fixes,
        consequence=f"{context.engine} {_REFUSES}",
    )
