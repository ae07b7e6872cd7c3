"""numeric-required: a minimum written as `required`."""

from collections.abc import Iterator

from rubric_core.language.evaluators import Evaluator
from rubric_core.syntax.edit import newline_of
from rubric_core.syntax.tree import Mapping
from rubric_core.text import Edit
from rubric_core.validation.rule import Context, Finding, Fix, rule
from rubric_core.validation.wording import number

__all__ = ["NUMERIC_REQUIRED"]


@rule("numeric-required", "warning", "A minimum written as `required`", needs={"required"})
def NUMERIC_REQUIRED(evaluator: Evaluator, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Since `min_score` there is a key for it; the newest dialect refuses the number."""
    value = evaluator.required
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or context.dialect.spelled(Evaluator, "min_score") is None
    ):
        return
    place = evaluator.places["required"]
    fixes: tuple[Fix, ...] = ()
    if not place.borrowed and not evaluator.has("min_score") and isinstance(evaluator.node, Mapping):
        column = context.text.rfind("\n", 0, place.key.start) + 1
        between = ", " if evaluator.node.flow else newline_of(context.text) + " " * (place.key.start - column)
        fixes = (
            Fix(
                f"write `required: true` and `min_score: {number(value)}`",
                (Edit(place.node.span, f"true{between}min_score: {number(value)}"),),
            ),
        )
    strict = context.dialect.properties.strict_keys
    yield Finding(
        place.value, f"a minimum is written as `min_score: {number(value)}` beside `required: true`", fixes=fixes,
        severity="error" if strict else "warning", consequence="agentv rejects the case" if strict else "",
    )  # fmt: skip
