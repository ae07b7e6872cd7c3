"""bad-weight: a weight that cannot do what a weight does."""

from collections.abc import Iterator

from rubric_core.language.evaluators import Criterion, Evaluator
from rubric_core.language.shape import Shape
from rubric_core.validation.rule import Context, Finding, rule
from rubric_core.validation.words import number

__all__ = ["BAD_WEIGHT"]


@rule("bad-weight", "error", "A weight that is negative, or a criterion with weight 0")
def BAD_WEIGHT(shape: Shape, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """Negative weights are errors; 0 means that a criterion is judged and counts for nothing."""
    if not isinstance(shape, Criterion | Evaluator) or not shape.has("weight"):
        return
    weight = shape.weight
    if weight < 0:
        consequence = "agentv drops the whole case with a log line" if isinstance(shape, Evaluator) else "agentv subtracts it from the score"
        yield Finding(shape.at("weight"), f"the weight is {number(weight)}; a weight is 0 or more", consequence=consequence)
    elif weight == 0 and isinstance(shape, Criterion) and not (shape.required or shape.min_score or shape.required_min_score):
        yield Finding(shape.at("weight"), "with weight 0 and no gate this criterion has no effect on the result", severity="warning")
