"""all-weights-zero: a rubric in which nothing counts."""

from collections.abc import Iterator

from rubric_core.language.evaluators import LlmJudge, Rubric
from rubric_core.language.model import Case
from rubric_core.text import Edit
from rubric_core.validation.rubrics import criteria_fields, criteria_of, field_of
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["ALL_WEIGHTS_ZERO"]


@rule("all-weights-zero", "error", "A rubric in which no criterion counts", awaits="item", needs=criteria_fields)
def ALL_WEIGHTS_ZERO(shape: Case | LlmJudge | Rubric, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """The weighted mean has no value then, and the score is 0 whatever the answer is."""
    criteria = criteria_of(shape)
    if criteria and all(c.weight == 0 for c in criteria):
        places = [c.places.get("weight") for c in criteria]
        edits = tuple(Edit(p.value, "1") for p in places if p is not None and not p.borrowed)
        yield Finding(
            shape.key_at(field_of(shape)),
            "every criterion of this rubric has weight 0, so its score is always 0",
            fixes=(Fix("give each weight 1", edits, safe=False),) if len(edits) == len(criteria) else (),
        )
