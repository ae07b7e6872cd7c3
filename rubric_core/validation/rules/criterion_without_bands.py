"""criterion-without-bands: a required criterion that is scored 0..10 because others of its rubric have bands."""

from collections.abc import Iterator

from rubric_core.language.evaluators import Criterion, LlmJudge, Rubric
from rubric_core.language.model import Case
from rubric_core.loading.grading import has_bands, on_scale, required
from rubric_core.validation.fixes import add_keys_edit
from rubric_core.validation.rubrics import ENOUGH, as_object, criteria_fields, criteria_of, minimum_of
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["CRITERION_WITHOUT_BANDS"]

#: Bands that fit any criterion; one of them begins at `ENOUGH`.
_BANDS = "score_ranges: {0: not met, 4: partly met, 7: met with minor gaps, 10: fully met}"

#: What such a criterion has to reach, by what `required` alone needs; agentv itself asks for a 10 in the first two.
_NEEDS = {"ten": "needs a 10", "nonzero": "fails only at 0", "never": "gates nothing"}


@rule(
    "criterion-without-bands",
    "information",
    "A required criterion without bands, scored 0..10 because others have bands",
    awaits="entry",
    needs=criteria_fields,
)
def CRITERION_WITHOUT_BANDS(shape: Case | LlmJudge | Rubric, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """It looks like a matter of yes or no, and is not: one criterion with bands puts all of them on the scale."""
    criteria = criteria_of(shape)
    if not on_scale(criteria):
        return
    for criterion in criteria:
        gated = criterion.min_score is not None or criterion.required_min_score is not None
        if gated or has_bands(criterion) or not required(criterion, context.dialect):
            continue
        gate = context.dialect.properties.required_without_min
        name, _ = minimum_of(context.dialect, ENOUGH)
        what = "a plain string" if criterion.shorthand else "a required criterion without bands"
        yield Finding(
            criterion.span if criterion.shorthand else criterion.at("required"),
            f"say with `{name}` which score is enough, or give it bands: "
            f"beside criteria with bands {what} is scored 0..10, and {_NEEDS[gate]}",
            fixes=tuple(_fixes(criterion, criteria, context)),
            consequence="agentv fails the rubric with less than 10" if gate == "nonzero" else "",
        )


def _fixes(criterion: Criterion, criteria: list[Criterion], context: Context) -> Iterator[Fix]:
    """A minimum; then the same with bands."""
    minimum = ": ".join(minimum_of(context.dialect, ENOUGH))
    for title, entries in ((f"add `{minimum}`", (minimum,)), (f"give it bands, and `{minimum}`", (minimum, _BANDS))):
        if criterion.shorthand:
            edits = as_object(criterion, criteria, entries, context)
        else:
            edits = () if criterion.borrowed else add_keys_edit(criterion.node, entries, context)
        if edits:
            yield Fix(title, edits, safe=False)
