"""criterion-without-id: a criterion that is a mapping without an id, where the documented format asks for one."""

from collections.abc import Iterator

from rubric_core.language.evaluators import LlmJudge, Rubric
from rubric_core.language.model import Case
from rubric_core.syntax.edit import plain_or_quoted
from rubric_core.validation.fixes import put_first
from rubric_core.validation.rubrics import criteria_fields, criteria_of, id_of
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["CRITERION_WITHOUT_ID"]


@rule(
    "criterion-without-id",
    "information",
    "A criterion without the id that the documented format requires",
    awaits="entry",
    needs=criteria_fields,
)
def CRITERION_WITHOUT_ID(shape: Case | LlmJudge | Rubric, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """It gets one by its place, so results name another criterion as soon as one is added above it."""
    if not context.dialect.properties.criteria_need_ids:
        return
    criteria = criteria_of(shape)
    taken = {c.id for c in criteria}
    for position, criterion in enumerate(criteria, 1):
        if criterion.shorthand or criterion.borrowed or criterion.has("id"):
            continue
        name = id_of(criterion.outcome or "", taken)
        yield Finding(
            criterion.at("outcome"),
            "the documented format requires an `id`",
            fixes=put_first(criterion.node, "id", plain_or_quoted(name), context) if name else (),
            consequence=f"without one, results label this by its text, and by `rubric-{position}` in JSON",
        )
