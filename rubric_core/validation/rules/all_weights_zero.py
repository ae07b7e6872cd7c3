"""all-weights-zero: a rubric in which nothing counts."""

from collections.abc import Iterator

from rubric_core.language.evaluators import Criterion, LlmJudge, Rubric
from rubric_core.language.model import Case
from rubric_core.language.shape import Shape
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["ALL_WEIGHTS_ZERO"]


@rule("all-weights-zero", "error", "A rubric in which no criterion counts")
def ALL_WEIGHTS_ZERO(shape: Shape, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """The weighted mean has no value then, and the score is 0 whatever the answer is."""
    field = "criteria" if isinstance(shape, Rubric) else "rubrics" if isinstance(shape, LlmJudge | Case) else ""
    items = vars(shape).get(field) if field else None
    criteria = [c for c in items or [] if isinstance(c, Criterion)]
    if criteria and all(c.weight == 0 for c in criteria):
        yield Finding(shape.key_at(field), "every criterion of this rubric has weight 0, so its score is always 0")
