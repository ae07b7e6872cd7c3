"""invalid-value: a word or number of the right type that is none of the possible ones."""

from collections.abc import Iterator

from rubric_core.language.kinds import Choice
from rubric_core.loading.issues import OutOfRange
from rubric_core.syntax.edit import replace_value
from rubric_core.validation.rule import Context, Finding, Fix, rule
from rubric_core.validation.words import closest, subject

__all__ = ["INVALID_VALUE"]


@rule("invalid-value", "error", "A word or number that is none of the possible ones")
def INVALID_VALUE(issue: OutOfRange, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """Say what is possible."""
    written = (
        f"`{issue.value}`"
        if isinstance(issue.value, str)
        else f"{issue.value:g}"
        if isinstance(issue.value, int | float)
        else "this"
    )
    fixes: tuple[Fix, ...] = ()
    advice = f"; it should be {issue.kind.words()}"
    if isinstance(issue.kind, Choice) and isinstance(issue.value, str):
        meant = closest(issue.value, issue.kind.names)
        if meant:
            advice = f"; did you mean `{meant}`? It can be {issue.kind.words()}"
            if not issue.borrowed:
                fixes = (Fix(f"change it to `{meant}`", (replace_value(issue.node, meant),)),)
    yield Finding(issue.span, f"{subject(issue.name)} cannot be {written}{advice}", fixes=fixes)
