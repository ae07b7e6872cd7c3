"""invalid-value: a word or number of the right type that is not one of the allowed values."""

import math
from collections.abc import Iterator

from rubric_core.language.closest_name import is_typo
from rubric_core.language.misnomers import options_called
from rubric_core.language.value_kinds import Choice, Integer, Number
from rubric_core.loading.issues import OutOfRange
from rubric_core.syntax.edit import replace_value
from rubric_core.validation.fixes import replace_with_words
from rubric_core.validation.rule import Context, Finding, Fix, rule
from rubric_core.validation.type_fixes import unconvertible
from rubric_core.validation.wording import closest, number, subject

__all__ = ["INVALID_VALUE"]

#: Of so many words each is offered.
_FEW = 5


@rule("invalid-value", "error", "A value that is not one of the allowed ones")
def INVALID_VALUE(issue: OutOfRange, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
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
        elsewhere = options_called(issue.value, issue.kind.names)
        alike = closest(issue.value, issue.kind.names)
        meant = alike or (elsewhere[0] if len(elsewhere) == 1 else None)
        if meant:
            advice = f"; did you mean `{meant}`? It can be {issue.kind.words()}"
        fixes = tuple(_words(issue, issue.kind, alike, elsewhere))
    elif isinstance(issue.kind, Number | Integer) and isinstance(issue.value, int | float):
        fixes = tuple(_numbers(issue, issue.kind, issue.value))
    if issue.borrowed:
        fixes = ()
    elif not fixes:
        fixes = tuple(unconvertible(issue, context))
    # An unknown kind is no reason to stop, a model judges then.
    scalar = issue.name in ("evaluator", "grader")
    yield Finding(
        issue.span,
        f"{subject(issue.name)} cannot be {written}{advice}",
        fixes=fixes,
        severity="warning" if scalar else None,
        consequence="agentv falls back to llm_judge and only logs it" if scalar else "",
    )


def _words(issue: OutOfRange, kind: Choice, alike: str | None, elsewhere: list[str]) -> Iterator[Fix]:
    """The word that was meant; where nobody can tell, every word when there are few."""
    if alike or len(elsewhere) == 1:
        word = alike or elsewhere[0]
        yield Fix(f"change it to `{word}`", (replace_value(issue.node, word),), safe=is_typo(str(issue.value), word))
    elif len(kind.names) <= _FEW:
        yield from (f for f in replace_with_words(issue.node.span, elsewhere or kind.names))


def _numbers(issue: OutOfRange, kind: Number | Integer, value: float) -> Iterator[Fix]:
    """A share of 1 that was written on a scale of 10 or 100; a sign too many; the nearest number."""
    low, high = kind.at_least, kind.at_most
    if not math.isfinite(value):
        return
    if isinstance(kind, Number) and high == 1 and 2 <= value <= 100:
        written = number(value / (10 if value <= 10 else 100))
    elif low is not None and value < low <= -value and (high is None or -value <= high):
        written = number(-value)
    elif isinstance(kind, Integer) and not float(value).is_integer():
        written = number(max(low if low is not None else -math.inf, round(value)))
    elif (low is not None and value < low) or (high is not None and value > high):
        written = number(low if low is not None and value < low else high or 0)
    else:
        return
    yield Fix(f"write {written}", (replace_value(issue.node, written),), safe=False)
