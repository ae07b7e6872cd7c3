"""dominant-criterion: one criterion that decides the rubric alone."""

from collections.abc import Iterator

from rubric_core.language.evaluators import Criterion, LlmJudge, Rubric
from rubric_core.language.model import Case
from rubric_core.text import Edit
from rubric_core.validation.rubrics import criteria_fields, criteria_of
from rubric_core.validation.rule import Context, Finding, Fix, rule
from rubric_core.validation.wording import number

__all__ = ["DOMINANT_CRITERION"]

_HALF = 0.5


@rule("dominant-criterion", "hint", "One criterion that decides the rubric alone", awaits="item", needs=criteria_fields)
def DOMINANT_CRITERION(shape: Case | LlmJudge | Rubric, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Meeting it is enough to pass, whatever the others say, so they are not really asserted."""
    criteria = criteria_of(shape)
    total = sum(c.weight for c in criteria)
    if len(criteria) < 2 or total <= 0 or any(c.weight < 0 for c in criteria):
        return
    threshold = context.defaults.threshold or context.dialect.properties.threshold
    gated = sum(1 for c in criteria if c.required or c.min_score or c.required_min_score or c.shorthand)
    for criterion in criteria:
        share = criterion.weight / total
        own = bool(criterion.required or criterion.min_score or criterion.required_min_score or criterion.shorthand)
        if share >= threshold and gated - own == 0 and criterion.has("weight"):
            yield Finding(
                criterion.at("weight"),
                f"this criterion is {share:.0%} of the rubric",
                fixes=() if criterion.borrowed else tuple(_half(criterion, total - criterion.weight, threshold)),
                consequence=f"meeting it alone passes ({number(threshold)}), whatever the others say",
            )


def _half(criterion: Criterion, others: float, threshold: float) -> Iterator[Fix]:
    """As much as all others together: half of the rubric."""
    place = criterion.places["weight"]
    if others > 0 and threshold > _HALF and not place.borrowed:
        written = number(others)
        yield Fix(f"write {written}, half of the rubric", (Edit(place.value, written),), safe=False)
