"""invalid-value: a word or number of the right type that is none of the possible ones."""

from collections.abc import Iterator

from rubric_core.language.kinds import Choice, Number
from rubric_core.loading.issues import OutOfRange
from rubric_core.syntax.edit import replace_value
from rubric_core.validation.rule import Context, Finding, Fix, rule
from rubric_core.validation.words import closest, number, subject

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
    elif isinstance(issue.kind, Number) and isinstance(issue.value, int | float) and not issue.borrowed:
        fixes = tuple(_as_share(issue, issue.kind, float(issue.value)))
    # Document 003: an unknown kind is no reason to stop, a model judges then.
    scalar = issue.name in ("evaluator", "grader")
    yield Finding(
        issue.span,
        f"{subject(issue.name)} cannot be {written}{advice}",
        fixes=fixes,
        severity="warning" if scalar else None,
        consequence="agentv takes llm_judge in its place, with a line in the log" if scalar else "",
    )


def _as_share(issue: OutOfRange, kind: Number, value: float) -> Iterator[Fix]:
    """A share of 1 that was written on a scale of 10 or 100."""
    if kind.at_most == 1 and 1 < value <= 100:
        written = number(value / (10 if value <= 10 else 100))
        yield Fix(f"write {written}", (replace_value(issue.node, written),), safe=False)
