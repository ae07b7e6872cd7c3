"""unused-ignore: a comment that covers no finding."""

from collections.abc import Iterator

from rubric_core.validation.rule import Context, Finding, Fix, rule
from rubric_core.validation.suppression import UnusedIgnore

__all__ = ["UNUSED_IGNORE"]


@rule("unused-ignore", "warning", "An ignore comment that covers nothing")
def UNUSED_IGNORE(unused: UnusedIgnore, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """What was fixed needs no comment, and a comment with a mistake in it covers nothing."""
    yield Finding(
        unused.span,
        _words(unused),
        fixes=tuple(_fixes(unused)),
        tags=("unnecessary",) if unused.problem == "unused" else (),
    )


def _words(unused: UnusedIgnore) -> str:
    if unused.problem == "unused":
        return f"there is no `{unused.name}` here to ignore" if unused.name else "there is nothing here to ignore"
    if unused.problem == "unknown":
        advice = f"; did you mean `{unused.meant}`?" if unused.meant else ""
        return f"there is no code `{unused.name}`{advice}"
    if unused.problem == "bare":
        return f"codes go in brackets: `[{unused.meant or unused.name}]`"
    if unused.problem == "empty":
        return "there is no code between the brackets"
    if unused.problem == "low":
        return "`ignore-file` counts only above the first key"
    return "there is nothing below this comment for it to cover"


def _fixes(unused: UnusedIgnore) -> Iterator[Fix]:
    if unused.mend is not None:
        yield Fix(f"write `{unused.mend.new_text}`", (unused.mend,), safe=False)
    what = f"`{unused.name}`" if unused.name and unused.problem != "bare" else "the comment"
    yield Fix(f"remove {what}", (unused.removal,), safe=unused.problem == "unused")
