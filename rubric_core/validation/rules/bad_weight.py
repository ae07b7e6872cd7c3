"""bad-weight: a weight that cannot do what a weight does."""

from collections.abc import Iterator

from rubric_core.language.evaluators import Criterion, Evaluator
from rubric_core.language.model import Case
from rubric_core.text import Edit
from rubric_core.validation.rubrics import criteria_fields, criteria_of
from rubric_core.validation.rule import Context, Finding, Fix, rule
from rubric_core.validation.wording import number

__all__ = ["BAD_WEIGHT"]

#: In a tuple: a union is made anew each time that it is written out, and nearly every criterion comes by here.
_WEIGHED = (Criterion, Evaluator)


def _without_sign(shape: Criterion | Evaluator) -> tuple[Fix, ...]:
    written = number(-shape.weight)
    place = shape.places["weight"]
    return () if place.borrowed else (Fix(f"write {written}", (Edit(place.value, written),), safe=False),)


def _counting(criterion: Criterion) -> tuple[Fix, ...]:
    place = criterion.places["weight"]
    return () if place.borrowed else (Fix("write 1", (Edit(place.value, "1"),), safe=False),)


@rule(
    "bad-weight",
    "error",
    "A weight that is negative, or a criterion with weight 0",
    needs=lambda visited: ("weight", *criteria_fields(visited)),
)
def BAD_WEIGHT(shape: Case | Criterion | Evaluator, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """Negative weights are errors; 0 means that a criterion is judged and counts for nothing."""
    if isinstance(shape, _WEIGHED) and shape.weight < 0:
        consequence = (
            "agentv skips the whole case and only logs it"
            if isinstance(shape, Evaluator)
            else "agentv subtracts it from the score"
        )
        message = f"the weight is {number(shape.weight)}; a weight is 0 or more"
        yield Finding(shape.at("weight"), message, fixes=_without_sign(shape), consequence=consequence)
    criteria = criteria_of(shape)
    idle = [c for c in criteria if c.weight == 0]
    if len(idle) == len(criteria):
        return  # all-weights-zero says it once
    for criterion in idle:
        if not (criterion.required or criterion.min_score or criterion.required_min_score):
            yield Finding(
                criterion.at("weight"),
                "with weight 0 and no gate this criterion has no effect on the result",
                fixes=_counting(criterion),
                severity="warning",
            )
