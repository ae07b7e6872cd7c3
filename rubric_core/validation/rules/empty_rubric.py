"""empty-rubric: a rubric without a usable criterion."""

from collections.abc import Iterator

from rubric_core.language.evaluators import LlmJudge, LlmRubric, Rubric
from rubric_core.language.model import Case
from rubric_core.syntax.tree import Sequence
from rubric_core.text import Edit
from rubric_core.validation.fixes import FILL_IN, add_key_fix, remove_key_fix
from rubric_core.validation.rubrics import criteria_fields, field_of
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["EMPTY_RUBRIC"]


@rule(
    "empty-rubric",
    "warning",
    "A rubric without a usable criterion",
    awaits="entry",
    needs=lambda visited: None if issubclass(visited, LlmRubric) else criteria_fields(visited),
)
def EMPTY_RUBRIC(shape: Case | LlmJudge | Rubric, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """An evaluator of which nothing is left is skipped, and the case is easier to pass than it looks."""
    if isinstance(shape, LlmRubric) and not (
        shape.has("criteria") or shape.has("prompt") or "criteria" in shape.unread
    ):
        yield Finding(
            shape.at("type"),
            "this rubric has neither `value` nor `prompt`, so it checks nothing",
            fixes=() if shape.borrowed else add_key_fix(shape.node, "value", f"[{FILL_IN}]", context),
            consequence="agentv skips this evaluator and only logs it",
        )
        return
    field = field_of(shape)
    place = shape.places.get(field) if field else None
    if place is None or not isinstance(place.node, Sequence):
        return
    if not place.node.items and not isinstance(shape, Rubric):
        fixes: tuple[Fix, ...] = ()
        if not place.borrowed:
            fixes = (Fix("add a criterion: …", (Edit(place.node.span, f"[{FILL_IN}]"),), safe=False),)
            fixes += remove_key_fix(shape.node, place.name, context)
        yield Finding(place.key, f"`{place.name}` is an empty list, so it checks nothing", fixes=fixes)
        return
