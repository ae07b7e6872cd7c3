"""same-criterion: a demand that the rubric makes twice."""

from collections.abc import Iterator

from rubric_core.language.evaluators import Criterion, LlmJudge, Rubric
from rubric_core.language.model import Case
from rubric_core.validation.fixes import remove_item_fix
from rubric_core.validation.rubrics import criteria_fields, criteria_of, field_of
from rubric_core.validation.rule import Context, Finding, Related, rule

__all__ = ["SAME_CRITERION"]


@rule("same-criterion", "warning", "The same requirement twice in one rubric", needs=criteria_fields)
def SAME_CRITERION(shape: Case | LlmJudge | Rubric, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """It counts twice in the score, which a weight says more clearly."""
    seen: dict[str, Criterion] = {}
    criteria = criteria_of(shape)
    if len(criteria) < 2:
        return
    place = shape.places.get(field_of(shape))
    for criterion in criteria:
        text = " ".join((criterion.outcome or "").lower().split()).rstrip(".")
        if not text:
            continue
        first = seen.setdefault(text, criterion)
        if first is not criterion and not criterion.borrowed:
            yield Finding(
                criterion.at("outcome"),
                "this rubric already requires the same thing",
                related=(Related(first.at("outcome"), "here"),),
                fixes=()
                if place is None or criterion.node is None
                else remove_item_fix(place.node, criterion.node, context),
            )
